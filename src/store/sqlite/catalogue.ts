/**
 * Reading the embedded store: what the handlers see. The connection is read-only and every call runs in a read transaction,
 * shared with the other calls of its round, so an import that commits meanwhile is seen whole or not at all. What is kept
 * in memory is of the version that the transaction reads, or is read anew.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type {
  Catalogue,
  FileFacts,
  Filter,
  FilterProblem,
  ListFilter,
  SeededImages,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/image-document.ts';
import { sliceImages } from '../../catalogue/image-set.ts';
import { sample } from '../../catalogue/sampling.ts';
import type { NameList } from '../../catalogue/search/scan.ts';
import type { SeedPosition } from '../../catalogue/seed-order.ts';
import { pageInSeedOrder, SeedOrder } from '../../catalogue/seed-order.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';
import type { RandomInt } from '../../random.ts';
import { drawFrom } from '../shared/draws.ts';
import { NameSearch } from '../shared/name-search.ts';
import { Names } from '../shared/names.ts';
import { onlyShelf } from '../shared/selection.ts';
import { type ShelfRow, type ShelfSnapshot, shelvesIn } from '../shared/shelves.ts';
import type { Slice } from '../shared/slices.ts';
import { statisticsOf } from '../shared/statistics.ts';
import { changedTooOften, MAX_TRIES } from '../shared/versioned.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './database.ts';
import { SqliteImages } from './images.ts';
import { Rounds } from './read-batches.ts';
import { catalogueSchema } from './schema.ts';
import { SqliteSelections } from './selections.ts';
import { prepareAll, type SqliteStatements } from './statements.ts';

/** Names that are read at once: each time takes a turn of the event loop, and must not make it long. */
const NAMES_AT_ONCE = 500;
/** How many pages of lists are kept, of 25 records at most. */
const MAX_PAGES = 500;

