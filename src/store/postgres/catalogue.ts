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
import { drawPositions, sample } from '../../catalogue/sampling.ts';
import { pageInSeedOrder, SeedOrder, type SeedPosition } from '../../catalogue/seed-order.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import type { RandomInt } from '../../random.ts';
import { isDrawable, isExhaustive, makeDraws } from '../shared/draws.ts';
import { ImageSets } from '../shared/image-sets.ts';
import { NameSearch } from '../shared/name-search.ts';
import { type Selection, soleShelf } from '../shared/selection.ts';
import { buildStatistics, type CatalogueVersion, type Shelf } from '../shared/shelves.ts';
import { SimilarImages } from '../shared/similar-images.ts';
import { retryOnChange } from '../shared/versions.ts';
import { findSoleShelf, listPositions } from './pages.ts';
import { PostgresReader } from './reader.ts';
import { inOrder, readEntries, readImages } from './rows.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';

export class PostgresCatalogue implements Catalogue {
  readonly #servers: Servers;
  readonly #reader: PostgresReader;
  readonly #sets: ImageSets;
  readonly #search: NameSearch;
  readonly #similar: SimilarImages;

  constructor(servers: Servers) {
    this.#servers = servers;
    this.#reader = new PostgresReader(servers);
    this.#sets = new ImageSets(this.#reader);
    this.#search = new NameSearch(this.#reader);
    this.#similar = new SimilarImages(this.#reader, this.#sets);
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

  async images(
    filter: ListFilter,
    window: Window,
    caller: Caller,
  ): Promise<Page<ImageDocument> | FilterProblem> {
    const shelf = findSoleShelf(filter);
    if (shelf) return this.#readPage(shelf.kind, shelf.id, window);
    return this.#findInSet(filter, caller, async (set, { of }) => {
      const items = await this.#readNumbers(sliceImages(set, window), of);
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
      if (cached) return this.#readNumbers(sample(cached, limit, randomInt), selection.of);
      const shelf = soleShelf(selection);
      if (shelf) return this.#drawFromShelf(shelf, limit, randomInt, selection.of);
      const drawn = await this.#drawAmong(selection, limit, randomInt);
      if (drawn !== 'too few') return drawn;
      const set = await this.#sets.load(selection, caller);
      return set && this.#readNumbers(sample(set, limit, randomInt), selection.of);
    });
  }

  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<SeededImages | FilterProblem> {
    return this.#findInSet(filter, caller, async (set, { of }) => {
      const page = pageInSeedOrder(set, new SeedOrder(seed, of.lastImage), from, limit);
      if (!page) return { problem: 'position' } satisfies FilterProblem;
      const images = await this.#readNumbers(page.images, of);
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
      if (shelf && !this.#sets.cached(selection))
        return this.#newestOnShelf(shelf, below, limit, selection.of);
      const set = await this.#sets.load(selection, caller);
      if (!set) return undefined;
      const { numbers, next } = newestBelow(set, below, limit);
      const images = await this.#readNumbers(numbers, selection.of);
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
      return numbers && this.#readNumbers(numbers, found.selection.of);
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

  /** Calls `read` with the set of all images that qualify, until it finds the catalogue unchanged. */
  #findInSet<T extends object>(
    filter: Filter,
    caller: Caller,
    read: (set: ImageSet, selection: Selection) => Promise<T | FilterProblem | undefined>,
  ): Promise<T | FilterProblem> {
    return retryOnChange(async () => {
      const selection = await this.#reader.select(filter);
      if (!selection || 'problem' in selection) return selection;
      const set = await this.#sets.load(selection, caller);
      return set && read(set, selection);
    });
  }

  /** One statement finds the shelf and reads its images. */
  async #readPage(kind: string, id: string, window: Window): Promise<Page<ImageDocument> | FilterProblem> {
    const { rows } = await this.#servers.read(statements.page, [kind, id, listPositions(window)]);
    const total = rows[0]?.[1] as number | null;
    return total === null ? { problem: 'artist' } : { total, items: readImages(rows, 2) };
  }

  // The following return undefined if the catalogue is no longer of that version.

  async #readNumbers(numbers: number[], { version }: CatalogueVersion): Promise<ImageDocument[] | undefined> {
    const read = await this.#servers.read(statements.documents, [numbers]);
    return read.version === version ? inOrder(numbers, read.rows) : undefined;
  }

  async #drawFromShelf(shelf: Shelf, limit: number, randomInt: RandomInt, { version }: CatalogueVersion) {
    const positions = drawPositions(shelf.size, limit, randomInt);
    const read = await this.#servers.read(statements.documentsAt, [shelf.number, positions]);
    return read.version === version ? inOrder(positions, read.rows) : undefined;
  }

  /** The equivalent of `newestBelow` (catalogue/newest.ts) in one statement. */
  async #newestOnShelf(
    shelf: Shelf,
    below: number | undefined,
    limit: number,
    { version }: CatalogueVersion,
  ): Promise<LatestImages | undefined> {
    const read = await this.#servers.read(statements.newest, [shelf.number, shelf.size, below, limit]);
    if (read.version !== version) return undefined;
    const [, , position, number] = read.rows.at(-1) as [number, string, number | null, number];
    return { images: readImages(read.rows, 1), next: position ? number : undefined };
  }

  /** The equivalent of `drawImages` (shared/draws.ts) in one statement. */
  async #drawAmong(selection: Selection, limit: number, randomInt: RandomInt) {
    if (!isDrawable(selection)) return 'too few';
    const [first, ...others] = selection.choices;
    const numbers = first.shelves.map(({ number }) => number);
    const draws = makeDraws(first, randomInt);
    const required = others.flatMap((choice, index) => choice.shelves.map(({ number }) => [index, number]));
    const read = await this.#servers.read(statements.qualifying, [
      draws.map(({ index }) => numbers[index]),
      draws.map(({ position }) => position),
      required.map(([index]) => index),
      required.map(([, number]) => number),
      others.length,
      selection.excluded.map(({ number }) => number),
      first.mayOverlap ? numbers : [],
      limit,
    ]);
    if (read.version !== selection.of.version) return undefined;
    const images = readImages(read.rows, 1);
    return images.length === limit || isExhaustive(first) ? images : 'too few';
  }
}
