/**
 * The catalogue in PostgreSQL as handlers read it. A filter goes in a line: filter, selection (pure, against a cached
 * snapshot of shelves), image numbers, documents. The last statement of a call reports its revision; if that is not the
 * snapshot's, the catalogue changed meanwhile and the call starts again.
 */
import type {
  Caller,
  Catalogue,
  EntryDetails,
  FileFacts,
  Filter,
  FilterProblem,
  LatestImages,
  ListFilter,
  SeededImages,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/image-document.ts';
import { type ImageSet, sliceImages } from '../../catalogue/image-set.ts';
import { newestBelow } from '../../catalogue/newest.ts';
import { sample } from '../../catalogue/sampling.ts';
import { pageInSeedOrder, SeedOrder, type SeedPosition } from '../../catalogue/seed-order.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';
import type { RandomInt } from '../../random.ts';
import { defaultTuning } from '../../tuning.ts';
import { noDocumentMemory } from '../shared/document-memory.ts';
import { isExhaustive } from '../shared/draws.ts';
import { ImageSets } from '../shared/image-sets.ts';
import { NameSearch } from '../shared/name-search.ts';
import { type Selection, soleShelf } from '../shared/selection.ts';
import { buildStatistics, type Shelf } from '../shared/shelves.ts';
import { SimilarImages } from '../shared/similar-images.ts';
import { retryOnChange } from '../shared/versions.ts';
import { Documents } from './documents.ts';
import { drawInMemory, drawStatement } from './draws.ts';
import { LoadedShelves } from './loaded-shelves.ts';
import { findSoleShelf, listPositions, pageBounds } from './pages.ts';
import { PostgresReader } from './reader.ts';
import { readEntries, readImages } from './rows.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';

export class PostgresCatalogue implements Catalogue {
  readonly #servers: Servers;
  readonly #reader: PostgresReader;
  readonly #documents: Documents;
  readonly #sets: ImageSets;
  readonly #shelves: LoadedShelves;
  readonly #search: NameSearch;
  readonly #similar: SimilarImages;

  constructor(servers: Servers, documents: ArrayBufferLike = noDocumentMemory(), tuning = defaultTuning) {
    this.#servers = servers;
    this.#reader = new PostgresReader(servers, tuning);
    this.#documents = new Documents(servers, documents);
    this.#sets = new ImageSets(this.#reader, tuning);
    this.#shelves = new LoadedShelves(this.#sets, this.#reader.imagesPerSlice);
    this.#search = new NameSearch(this.#reader, tuning);
    this.#similar = new SimilarImages(this.#reader, this.#sets, tuning);
  }

  /** A commit announced this revision. */
  onRevision(revision: number): void {
    this.#servers.noteRevision(revision);
    this.#reader.refresh().catch(() => {});
  }

  async statistics(): Promise<Statistics> {
    const { rows } = await this.#servers.read(statements.statistics, []);
    return buildStatistics(new Map(rows.map(([, id, size]) => [id as string, size as number])));
  }

  async image(id: string): Promise<ImageDocument | undefined> {
    const { rows } = await this.#servers.read(statements.image, [id]);
    return readImages(rows, 1)[0];
  }

  async checkFilter(filter: Filter): Promise<FilterProblem | undefined> {
    const selection = await retryOnChange(() => this.#reader.select(filter));
    return 'problem' in selection ? selection : undefined;
  }

  images(filter: ListFilter, window: Window, caller: Caller): Promise<Page<ImageDocument> | FilterProblem> {
    return retryOnChange(async () => {
      const shelf = findSoleShelf(filter);
      // The shelf of an artist would take a statement of its own.
      if (shelf?.kind === 'artist') return this.#readPage(shelf.kind, shelf.id, window);
      const selection = await this.#reader.select(filter);
      if (!selection || 'problem' in selection) return selection;
      if (shelf && !this.#cachedImages(selection)) return this.#readPage(shelf.kind, shelf.id, window);
      const set = await this.#sets.load(selection, caller);
      const items = set && (await this.#documents.read(sliceImages(set, window), selection.of));
      return items && { total: set.size, items };
    });
  }

  randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    return retryOnChange(async () => {
      const selection = await this.#reader.select(filter);
      if (!selection || 'problem' in selection) return selection;
      const cached = this.#sets.cached(selection);
      const numbers = cached
        ? sample(cached, limit, randomInt)
        : drawInMemory(selection, this.#shelves, limit, randomInt);
      if (Array.isArray(numbers)) return this.#documents.read(numbers, selection.of);
      const drawn = numbers ?? (await this.#drawInDatabase(selection, limit, randomInt));
      if (drawn !== 'too few') return drawn;
      const set = await this.#sets.load(selection, caller);
      return set && this.#documents.read(sample(set, limit, randomInt), selection.of);
    });
  }

  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<SeededImages | FilterProblem> {
    return retryOnChange<SeededImages | FilterProblem>(async () => {
      const selection = await this.#reader.select(filter);
      if (!selection || 'problem' in selection) return selection;
      const set = await this.#sets.load(selection, caller);
      if (!set) return undefined;
      const page = pageInSeedOrder(set, new SeedOrder(seed, selection.of.lastImage), from, limit);
      if (!page) return { problem: 'position' };
      const images = await this.#documents.read(page.images, selection.of);
      return images && { images, next: page.next };
    });
  }

  latestImages(
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Promise<LatestImages | FilterProblem> {
    return retryOnChange(async () => {
      const selection = await this.#reader.select(filter);
      if (!selection || 'problem' in selection) return selection;
      const shelf = soleShelf(selection);
      if (shelf && !this.#cachedImages(selection)) return this.#newestOnShelf(shelf, below, limit, selection);
      const set = await this.#sets.load(selection, caller);
      if (!set) return undefined;
      const { numbers, next } = newestBelow(set, below, limit);
      const images = await this.#documents.read(numbers, selection.of);
      return images && { images, next };
    });
  }

  similarImages(
    id: string,
    filter: ListFilter,
    limit: number,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    return retryOnChange(async () => {
      const found = await this.#reader.selectFor(id, filter);
      if (!found || 'problem' in found) return found;
      const numbers = await this.#similar.find(found.image, found.selection, limit, caller);
      return numbers && this.#documents.read(numbers, found.selection.of);
    });
  }

  async list(kind: Kind, window: Window, hasCovers = false): Promise<Page<EntryDetails>> {
    const { rows } = await this.#servers.read(statements.list, [kind, listPositions(window), hasCovers]);
    return { total: rows[0]?.[4] as number, items: readEntries(rows) };
  }

  search(kind: Kind, pattern: string, { offset, limit }: Window, caller: Caller, hasCovers = false) {
    return retryOnChange(async () => {
      const { version, positions } = await this.#search.find(kind, pattern, caller);
      const page = positions.slice(offset, offset + limit);
      const read = await this.#servers.read(statements.entries, [kind, page, hasCovers]);
      if (read.version !== version) return undefined;
      return { total: positions.length, items: readEntries(read.rows) };
    });
  }

  async one(kind: Kind, id: string, hasCover = false): Promise<EntryDetails | undefined> {
    const { rows } = await this.#servers.read(statements.entry, [kind, id, hasCover]);
    return readEntries(rows)[0];
  }

  async file(image: string): Promise<FileFacts | undefined> {
    const { rows } = await this.#servers.read(statements.file, [image]);
    const [, key, eTag, mimetype] = rows[0] as [number, string | null, string, FileFacts['mimetype']];
    return key === null ? undefined : { key, eTag, mimetype };
  }

  metrics(): Metric[] {
    return this.#documents.metrics();
  }

  /** The images of a selection, if they are in memory. */
  #cachedImages(selection: Selection): ImageSet | undefined {
    const shelf = soleShelf(selection);
    return shelf ? this.#shelves.get(shelf, selection.of) : this.#sets.cached(selection);
  }

  // The following return undefined if the catalogue is not, or no longer, of one version.

  /** One statement finds the shelf and its images. */
  async #readPage(
    kind: string,
    id: string,
    window: Window,
  ): Promise<Page<ImageDocument> | FilterProblem | undefined> {
    const read = await this.#servers.read(statements.page, [kind, id, ...pageBounds(window)]);
    const [, total, numbers] = read.rows[0] as [number, number | null, number[]];
    if (total === null) return { problem: 'artist' };
    const items = await this.#documents.complete(numbers, read);
    return items && { total, items };
  }

  /** The equivalent of `newestBelow` (catalogue/newest.ts) in one statement. */
  async #newestOnShelf(
    shelf: Shelf,
    below: number | undefined,
    limit: number,
    { of }: Selection,
  ): Promise<LatestImages | undefined> {
    const read = await this.#servers.read(statements.newest, [shelf.number, shelf.size, below, limit]);
    if (read.version !== of.version) return undefined;
    const [, hasMore, numbers] = read.rows[0] as [number, boolean, number[]];
    const images = await this.#documents.complete(numbers, of);
    return images && { images, next: hasMore ? numbers.at(-1) : undefined };
  }

  /** The equivalent of `drawImages` (shared/draws.ts) in one statement. */
  async #drawInDatabase(selection: Selection, limit: number, randomInt: RandomInt) {
    const { of, choices } = selection;
    const read = await this.#servers.read(...drawStatement(selection, limit, randomInt));
    if (read.version !== of.version) return undefined;
    const numbers = read.rows[0]?.[1] as number[];
    const isEnough = numbers.length === limit || isExhaustive(choices[0]) || soleShelf(selection);
    return isEnough ? this.#documents.complete(numbers, of) : 'too few';
  }
}