export function openCatalogue(path: string): SqliteCatalogue {
  openDatabase(path, catalogueSchema).close();
  return new SqliteCatalogue(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

/** What is kept of one version of the catalogue. */
interface Kept {
  shelves: ShelfSnapshot;
  statistics: Statistics | undefined;
  pages: Map<string, Page>;
}

export class SqliteCatalogue implements Catalogue, Disposable {
  readonly #database: DatabaseSync;
  readonly #statements: SqliteStatements;
  readonly #names: Names;
  readonly #search = new NameSearch();
  readonly #selections: SqliteSelections;
  readonly #images: SqliteImages;
  readonly #rounds = new Rounds(
    () => this.#begin(),
    () => this.#statements.commit.run(),
  );
  #kept: Kept | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareAll(database);
    this.#images = new SqliteImages(this.#statements);
    const { names, members } = this.#statements;
    this.#names = new Names(
      NAMES_AT_ONCE,
      (kind, from, to) => this.#slice(names, kind, from, to),
      () => this.#read(({ shelves }) => shelves.version),
    );
    this.#selections = new SqliteSelections(
      this.#statements,
      (work) => this.#read(({ shelves }) => work(shelves)),
      (shelf, from, to) => this.#slice(members, shelf, from, to),
    );
  }

  statistics(): Promise<Statistics> {
    return this.#read((kept) => {
      kept.statistics ??= this.#readStatistics();
      return kept.statistics;
    });
  }

  image(id: string): Promise<ImageDocument | undefined> {
    return this.#read(() => this.#images.byId(id));
  }

  checkFilter(filter: Filter): Promise<FilterProblem | undefined> {
    return this.#selections.check(filter);
  }

  images(filter: ListFilter, { offset, limit }: Window): Promise<Page<ImageDocument> | FilterProblem> {
    return this.#selections.select(filter, (selection, set) => {
      const shelf = onlyShelf(selection);
      if (shelf) {
        const rows = this.#statements.members.all(shelf.number, offset, offset + limit);
        return { total: shelf.size, items: this.#imagesOf(firstsOf<number>(rows)) };
      }
      return set && { total: set.size, items: this.#imagesOf(sliceImages(set, { offset, limit })) };
    });
  }

  randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
  ): Promise<ImageDocument[] | FilterProblem> {
    return this.#selections.select(filter, (selection, set, moment) => {
      const numbers = set
        ? sample(set, limit, randomInt)
        : drawFrom(selection, limit, randomInt, this.#selections.lookAt(moment));
      return numbers && this.#imagesOf(numbers);
    });
  }

  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
  ): Promise<SeededImages | FilterProblem> {
    return this.#selections.select(filter, (_, set, { lastImage }) => {
      if (!set) return undefined;
      const page = pageInSeedOrder(set, new SeedOrder(seed, lastImage), from, limit);
      if (!page) return { problem: 'position' } satisfies FilterProblem;
      return { images: this.#imagesOf(page.images), next: page.next };
    });
  }

  list(kind: Kind, { offset, limit }: Window): Promise<Page> {
    const key = `${kind} ${offset} ${limit}`;
    return this.#read(({ pages }) => {
      const known = pages.get(key);
      if (known) return known;
      const rows = this.#statements.entries.all(kind, offset, offset + limit);
      const page = { total: this.#countOf(kind), items: firstsOf<string>(rows) };
      if (pages.size < MAX_PAGES) pages.set(key, page);
      return page;
    });
  }

  async search(kind: Kind, pattern: string, { offset, limit }: Window): Promise<Page> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const names = await this.#names.of(kind);
      const positions = await this.#search.find(names, pattern);
      const items = await this.#entriesAt(names, positions.slice(offset, offset + limit));
      if (items) return { total: positions.length, items };
    }
    throw changedTooOften();
  }

  #entriesAt({ kind, version }: NameList, positions: number[]): Promise<string[] | undefined> {
    return this.#read(({ shelves }) => {
      if (version !== shelves.version) return undefined;
      return positions.map(
        (position) => rowOf<[string]>(this.#statements.entryAt.get(kind, position))?.[0] as string,
      );
    });
  }

  one(kind: Kind, id: string): Promise<{ document: string; images: number } | undefined> {
    return this.#read(() => {
      const row = rowOf<[string, number]>(this.#statements.entry.get(kind, id));
      return row && { document: row[0], images: row[1] };
    });
  }

  file(image: string): Promise<FileFacts | undefined> {
    return this.#read(() => {
      const row = rowOf<[string, string, FileFacts['mimetype']]>(this.#statements.file.get(image));
      return row && { key: row[0], eTag: row[1], mimetype: row[2] };
    });
  }

  metrics(): Metric[] {
    return this.#images.metrics();
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #read<T>(work: (kept: Kept) => T): Promise<T> {
    return this.#rounds.read(work);
  }

  /** Begins to read: from here to the commit, the catalogue is what it is now. */
  #begin(): Kept {
    this.#statements.begin.run();
    try {
      const version = this.#version();
      if (this.#kept?.shelves.version !== version) {
        this.#kept = { shelves: this.#readShelves(version), statistics: undefined, pages: new Map() };
        this.#images.forget(this.#kept.shelves.lastImage);
      }
      return this.#kept;
    } catch (error) {
      this.#statements.commit.run();
      throw error;
    }
  }

  #readShelves(version: number): ShelfSnapshot {
    const { lastImage, shelves } = this.#statements;
    const [last] = rowOf<[number | null]>(lastImage.get()) ?? [0];
    return shelvesIn(version, last ?? 0, shelves.all() as unknown as ShelfRow[]);
  }

  #readStatistics(): Statistics {
    const sizes = new Map(this.#statements.sizes.all() as unknown as [string, number][]);
    for (const kind of ['artist', 'category', 'character'] as const) sizes.set(kind, this.#countOf(kind));
    return statisticsOf(sizes);
  }

  #countOf(kind: Kind): number {
    return rowOf<[number | null]>(this.#statements.count.get(kind))?.[0] ?? 0;
  }

  #imagesOf(numbers: number[]): ImageDocument[] {
    return numbers.map((number) => this.#images.byNumber(number));
  }

  /** Some items of a long row. */
  #slice<T>(rows: StatementSync, row: string | number, from: number, to: number): Promise<Slice<T>> {
    return this.#read(({ shelves }) => ({
      version: shelves.version,
      items: firstsOf<T>(rows.all(row, from, to)),
    }));
  }

  /** Changes with every commit of another connection. Inside of a transaction it is the version that is read there. */
  #version(): number {
    return rowOf<[number]>(this.#statements.version.get())?.[0] as number;
  }
}

/** A row as the array that our statements give. */
function rowOf<Row>(row: unknown): Row | undefined {
  return row as Row | undefined;
}

function firstsOf<T>(rows: unknown): T[] {
  return (rows as [T][]).map((row) => row[0]);
}
