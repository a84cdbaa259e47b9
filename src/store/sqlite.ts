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
  FileFacts,
  Kind,
  NameList,
  Page,
  Statistics,
  Token,
  Window,
} from '../model.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './sqlite-file.ts';
import { SqliteNames } from './sqlite-names.ts';

/** How many draws an intersection of categories may take before it is worked out exactly. */
const MOST_DRAWS = 400;

interface Shelf {
  number: number;
  size: number;
}

export function openCatalogue(path: string): Catalogue {
  openDatabase(path).close();
  return new SqliteCatalogue(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

class SqliteCatalogue implements Catalogue {
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
  readonly #token: StatementSync;
  readonly #entryAt: StatementSync;
  readonly #names: SqliteNames;

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
    this.#token = prepare(
      `select id, owner, purpose, scopes, issued_by as issuedBy, created_at as createdAt, expires
       from token where hash = ? and revoked_at is null`,
    );
    this.#names = new SqliteNames(database);
    this.#entryAt = prepare('select document from shelf where kind = ? and position = ?');
  }

  async statistics(): Promise<Statistics> {
    return this.#read(() => {
      const sizes = new Map(this.#sizes.all().map((row) => [row.id as string, row.size as number]));
      const size = (id: string) => sizes.get(id) ?? 0;
      const count = (kind: Kind) => ({ count: this.#countOf(kind) });
      return {
        images: {
          count: size('all'),
          nsfw: { nsfw: size('nsfw'), questionable: size('questionable'), sfw: size('sfw') },
          orientation: { landscape: size('landscape'), portrait: size('portrait'), square: size('square') },
        },
        artists: count('artist'),
        characters: count('character'),
        categories: count('category'),
      };
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
    return this.#read(() => {
      const found = categories.map((name) => ({
        name,
        shelf: this.#category.get(fold(name)) as Shelf | undefined,
      }));
      const unknownCategories = found.filter(({ shelf }) => !shelf).map(({ name }) => name);
      if (unknownCategories.length > 0) return { unknownCategories };
      const shelves = found.length > 0 ? found.map(({ shelf }) => shelf as Shelf) : [this.#wholeCatalogue()];
      const documents = this.#draw(shelves, limit, chance).map(
        (image) => this.#document.get(image)?.document as string,
      );
      return { documents };
    });
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
      if (version !== this.#names.version()) return undefined;
      return positions.map((position) => this.#entryAt.get(kind, position)?.document as string);
    });
  }

  async one(kind: Kind, id: string): Promise<{ document: string; images: number } | undefined> {
    return this.#entry.get(kind, id) as { document: string; images: number } | undefined;
  }

  async file(image: string): Promise<FileFacts | undefined> {
    return this.#file.get(image) as FileFacts | undefined;
  }

  async token(hash: string): Promise<Token | undefined> {
    const row = this.#token.get(hash);
    return row && ({ ...row, scopes: JSON.parse(row.scopes as string) } as Token);
  }

  async close(): Promise<void> {
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
   * Images that stand on every shelf, uniformly. Positions are drawn on the smallest shelf, and an image is kept when
   * it is on the others too. Where that finds too few, the intersection is worked out and drawn from anew: giving up
   * depends on no particular image, so the result is uniform either way.
   */
  #draw(shelves: Shelf[], limit: number, chance: Chance): number[] {
    const [smallest, ...others] = shelves.toSorted((a, b) => a.size - b.size) as [Shelf, ...Shelf[]];
    const isOnAll = (image: number) => others.every((shelf) => this.#standsOn.get(image, shelf.number));
    const kept: number[] = [];
    let draws = 0;
    for (const position of shuffledPositions(smallest.size, chance)) {
      if (kept.length === limit) return kept;
      if (others.length > 0 && ++draws > MOST_DRAWS)
        return sample(this.#intersection(smallest, others), limit, chance);
      const image = this.#imageAt.get(smallest.number, position)?.image as number;
      if (isOnAll(image)) kept.push(image);
    }
    return kept;
  }

  #intersection(smallest: Shelf, others: Shelf[]): number[] {
    const conditions = others.map(
      () => 'and exists (select 1 from placement where image = p.image and shelf = ?)',
    );
    const statement = this.#database.prepare(
      `select image from placement p where shelf = ? ${conditions.join(' ')} order by image`,
    );
    const rows = statement.all(smallest.number, ...others.map((shelf) => shelf.number));
    return rows.map((row) => row.image as number);
  }
}

function documentsOf(rows: Record<string, unknown>[]): string[] {
  return rows.map((row) => row.document as string);
}
