/**
 * Reading the catalogue from PostgreSQL: what the handlers see. Each call is one statement, so it answers from one moment.
 * What a call needs beforehand (sizes of shelves, names) is kept in memory with the revision that it is of, and the
 * statement's own revision tells whether that was still true; if not, it is read anew and the call is made again.
 */
import { fold } from '../catalogue/fold.ts';
import { LinkableDocument } from '../catalogue/linkable.ts';
import { drawPositions, sample, shuffledPositions } from '../catalogue/sampling.ts';
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
import { MOST_TRIES, tooRestless } from './kept.ts';
import { Members } from './members.ts';
import { Names } from './names.ts';
import { Directory } from './postgres-directory.ts';
import type { Servers, Statement } from './postgres-servers.ts';
import { statements } from './postgres-statements.ts';
import { MOST_DRAWS, type Shelf } from './shelves.ts';
import { statisticsOf } from './statistics.ts';

/** Images of a shelf, or names, that are read at once: a round trip for fewer would take longer than they do. */
const READ_AT_ONCE = 5000;

export class PostgresCatalogue implements Catalogue {
  readonly #servers: Servers;
  readonly #directory: Directory;
  readonly #names: Names;
  readonly #members: Members;

  constructor(servers: Servers) {
    this.#servers = servers;
    this.#directory = new Directory(servers);
    this.#names = new Names(
      READ_AT_ONCE,
      async (kind, from, to) => this.#slice(statements.names, [kind, from, to]),
      () => servers.revision,
    );
    this.#members = new Members(READ_AT_ONCE, async (shelf, from, to) =>
      this.#slice(statements.members, [shelf, from, to]),
    );
  }

  /** A change was announced: what draws need is read anew before anyone asks. */
  onRevision(revision: number): void {
    this.#servers.hearOf(revision);
    this.#directory.current().catch(() => {});
  }

  async statistics(): Promise<Statistics> {
    const { rows } = await this.#servers.read(statements.statistics, []);
    return statisticsOf(new Map(rows.map(([, id, size]) => [id as string, size as number])));
  }

  async image(id: string): Promise<Linkable | undefined> {
    const { rows } = await this.#servers.read(statements.image, [id]);
    return imagesIn(rows, 1)[0];
  }

  async images(window: Window): Promise<Page<Linkable>> {
    return (await this.#page('catalogue', 'all', window)) as Page<Linkable>;
  }

  imagesByArtist(artist: string, window: Window): Promise<Page<Linkable> | undefined> {
    return this.#page('artist', artist, window);
  }

  async randomImages(categories: string[], limit: number, chance: Chance): Promise<Draw> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const directory = await this.#directory.current();
      const folded = [...new Set(categories.map(fold))];
      const unknown = categories.filter((name) => !directory.categories.has(fold(name)));
      // Only a fresh look can tell that there is no such category: it may have come with an import just now.
      if (unknown.length > 0 && (await this.#directory.isCurrent(directory)))
        return { unknownCategories: unknown };
      if (unknown.length > 0) continue;
      const shelves = folded
        .map((name) => directory.categories.get(name) as Shelf)
        .sort((a, b) => a.size - b.size);
      const [smallest = directory.all, ...others] = shelves;
      const images =
        others.length === 0
          ? await this.#drawFrom(smallest, limit, chance, directory.version)
          : ((await this.#drawFromAll(smallest, others, limit, chance, directory.version)) ??
            (await this.#drawCommon(shelves, limit, chance, directory)));
      if (images) return { images };
    }
    throw tooRestless();
  }

  async list(kind: Kind, window: Window): Promise<Page> {
    const { rows } = await this.#servers.read(statements.list, [kind, positionsIn(window)]);
    return { total: totalIn(rows), items: documentsIn(rows, 2) };
  }

  names(kind: Kind): Promise<NameList> {
    return this.#names.of(kind);
  }

  async listed({ kind, version }: NameList, positions: number[]): Promise<string[] | undefined> {
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

  figures(): Figure[] {
    return this.#servers.figures();
  }

  trouble(): string | undefined {
    return this.#servers.trouble();
  }

  async #page(kind: string, id: string, window: Window): Promise<Page<Linkable> | undefined> {
    const { rows } = await this.#servers.read(statements.page, [kind, id, positionsIn(window)]);
    return rows[0]?.[1] === null ? undefined : { total: totalIn(rows), items: imagesIn(rows, 2) };
  }

  /** Undefined when the catalogue is no longer of this version; so with the next two. */
  async #drawFrom({ number, size }: Shelf, limit: number, chance: Chance, version: number) {
    const positions = drawPositions(size, limit, chance);
    const read = await this.#servers.read(statements.standing, [number, positions]);
    return read.version === version ? inOrder(positions, read.rows) : undefined;
  }

  /** Undefined, too, when too few are found: giving up depends on no particular image, so the result is uniform. */
  async #drawFromAll(smallest: Shelf, others: Shelf[], limit: number, chance: Chance, version: number) {
    const positions = shuffledPositions(smallest.size, chance).take(MOST_DRAWS).toArray();
    const numbers = others.map(({ number }) => number);
    const read = await this.#servers.read(statements.standingOnAll, [
      smallest.number,
      positions,
      numbers,
      limit,
    ]);
    if (read.version !== version) return undefined;
    const images = imagesIn(read.rows, 1);
    return images.length === limit || positions.length === smallest.size ? images : undefined;
  }

  async #drawCommon(
    shelves: Shelf[],
    limit: number,
    chance: Chance,
    directory: { version: number; lastImage: number },
  ) {
    const members = await this.#members.ofAll(shelves, directory);
    if (!members) return undefined;
    const chosen = sample(members, limit, chance);
    const read = await this.#servers.read(statements.documents, [chosen]);
    return read.version === directory.version ? inOrder(chosen, read.rows) : undefined;
  }

  /** Some items of a long row, each in the second column. */
  async #slice<T>(statement: Statement, values: unknown[]): Promise<{ version: number; items: T[] }> {
    const { version, rows } = await this.#servers.read(statement, values);
    return { version, items: rows.filter((row) => row[1] !== null).map((row) => row[1] as T) };
  }
}

function positionsIn({ offset, limit }: Window): number[] {
  // What lies beyond the largest number that a position can be does not exist.
  return Array.from({ length: limit }, (_, index) => offset + index).filter((position) => position < 2 ** 31);
}

/** Of rows with a total in the second column. */
function totalIn(rows: unknown[][]): number {
  return rows[0]?.[1] as number;
}

function imagesIn(rows: unknown[][], column: number): Linkable[] {
  return documentsIn(rows, column).map((document) => new LinkableDocument(document));
}

/** The documents in a column, which is null where there is none. */
function documentsIn(rows: unknown[][], column: number): string[] {
  return rows.map((row) => row[column] as string | null).filter((document) => document !== null);
}

/** The images of rows with a number and a document, in the order of the numbers. */
function inOrder(numbers: number[], rows: unknown[][]): Linkable[] {
  const documents = new Map(rows.map(([, number, document]) => [number as number, document as string]));
  return numbers.map((number) => new LinkableDocument(documents.get(number) as string));
}
