/**
 * Reading the embedded store: what the handlers see. The connection is read-only and every call runs in one read
 * transaction, so an import that commits meanwhile is seen whole or not at all.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { fold } from '../catalogue/fold.ts';
import { sample, shuffledPositions } from '../catalogue/sampling.ts';
import type {
  Catalogue,
  Chance,
  Draw,
  Figure,
  FileFacts,
  Kind,
  NameList,
  Page,
  Statistics,
  Window,
} from '../model.ts';
import { Members, type Moment } from './members.ts';
import { Names } from './names.ts';
import { catalogueSchema } from './schema.ts';
import { MOST_DRAWS, type Shelf } from './shelves.ts';
import type { Slice } from './slices.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './sqlite-file.ts';
import { statisticsOf } from './statistics.ts';

/** Images of a shelf that are read at once. */
const MEMBERS_AT_ONCE = 1000;
/** Names that are read at once. */
const NAMES_AT_ONCE = 200;

export function openCatalogue(path: string): Catalogue & Disposable {
  openDatabase(path, catalogueSchema).close();
  return new SqliteCatalogue(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

class SqliteCatalogue implements Catalogue, Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #sizes: StatementSync;
  readonly #count: StatementSync;
  readonly #shelf: StatementSync;
  readonly #category: StatementSync;
  readonly #entries: StatementSync;
  readonly #entry: StatementSync;
  readonly #image: StatementSync;
  readonly #page: StatementSync;
  readonly #imageAt: StatementSync;
  readonly #standsOn: StatementSync;
  readonly #document: StatementSync;
  readonly #file: StatementSync;
  readonly #entryAt: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #lastImage: StatementSync;
  readonly #names: Names;
  readonly #members: Members;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const prepare = (sql: string) => database.prepare(sql);
    this.#begin = prepare('begin');
    this.#commit = prepare('commit');
    this.#sizes = prepare(`select id, size from shelf where kind in ('catalogue', 'rating', 'orientation')`);
    this.#count = prepare('select max(position) + 1 as count from shelf where kind = ?');
    this.#shelf = prepare('select number, size from shelf where kind = ? and id = ?');
    this.#category = prepare(`select number, size from shelf where category = ?`);
    this.#entries = prepare(
      'select document from shelf where kind = ? and position >= ? and position < ? order by position',
    );
    this.#entry = prepare('select document, size as images from shelf where kind = ? and id = ?');
    this.#image = prepare('select document from image where id = ?');
    this.#page = prepare(
      `select document from placement join image on number = image
       where shelf = ? and position >= ? and position < ? order by position`,
    );
    this.#imageAt = prepare('select image from placement where shelf = ? and position = ?');
    this.#standsOn = prepare('select 1 from placement where image = ? and shelf = ?');
    this.#document = prepare('select document from image where number = ?');
    this.#file = prepare('select key, etag as eTag, mimetype from image where id = ?');
    this.#dataVersion = prepare('pragma data_version');
    this.#lastImage = prepare('select max(number) as last from image');
    const names = prepare(
      'select name as item from shelf where kind = ? and position >= ? and position < ? order by position',
    );
    this.#names = new Names(
      NAMES_AT_ONCE,
      async (kind, from, to) => this.#slice(names, kind, from, to),
      () => this.#version(),
    );
    const images = prepare(
      'select image as item from placement where shelf = ? and position >= ? and position < ?',
    );
    this.#members = new Members(MEMBERS_AT_ONCE, async (shelf, from, to) =>
      this.#slice(images, shelf, from, to),
    );
    this.#entryAt = prepare('select document from shelf where kind = ? and position = ?');
  }

  async statistics(): Promise<Statistics> {
    return this.#read(() => {
      const sizes = new Map(this.#sizes.all().map((row) => [row.id as string, row.size as number]));
      for (const kind of ['artist', 'category', 'character'] as const) sizes.set(kind, this.#countOf(kind));
      return statisticsOf(sizes);
    });
  }

  async image(id: string): Promise<string | undefined> {
    return this.#image.get(id)?.document as string | undefined;
  }

  async images(window: Window): Promise<Page> {
    return this.#read(() => this.#pageOf(this.#wholeCatalogue(), window));
  }

  async imagesByArtist(artist: string, window: Window): Promise<Page | undefined> {
    return this.#read(() => {
      const shelf = this.#shelf.get('artist', artist) as Shelf | undefined;
      return shelf && this.#pageOf(shelf, window);
    });
  }

  async randomImages(categories: string[], limit: number, chance: Chance): Promise<Draw> {
    for (;;) {
      const draw = this.#read(() => this.#draw(categories, limit, chance));
      if (!('common' in draw)) return draw;
      const images = await this.#members.ofAll(
        draw.common.map(({ number }) => number),
        draw.moment,
      );
      const documents = this.#read(() => {
        // An import came in between: what was worked out is of a catalogue that is gone.
        if (!images || draw.moment.version !== this.#version()) return undefined;
        return this.#documentsOf(sample(images, limit, chance));
      });
      if (documents) return { documents };
    }
  }

  async list(kind: Kind, { offset, limit }: Window): Promise<Page> {
    return this.#read(() => ({
      total: this.#countOf(kind),
      documents: documentsOf(this.#entries.all(kind, offset, offset + limit)),
    }));
  }

  async names(kind: Kind): Promise<NameList> {
    return this.#names.of(kind);
  }

  async listed({ kind, version }: NameList, positions: number[]): Promise<string[] | undefined> {
    return this.#read(() => {
      if (version !== this.#version()) return undefined;
      return positions.map((position) => this.#entryAt.get(kind, position)?.document as string);
    });
  }

  async one(kind: Kind, id: string): Promise<{ document: string; images: number } | undefined> {
    return this.#entry.get(kind, id) as { document: string; images: number } | undefined;
  }

  async file(image: string): Promise<FileFacts | undefined> {
    return this.#file.get(image) as FileFacts | undefined;
  }

  figures(): Figure[] {
    return [];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Runs the reads of one answer on one moment of the catalogue. */
  #read<T>(work: () => T): T {
    this.#begin.run();
    try {
      return work();
    } finally {
      this.#commit.run();
    }
  }

  #wholeCatalogue(): Shelf {
    return this.#shelf.get('catalogue', 'all') as unknown as Shelf;
  }

  #countOf(kind: Kind): number {
    return Number(this.#count.get(kind)?.count ?? 0);
  }

  #pageOf(shelf: Shelf, { offset, limit }: Window): Page {
    return {
      total: shelf.size,
      documents: documentsOf(this.#page.all(shelf.number, offset, offset + limit)),
    };
  }

  /**
   * Images that stand on the shelf of each category, uniformly. Positions are drawn on the smallest shelf, and an image is
   * kept when it is on the others too. Where that finds too few, `common` asks for a draw from what the shelves have in
   * common: giving up depends on no particular image, so the result is uniform either way.
   */
  #draw(categories: string[], limit: number, chance: Chance): Draw | { common: Shelf[]; moment: Moment } {
    const found = new Map<number, Shelf>();
    const unknownCategories: string[] = [];
    for (const name of categories) {
      const shelf = this.#category.get(fold(name)) as Shelf | undefined;
      if (shelf) found.set(shelf.number, shelf);
      else unknownCategories.push(name);
    }
    if (unknownCategories.length > 0) return { unknownCategories };
    if (found.size === 0) found.set(0, this.#wholeCatalogue());
    const shelves = [...found.values()].sort((a, b) => a.size - b.size);
    const [smallest, ...others] = shelves as [Shelf, ...Shelf[]];
    const images: number[] = [];
    let draws = 0;
    for (const position of shuffledPositions(smallest.size, chance)) {
      if (images.length === limit) break;
      if (others.length > 0 && ++draws > MOST_DRAWS) return { common: shelves, moment: this.#moment() };
      const image = this.#imageAt.get(smallest.number, position)?.image as number;
      if (others.every((shelf) => this.#standsOn.get(image, shelf.number))) images.push(image);
    }
    return { documents: this.#documentsOf(images) };
  }

  #documentsOf(images: number[]): string[] {
    return images.map((image) => this.#document.get(image)?.document as string);
  }

  #moment(): Moment {
    return { version: this.#version(), lastImage: Number(this.#lastImage.get()?.last ?? 0) };
  }

  /** Some items of a long row. */
  #slice<T>(rows: StatementSync, row: string | number, from: number, to: number): Slice<T> {
    return this.#read(() => ({
      version: this.#version(),
      items: rows.all(row, from, to).map(({ item }) => item as T),
    }));
  }

  /** Changes with every commit of another connection. Inside of a transaction it is the version that is read there. */
  #version(): number {
    return this.#dataVersion.get()?.data_version as number;
  }
}

function documentsOf(rows: Record<string, unknown>[]): string[] {
  return rows.map((row) => row.document as string);
}
