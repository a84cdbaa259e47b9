/**
 * Reading the catalogue from PostgreSQL: what the handlers see. Each call is one statement, so it answers from one moment.
 * What a call needs beforehand (sizes of shelves, names) is kept in memory with the revision that it is of, and the
 * statement's own revision tells whether that was still true; if not, it is read anew and the call is made again.
 */

import type {
  Catalogue,
  FileFacts,
  Filter,
  FilterProblem,
  ListFilter,
  SeededImages,
} from '../../catalogue/catalogue.ts';
import { ImageDocument } from '../../catalogue/image-document.ts';
import { type ImageSet, imagesFrom } from '../../catalogue/image-set.ts';
import { drawPositions, sample } from '../../catalogue/sampling.ts';
import type { NameList } from '../../catalogue/search/scan.ts';
import type { SeedPosition } from '../../catalogue/seed-order.ts';
import { SeedOrder, seededNumbers } from '../../catalogue/seed-order.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import type { RandomInt } from '../../random.ts';
import { drawPlaces, isEverything, isForDrawing } from '../shared/draws.ts';
import { NameSearch } from '../shared/name-search.ts';
import { Names } from '../shared/names.ts';
import { onlyShelf, type Selection } from '../shared/selection.ts';
import type { CatalogueVersion, Shelf } from '../shared/shelves.ts';
import { statisticsOf } from '../shared/statistics.ts';
import { changedTooOften, MAX_TRIES } from '../shared/versioned.ts';
import { PostgresSelections } from './selections.ts';
import type { Servers, Statement } from './servers.ts';
import { statements } from './statements.ts';

/** Names that are read at once: a round trip for fewer would take longer than they do. */
const NAMES_AT_ONCE = 5000;

export class PostgresCatalogue implements Catalogue {
  readonly #servers: Servers;
  readonly #names: Names;
  readonly #search = new NameSearch();
  readonly #selections: PostgresSelections;

