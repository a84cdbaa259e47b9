/**
 * The embedded catalogue as handlers read it. A filter goes in a line: filter, selection (pure, against the shelves of one
 * version), image numbers, documents. All of it runs in one read transaction; only a set of images that is not cached yet is
 * loaded before, in slices.
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
import { drawImages, type ShelfView } from '../shared/draws.ts';
import { ImageSets } from '../shared/image-sets.ts';
import { NameSearch } from '../shared/name-search.ts';
import { type Selection, selectShelves, soleShelf } from '../shared/selection.ts';
import type { Shelf } from '../shared/shelves.ts';
import { SimilarImages } from '../shared/similar-images.ts';
import { retryOnChange } from '../shared/versions.ts';
import { readEntriesAt, readEntry, readPage, readStatistics } from './entries.ts';
import { Images } from './images.ts';
import { openForReading } from './read-only.ts';
import { type ReadTransaction, readEntryShelves, SqliteReader, viewStoredShelf } from './reader.ts';
import { catalogueSchema } from './schema.ts';
import { firstColumn, rowOf } from './statements.ts';

export class SqliteCatalogue implements Catalogue, Disposable {
  readonly #reader: SqliteReader;
  readonly #images: Images;
  readonly #sets: ImageSets;
  readonly #search: NameSearch;
  readonly #similar: SimilarImages;

  constructor(path: string, documents: ArrayBufferLike = noDocumentMemory(), tuning = defaultTuning) {
    this.#reader = new SqliteReader(openForReading(path, catalogueSchema), tuning);
    this.#images = new Images(documents, tuning);
    this.#sets = new ImageSets(this.#reader, tuning);
    this.#search = new NameSearch(this.#reader, tuning);
    this.#similar = new SimilarImages(this.#reader, this.#sets, tuning);
  }

  statistics(): Promise<Statistics> {
    return this.#reader.read((transaction) => {
      transaction.statistics ??= readStatistics(transaction);
      return transaction.statistics;
    });
  }

  image(id: string): Promise<ImageDocument | undefined> {
    return this.#reader.read((transaction) => this.#images.byId(transaction, id));
  }

  checkFilter(filter: Filter): Promise<FilterProblem | undefined> {
    return this.#reader.read((transaction) => {
      const selection = select(transaction, filter);
      return 'problem' in selection ? selection : undefined;
    });
  }

  async images(
    filter: ListFilter,
    { offset, limit }: Window,
    caller: Caller,
  ): Promise<Page<ImageDocument> | FilterProblem> {
    const page = await this.#reader.read((transaction) => {
      const selection = select(transaction, filter);
      if ('problem' in selection) return selection;
      const shelf = soleShelf(selection);
      if (!shelf) return undefined;
      const rows = transaction.statements.shelfImages.all(shelf.number, offset, offset + limit);
      return { total: shelf.size, items: this.#images.byNumbers(transaction, firstColumn(rows)) };
    });
    if (page) return page;
    const found = await this.#findInSet(filter, caller, (set) => ({
      total: set.size,
      numbers: sliceImages(set, { offset, limit }),
    }));
    return 'problem' in found ? found : { total: found.total, items: found.images };
  }

  async randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    const drawn = await this.#reader.read((transaction) => {
      const selection = select(transaction, filter);
      if ('problem' in selection) return selection;
      const set = this.#sets.cached(selection);
      const view = (shelf: Shelf) => this.#viewShelf(transaction, shelf);
      const numbers = set ? sample(set, limit, randomInt) : drawImages(selection, view, limit, randomInt);
      return numbers && this.#images.byNumbers(transaction, numbers);
    });
    if (drawn) return drawn;
    const found = await this.#findInSet(filter, caller, (set) => ({
      numbers: sample(set, limit, randomInt),
    }));
    return 'problem' in found ? found : found.images;
  }

  async seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<SeededImages | FilterProblem> {
    return this.#findInSet(filter, caller, (set, { of }) => {
      const page = pageInSeedOrder(set, new SeedOrder(seed, of.lastImage), from, limit);
      return page ? { numbers: page.images, next: page.next } : { problem: 'position' };
    });
  }

  async latestImages(
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Promise<LatestImages | FilterProblem> {
    const page = await this.#reader.read((transaction) => {
      const selection = select(transaction, filter);
      if ('problem' in selection) return selection;
      const shelf = soleShelf(selection);
      if (!shelf) return undefined;
      const images = this.#sets.cached(selection) ?? viewStoredShelf(transaction, shelf);
      const { numbers, next } = newestBelow(images, below, limit);
      return { images: this.#images.byNumbers(transaction, numbers), next };
    });
    return page ?? this.#findInSet(filter, caller, (set) => newestBelow(set, below, limit));
  }

  similarImages(
    id: string,
    filter: ListFilter,
    limit: number,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    return retryOnChange(async () => {
      const asked = await this.#reader.read((transaction) => {
        const image = this.#images.numberOf(transaction, id);
        return image === undefined ? undefined : { image, selection: select(transaction, filter) };
      });
      if (!asked) return { problem: 'image' } satisfies FilterProblem;
      const { image, selection } = asked;
      if ('problem' in selection) return selection;
      const numbers = await this.#similar.find(image, selection, limit, caller);
      return this.#reader.read((transaction) => {
        const isCurrent = transaction.snapshot.version === selection.of.version;
        return isCurrent && numbers ? this.#images.byNumbers(transaction, numbers) : undefined;
      });
    });
  }

  list(kind: Kind, window: Window, hasCovers = false): Promise<Page<EntryDetails>> {
    return this.#reader.read((transaction) => readPage(transaction, kind, window, this.#coversIf(hasCovers)));
  }

  search(kind: Kind, pattern: string, { offset, limit }: Window, caller: Caller, hasCovers = false) {
    return retryOnChange(async () => {
      const { version, positions } = await this.#search.find(kind, pattern, caller);
      return this.#reader.read((transaction) => {
        if (transaction.snapshot.version !== version) return undefined;
        const page = positions.slice(offset, offset + limit);
        const items = readEntriesAt(transaction, kind, page, this.#coversIf(hasCovers));
        return { total: positions.length, items };
      });
    });
  }

  one(kind: Kind, id: string, hasCover = false): Promise<EntryDetails | undefined> {
    return this.#reader.read((transaction) => readEntry(transaction, kind, id, this.#coversIf(hasCover)));
  }

  file(image: string): Promise<FileFacts | undefined> {
    return this.#reader.read(({ statements }) => {
      const row = rowOf<[string, string, FileFacts['mimetype']]>(statements.file.get(image));
      return row && { key: row[0], eTag: row[1], mimetype: row[2] };
    });
  }

  async verify(): Promise<void> {
    await this.#reader.read((transaction) => this.#images.verifyNext(transaction));
    if (this.#reader.damage) throw this.#reader.damage;
  }

  metrics(): Metric[] {
    return this.#images.metrics();
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  /** Picks numbers from the set of all images that qualify, and reads their documents from the same version. */
  #findInSet<T extends object>(
    filter: Filter,
    caller: Caller,
    pick: (set: ImageSet, selection: Selection) => ({ numbers: number[] } & T) | FilterProblem,
  ): Promise<({ images: ImageDocument[] } & T) | FilterProblem> {
    let loaded: { set: ImageSet | undefined; version: number } | undefined;
    return retryOnChange(async () => {
      const found = await this.#reader.read((transaction) => {
        const selection = select(transaction, filter);
        if ('problem' in selection) return selection;
        const isLoaded = loaded?.version === selection.of.version;
        const set = isLoaded ? loaded?.set : this.#sets.cached(selection);
        if (!set) return { selection };
        const picked = pick(set, selection);
        if ('problem' in picked) return picked;
        return { ...picked, images: this.#images.byNumbers(transaction, picked.numbers) };
      });
      if (!('selection' in found)) return found;
      const { selection } = found;
      loaded = { set: await this.#sets.load(selection, caller), version: selection.of.version };
      return undefined;
    });
  }

  #coversIf(hasCovers: boolean): Images | undefined {
    return hasCovers ? this.#images : undefined;
  }

  /** From memory, or from the database until the shelf is loaded. */
  #viewShelf(transaction: ReadTransaction, shelf: Shelf): ShelfView {
    return this.#sets.prefetchShelf(shelf, transaction.snapshot) ?? viewStoredShelf(transaction, shelf);
  }
}

function select(transaction: ReadTransaction, filter: Filter): Selection | FilterProblem {
  return selectShelves(transaction.snapshot, filter, readEntryShelves(transaction, filter));
}
