/**
 * Reads the embedded database in read transactions. All reads requested in one tick of the event loop run one after the
 * other in one transaction, which begins after the last of them was requested: nobody gets a result older than their
 * request, and a transaction per read would cost more than most reads.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EntryDetails } from '../../catalogue/catalogue.ts';
import type { OrderedImages } from '../../catalogue/newest.ts';
import type { Kind, Page, Statistics } from '../../catalogue/types.ts';
import { batchPerTick } from '../../event-loop.ts';
import { defaultTuning, type Tuning } from '../../tuning.ts';
import type { ShelfView } from '../shared/draws.ts';
import type { EntryShelves } from '../shared/selection.ts';
import { buildSnapshot, type Shelf, type ShelfRow, type ShelfSnapshot } from '../shared/shelves.ts';
import type { HashSlice, Slice, SliceReader } from '../shared/slices.ts';
import { firstColumn, prepareStatements, rowOf, type Statements } from './statements.ts';
import { isDamage } from './verification.ts';

/** An artist, character or category, and the number of the image that is its cover. */
export interface StoredEntry extends EntryDetails {
  coverNumber: number | null;
}

/** The catalogue at one version. Valid inside `read` only. */
export interface ReadTransaction {
  readonly statements: Statements;
  readonly snapshot: ShelfSnapshot;
  /** The number of the last change to a document. The same in all connections, unlike the version. */
  readonly documentRevision: number;
  /** Cached for as long as the version stays the same. */
  statistics: Statistics | undefined;
  readonly pages: Map<string, Page<StoredEntry>>;
}

interface PendingRead {
  work: (transaction: ReadTransaction) => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

export class SqliteReader implements SliceReader, Disposable {
  /** Each slice takes one turn of the event loop, and must not make it long. */
  readonly imagesPerSlice: number;
  readonly namesPerSlice: number;
  readonly hashesPerSlice: number;
  readonly #tuning: Tuning;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #enqueue = batchPerTick<PendingRead>((reads) => this.#run(reads));
  #latest: ReadTransaction | undefined;
  /** The latest error that shows damage to the file, until the catalogue changes. */
  damage: unknown;

  /** The connection may be read-only. */
  constructor(database: DatabaseSync, tuning = defaultTuning) {
    this.imagesPerSlice = Math.min(8000, tuning.maxItemsPerSlice);
    this.namesPerSlice = Math.min(500, tuning.maxItemsPerSlice);
    this.hashesPerSlice = Math.min(4000, tuning.maxItemsPerSlice);
    this.#tuning = tuning;
    this.#database = database;
    this.#statements = prepareStatements(database);
  }

  /** Runs synchronous work in a read transaction. */
  read<T>(work: (transaction: ReadTransaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => this.#enqueue({ work, resolve, reject }));
  }

  readShelf(shelf: number, from: number, to: number): Promise<Slice<number>> {
    return this.#readSlice(this.#statements.shelfImages, shelf, from, to);
  }

  readNames(kind: Kind, from: number, to: number): Promise<Slice<string>> {
    return this.#readSlice(this.#statements.names, kind, from, to);
  }

  readHashes(above: number): Promise<HashSlice> {
    return this.read(({ snapshot, statements }) => ({
      version: snapshot.version,
      items: statements.hashes.all(above, this.hashesPerSlice) as unknown as HashSlice['items'],
    }));
  }

  currentVersion(): Promise<number> {
    return this.read(({ snapshot }) => snapshot.version);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #readSlice<T>(statement: StatementSync, row: string | number, from: number, to: number): Promise<Slice<T>> {
    return this.read(({ snapshot }) => ({
      version: snapshot.version,
      items: firstColumn<T>(statement.all(row, from, to)),
    }));
  }

  #run(reads: PendingRead[]): void {
    try {
      const transaction = this.#begin();
      try {
        for (const read of reads) this.#settle(read, transaction);
      } finally {
        this.#statements.commit.run();
      }
    } catch (error) {
      if (isDamage(error)) this.damage = error;
      // Has no effect on reads that are settled already.
      for (const { reject } of reads) reject(error);
    }
  }

  #settle({ work, resolve, reject }: PendingRead, transaction: ReadTransaction): void {
    try {
      resolve(work(transaction) as never);
    } catch (error) {
      if (isDamage(error)) this.damage = error;
      reject(error);
    }
  }

  #begin(): ReadTransaction {
    this.#statements.begin.run();
    try {
      // Changes with every commit of another connection. Inside a transaction it is the version that is read there.
      const [version] = rowOf<[number]>(this.#statements.version.get()) as [number];
      if (this.#latest?.snapshot.version !== version || !this.#tuning.isCaching)
        this.#latest = this.#openVersion(version);
      return this.#latest;
    } catch (error) {
      this.#statements.commit.run();
      throw error;
    }
  }

  #openVersion(version: number): ReadTransaction {
    const statements = this.#statements;
    const [lastImage] = rowOf<[number | null]>(statements.lastImage.get()) ?? [0];
    const [documentRevision] = rowOf<[number]>(statements.documentRevision.get()) as [number];
    const rows = statements.shelves.all() as unknown as ShelfRow[];
    this.damage = undefined;
    return {
      ...{ statements, documentRevision, snapshot: buildSnapshot(version, lastImage ?? 0, rows) },
      statistics: undefined,
      pages: new Map(),
    };
  }
}

/** The shelves of the artist and the character that a filter names. */
export function readEntryShelves(
  { statements }: ReadTransaction,
  { artist, character }: { artist?: string | undefined; character?: string | undefined },
): EntryShelves {
  const find = (kind: Kind, id: string | undefined): Shelf | undefined => {
    const row = id === undefined ? undefined : rowOf<[number, number]>(statements.shelf.get(kind, id));
    return row && { number: row[0], size: row[1] };
  };
  return { artist: find('artist', artist), character: find('character', character) };
}

/** A shelf in the database. Each look at it is a query. */
export function viewStoredShelf(
  { statements }: ReadTransaction,
  { number, size }: Shelf,
): ShelfView & OrderedImages {
  const { imageAt, isPlaced } = statements;
  return {
    size,
    at: (position) => (rowOf<[number]>(imageAt.get(number, position)) as [number])[0],
    has: (image) => isPlaced.get(image, number) !== undefined,
  };
}