  constructor(servers: Servers) {
    this.#servers = servers;
    this.#names = new Names(
      NAMES_AT_ONCE,
      async (kind, from, to) => this.#slice(statements.names, [kind, from, to]),
      () => servers.revision,
    );
    this.#selections = new PostgresSelections(servers, (shelf, from, to) =>
      this.#slice(statements.members, [shelf, from, to]),
    );
  }

  /** A change was announced: what draws need is read anew before anyone asks. */
  onRevision(revision: number): void {
    this.#servers.noteRevision(revision);
    this.#selections.refresh().catch(() => {});
  }

  async statistics(): Promise<Statistics> {
    const { rows } = await this.#servers.read(statements.statistics, []);
    return statisticsOf(new Map(rows.map(([, id, size]) => [id as string, size as number])));
  }

  async image(id: string): Promise<ImageDocument | undefined> {
    const { rows } = await this.#servers.read(statements.image, [id]);
    return imagesIn(rows, 1)[0];
  }

  checkFilter(filter: Filter): Promise<FilterProblem | undefined> {
    return this.#selections.check(filter);
  }

  async images(filter: ListFilter, window: Window): Promise<Page<ImageDocument> | FilterProblem> {
    const shelf = namedShelf(filter);
    if (shelf) return (await this.#page(shelf.kind, shelf.id, window)) ?? { problem: 'artist' };
    return this.#selections.select(filter, async (selection, moment) => {
      const set = await this.#selections.all(selection, moment);
      const items = set && (await this.#numbered(imagesFrom(set, window), moment));
      return items && { total: set.size, items };
    });
  }

  randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
  ): Promise<ImageDocument[] | FilterProblem> {
    return this.#selections.select(filter, async (selection, moment) => {
      const fromSet = async (set: ImageSet | undefined) =>
        set && this.#numbered(sample(set, limit, randomInt), moment);
      const known = this.#selections.known(selection, moment);
      if (known) return fromSet(known);
      const shelf = onlyShelf(selection);
      if (shelf) return this.#drawFrom(shelf, limit, randomInt, moment);
      const drawn = await this.#drawAmong(selection, limit, randomInt, moment);
      return drawn === 'too few' ? fromSet(await this.#selections.all(selection, moment)) : drawn;
    });
  }

  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
  ): Promise<SeededImages | FilterProblem> {
    return this.#selections.select(filter, async (selection, moment) => {
      const set = await this.#selections.all(selection, moment);
      if (!set) return undefined;
      const page = seededNumbers(set, new SeedOrder(seed, moment.lastImage), from, limit);
      if (!page) return { problem: 'position' } satisfies FilterProblem;
      const images = await this.#numbered(page.images, moment);
      return images && { images, next: page.next };
    });
  }

  async list(kind: Kind, window: Window): Promise<Page> {
    const { rows } = await this.#servers.read(statements.list, [kind, positionsIn(window)]);
    return { total: totalIn(rows), items: documentsIn(rows, 2) };
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

  async #entriesAt({ kind, version }: NameList, positions: number[]): Promise<string[] | undefined> {
    const read = await this.#servers.read(statements.entries, [kind, positions]);
    return read.version === version ? documentsIn(read.rows, 1) : undefined;
  }

  async one(kind: Kind, id: string): Promise<{ document: string; images: number } | undefined> {
    const { rows } = await this.#servers.read(statements.entry, [kind, id]);
    const [, document, images] = rows[0] as [number, string | null, number];
    return document === null ? undefined : { document, images };
  }

  async file(image: string): Promise<FileFacts | undefined> {
    const { rows } = await this.#servers.read(statements.file, [image]);
    const [, key, eTag, mimetype] = rows[0] as [number, string | null, string, FileFacts['mimetype']];
    return key === null ? undefined : { key, eTag, mimetype };
  }

  async #page(kind: string, id: string, window: Window): Promise<Page<ImageDocument> | undefined> {
    const { rows } = await this.#servers.read(statements.page, [kind, id, positionsIn(window)]);
    return rows[0]?.[1] === null ? undefined : { total: totalIn(rows), items: imagesIn(rows, 2) };
  }

  /** Undefined when the catalogue is no longer the one of that moment; so with the next two. */
  async #numbered(numbers: number[], { version }: CatalogueVersion): Promise<ImageDocument[] | undefined> {
    const read = await this.#servers.read(statements.documents, [numbers]);
    return read.version === version ? inOrder(numbers, read.rows) : undefined;
  }

  async #drawFrom(
    { number, size }: Shelf,
    limit: number,
    randomInt: RandomInt,
    { version }: CatalogueVersion,
  ) {
    const positions = drawPositions(size, limit, randomInt);
    const read = await this.#servers.read(statements.standing, [number, positions]);
    return read.version === version ? inOrder(positions, read.rows) : undefined;
  }

  /** As `drawFrom` of draws.ts does it, in one statement. */
  async #drawAmong(selection: Selection, limit: number, randomInt: RandomInt, { version }: CatalogueVersion) {
    if (!isForDrawing(selection)) return 'too few';
    const [first, ...others] = selection.choices;
    const numbers = first.shelves.map(({ number }) => number);
    const places = [...drawPlaces(first, randomInt)];
    const shelves = others.flatMap((choice, index) => choice.shelves.map(({ number }) => [index, number]));
    const read = await this.#servers.read(statements.qualifying, [
      places.map(({ index }) => numbers[index]),
      places.map(({ position }) => position),
      shelves.map(([index]) => index),
      shelves.map(([, number]) => number),
      others.length,
      selection.none.map(({ number }) => number),
      first.mayOverlap ? numbers : [],
      limit,
    ]);
    if (read.version !== version) return undefined;
    const images = imagesIn(read.rows, 1);
    return images.length === limit || isEverything(first) ? images : 'too few';
  }

  /** Some items of a long row, each in the second column. */
  async #slice<T>(statement: Statement, values: unknown[]): Promise<{ version: number; items: T[] }> {
    const { version, rows } = await this.#servers.read(statement, values);
    return { version, items: rows.filter((row) => row[1] !== null).map((row) => row[1] as T) };
  }
}

/** The shelf that alone answers a filter, by its kind and id: one statement finds it and what is on it. */
function namedShelf(filter: ListFilter): { kind: string; id: string } | undefined {
  const { artist, nsfw = [], orientation = [] } = filter;
  const named = [
    ...(artist === undefined ? [] : [{ kind: 'artist', id: artist }]),
    ...nsfw.map((id) => ({ kind: 'rating', id })),
    ...orientation.map((id) => ({ kind: 'orientation', id })),
  ];
  return named.length > 1 ? undefined : (named[0] ?? { kind: 'catalogue', id: 'all' });
}

function positionsIn({ offset, limit }: Window): number[] {
  // What lies beyond the largest number that a position can be does not exist.
  return Array.from({ length: limit }, (_, index) => offset + index).filter((position) => position < 2 ** 31);
}

/** Of rows with a total in the second column. */
function totalIn(rows: unknown[][]): number {
  return rows[0]?.[1] as number;
}

function imagesIn(rows: unknown[][], column: number): ImageDocument[] {
  return documentsIn(rows, column).map((document) => new ImageDocument(document));
}

/** The documents in a column, which is null where there is none. */
function documentsIn(rows: unknown[][], column: number): string[] {
  return rows.map((row) => row[column] as string | null).filter((document) => document !== null);
}

/** The images of rows with a number and a document, in the order of the numbers. */
function inOrder(numbers: number[], rows: unknown[][]): ImageDocument[] {
  const documents = new Map(rows.map(([, number, document]) => [number as number, document as string]));
  return numbers.map((number) => new ImageDocument(documents.get(number) as string));
}
