/**
 * Reading the embedded store: what the handlers see. The connection is read-only and every call runs in a read transaction,
 * shared with the other calls of its round, so an import that commits meanwhile is seen whole or not at all. What is kept
 * in memory is of the version that the transaction reads, or is read anew.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { hasBit } from '../catalogue/bits.ts';
import { sample } from '../catalogue/sampling.ts';
import type {
  Catalogue,
  Chance,
  Draw,
  Figure,
  FileFacts,
  Kind,
  Linkable,
  NameList,
  Page,
  Statistics,
  Window,
} from '../model.ts';
import { drawFrom, shelvesNamed } from './draws.ts';
import { MOST_TRIES, tooRestless } from './kept.ts';
import { Members } from './members.ts';
import { Names } from './names.ts';
import { Rounds } from './rounds.ts';
import { catalogueSchema } from './schema.ts';
import { type Shelf, type Shelves, shelvesIn } from './shelves.ts';
import type { Slice } from './slices.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './sqlite-file.ts';
import { SqliteImages } from './sqlite-images.ts';
import { prepareAll, type SqliteStatements } from './sqlite-statements.ts';
import { statisticsOf } from './statistics.ts';

/** Images of a shelf that are read at once: each time takes a turn of the event loop, and must not make it long. */
const MEMBERS_AT_ONCE = 8000;
/** Names that are read at once, for the same reason. */
const NAMES_AT_ONCE = 500;
/** How many pages of lists are kept, of 25 records at most. */
const MOST_PAGES = 500;

export function openCatalogue(path: string): Catalogue & Disposable {
  openDatabase(path, catalogueSchema).close();
  return new SqliteCatalogue(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

/** What is kept of one version of the catalogue. */
interface Kept {
  shelves: Shelves;
  statistics: Statistics | undefined;
  pages: Map<string, Page>;
}

class SqliteCatalogue implements Catalogue, Disposable {
  readonly #database: DatabaseSync;
  readonly #statements: SqliteStatements;
  readonly #names: Names;
  readonly #members: Members;
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
    this.#members = new Members(MEMBERS_AT_ONCE, (shelf, from, to) => this.#slice(members, shelf, from, to));
  }

  statistics(): Promise<Statistics> {
    return this.#read((kept) => {
      kept.statistics ??= this.#readStatistics();
      return kept.statistics;
    });
  }

  image(id: string): Promise<Linkable | undefined> {
    return this.#read(() => this.#images.byId(id));
  }

  images(window: Window): Promise<Page<Linkable>> {
    return this.#read(({ shelves }) => this.#pageOf(shelves.all, window));
  }

  imagesByArtist(artist: string, window: Window): Promise<Page<Linkable> | undefined> {
    return this.#read(() => {
      const row = rowOf<[number, number]>(this.#statements.shelf.get('artist', artist));
      return row && this.#pageOf({ number: row[0], size: row[1] }, window);
    });
  }

  async randomImages(categories: string[], limit: number, chance: Chance): Promise<Draw> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const draw = await this.#read(({ shelves }) => this.#draw(shelves, categories, limit, chance));
      if (!('common' in draw)) return draw;
      const { common, moment } = draw;
      const members = await this.#members.ofAll(common, moment);
      const images = await this.#read(({ shelves }) => {
        // An import came in between: what was worked out is of a catalogue that is gone.
        if (!members || moment.version !== shelves.version) return undefined;
        return this.#imagesOf(sample(members, limit, chance));
      });
      if (images) return { images };
    }
    throw tooRestless();
  }

  list(kind: Kind, { offset, limit }: Window): Promise<Page> {
    const key = `${kind} ${offset} ${limit}`;
    return this.#read(({ pages }) => {
      const known = pages.get(key);
      if (known) return known;
      const rows = this.#statements.entries.all(kind, offset, offset + limit);
      const page = { total: this.#countOf(kind), items: firstsOf<string>(rows) };
      if (pages.size < MOST_PAGES) pages.set(key, page);
      return page;
    });
  }

  names(kind: Kind): Promise<NameList> {
    return this.#names.of(kind);
  }

  listed({ kind, version }: NameList, positions: number[]): Promise<string[] | undefined> {
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

  figures(): Figure[] {
    return this.#images.figures();
  }

  trouble(): undefined {
    return undefined;
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

  #readShelves(version: number): Shelves {
    const { lastImage, categories } = this.#statements;
    const [last] = rowOf<[number | null]>(lastImage.get()) ?? [0];
    return shelvesIn(version, last ?? 0, categories.all() as unknown as [string | null, number, number][]);
  }

  #readStatistics(): Statistics {
    const sizes = new Map(this.#statements.sizes.all() as unknown as [string, number][]);
    for (const kind of ['artist', 'category', 'character'] as const) sizes.set(kind, this.#countOf(kind));
    return statisticsOf(sizes);
  }

  #countOf(kind: Kind): number {
    return rowOf<[number | null]>(this.#statements.count.get(kind))?.[0] ?? 0;
  }

  #pageOf(shelf: Shelf, { offset, limit }: Window): Page<Linkable> {
    const rows = this.#statements.members.all(shelf.number, offset, offset + limit);
    return { total: shelf.size, items: this.#imagesOf(firstsOf<number>(rows)) };
  }

  /** A draw, or the shelves that what they have `common` is to be drawn from. */
  #draw(
    moment: Shelves,
    categories: string[],
    limit: number,
    chance: Chance,
  ): Draw | { common: Shelf[]; moment: Shelves } {
    const named = shelvesNamed(moment, categories);
    if ('unknownCategories' in named) return named;
    const [first = moment.all, ...others] = named.shelves;
    const numbers = drawFrom([first, ...others], limit, chance, {
      finder: (shelf) => this.#finder(shelf, moment),
      tester: (shelf) => this.#tester(shelf, moment),
    });
    return numbers ? { images: this.#imagesOf(numbers) } : { common: named.shelves, moment };
  }

  /** Gives the image at a position of a shelf: from memory, or from the database until it is there. */
  #finder(shelf: Shelf, moment: Shelves): (position: number) => number {
    const known = this.#members.known(shelf, moment);
    if (known) return (position) => known.images[position] as number;
    return (position) => rowOf<[number]>(this.#statements.imageAt.get(shelf.number, position))?.[0] as number;
  }

  #tester(shelf: Shelf, moment: Shelves): (image: number) => boolean {
    const known = this.#members.known(shelf, moment);
    if (known) return (image) => hasBit(known.bits, image);
    return (image) => this.#statements.standsOn.get(image, shelf.number) !== undefined;
  }

  #imagesOf(numbers: number[]): Linkable[] {
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
