/** The embedded store: the catalogue and the tokens, one file each, and the read transactions that calls share. */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Document, Kind } from '../../../catalogue/schemas.ts';
import { batchAtOnce } from '../../../lib/concurrency.ts';
import { defaultTuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-cache/filler.ts';
import type { NewId } from '../../migrations/migrations.ts';
import { openCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../session.ts';
import {
  buildSnapshot,
  type Call,
  type DocumentChanges,
  type Driver,
  type EntryRow,
  expectVersion,
  type ListName,
  type Lists,
  listReads,
  lookUps,
  retryOnChange,
  type Shelf,
  type ShelfSnapshot,
  type SliceSizes,
  SNAPSHOT_QUERY,
  type SnapshotRow,
  type StoredEntry,
  toEntry,
  type View,
} from '../../view.ts';
import {
  closeDatabase,
  DamagedError,
  DocumentVerifier,
  isDamage,
  isOnReadOnlyDisk,
  isWhole,
  migrateDatabase,
  openDatabase,
  openForReading,
  verifyEntry,
} from './database.ts';
import { catalogueSchema, tokenSchema } from './schema.ts';
import { blame, openTokenStore, readLastBackup, recordBackup, withSqliteParameters } from './session.ts';

/** How often the document filler looks for changes. */
const POLL_MS = 200;

export function createCatalogue(path: string, newId: NewId): void {
  closeDatabase(openDatabase(path, catalogueSchema, newId), path);
}

export function migrateCatalogue(path: string, tokensPath: string, onStart: () => void): void {
  if (isOnReadOnlyDisk(path)) return;
  migrateDatabase(path, catalogueSchema, onStart);
  blame(tokensPath, () => migrateDatabase(tokensPath, tokenSchema, onStart));
}

export function openDriver(path: string, tuning = defaultTuning): SqliteDriver {
  return new SqliteDriver(openForReading(path, catalogueSchema), tuning);
}

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export function openStore(
  path: string,
  tokensPath: string,
  documents?: ArrayBufferLike,
  tuning = defaultTuning,
): Store {
  const driver = openDriver(path, tuning);
  const file = fileOf(path);
  const catalogue = openCatalogue(driver, documents, tuning);
  const tokens = openTokenStore(tokensPath, path, tuning);
  return {
    catalogue,
    tokens,
    lastBackup: async () => readLastBackup(tokensPath),
    recordBackup: async (backup) => recordBackup(tokensPath, backup),
    metrics: () => catalogue.metrics(),
    degradedReason: () => undefined,
    async verify() {
      if (fileOf(path) !== file)
        throw new DamagedError(`${path} was removed, emptied or replaced; restart the server`);
      await driver.verify();
    },
    async [Symbol.asyncDispose]() {
      driver[Symbol.dispose]();
      tokens[Symbol.dispose]();
    },
  };
}

/** What identifies the file under this name, unless it is empty. The connection keeps one that was removed. */
function fileOf(path: string): number | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.size ? facts.ino : undefined;
}

export function fillDocumentCache(
  path: string,
  memory: ArrayBufferLike,
  documentsPerSlice?: number,
): AsyncDisposable {
  const driver = openDriver(path);
  const filler = new DocumentFiller(driver, memory, documentsPerSlice);
  void filler.run(POLL_MS);
  return {
    async [Symbol.asyncDispose]() {
      filler[Symbol.dispose]();
      driver[Symbol.dispose]();
    },
  };
}

// Reads the embedded database in read transactions. All calls that requests of one tick of the event loop make run one after
// the other in one transaction, which begins after the last of them was made: nobody gets a result older than their request,
// and a transaction for each would cost more than most calls.

/** Each slice takes one turn of the event loop, and must not make it long. */
const SLICE_SIZES: SliceSizes = {
  ...{ shelfBlocks: 1000, sizeBlocks: 50, termBlocks: 1000 },
  ...{ names: 500, shelves: 500, aliases: 500, hashes: 4000 },
};

/** Synchronous work inside a transaction. */
interface Pending {
  work: (view: SqliteView) => void;
  reject: (error: unknown) => void;
}

export class SqliteDriver implements Driver, Disposable {
  readonly sliceSizes = SLICE_SIZES;
  readonly #isCaching: boolean;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #enqueue = batchAtOnce<Pending>((batch) => this.#runBatch(batch));
  #latest: SqliteView | undefined;
  /** The latest error that shows damage to the file, until the catalogue changes. */
  #damage: unknown;

  /** The connection may be read-only. */
  constructor(database: DatabaseSync, tuning = defaultTuning) {
    this.#isCaching = tuning.isCaching;
    this.#database = database;
    this.#statements = prepareStatements(database);
  }

  run<T>(call: (view: View) => Call<T>): Promise<T> {
    return retryOnChange(() => this.#attempt(call));
  }

  currentVersion(): Promise<number> {
    return this.#read(({ snapshot }) => snapshot.version);
  }

  /** Verifies some documents. Throws if they are damaged, or if another read has found damage. */
  async verify(): Promise<void> {
    await this.#read((view) => view.verifyNext());
    if (this.#damage) throw this.#damage;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Takes the steps of a call, each of them in a transaction of the same version. */
  #attempt<T>(call: (view: View) => Call<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = (view: SqliteView) => {
        const steps = call(view);
        const proceed = (result?: unknown) => {
          const step = steps.next(result);
          if (step.done) resolve(step.value);
          else step.value.then(proceedLater, reject);
        };
        const proceedLater = (result: unknown) => {
          const work = ({ snapshot }: SqliteView) => {
            expectVersion(snapshot.version, view.snapshot.version);
            proceed(result);
          };
          this.#enqueue({ work, reject });
        };
        proceed();
      };
      this.#enqueue({ work: start, reject });
    });
  }

  #read<T>(read: (view: SqliteView) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ work: (view) => resolve(read(view)), reject });
    });
  }

  #runBatch(batch: Pending[]): void {
    try {
      const view = this.#begin();
      try {
        for (const pending of batch)
          try {
            pending.work(view);
          } catch (error) {
            this.#fail([pending], error);
          }
      } finally {
        this.#statements.commit.run();
      }
    } catch (error) {
      // Has no effect on those that are settled already.
      this.#fail(batch, error);
    }
  }

  #fail(batch: Pending[], error: unknown): void {
    if (isDamage(error)) this.#damage = error;
    for (const { reject } of batch) reject(error);
  }

  #begin(): SqliteView {
    this.#statements.begin.run();
    try {
      // Changes with every commit of another connection. Inside a transaction it is the version that is read there.
      const [version] = firstRow<[number]>(this.#statements.version) as [number];
      if (this.#latest?.snapshot.version !== version || !this.#isCaching) {
        this.#latest = new SqliteView(this.#statements, version);
        this.#damage = undefined;
      }
      return this.#latest;
    } catch (error) {
      this.#statements.commit.run();
      throw error;
    }
  }
}

// One version of the embedded catalogue. Valid inside a read transaction of that version only.

/** Takes less than a millisecond. */
const VERIFIED_PER_CALL = 50;

export class SqliteView implements View {
  readonly snapshot: ShelfSnapshot;
  readonly #statements: Statements;
  readonly #verifier: DocumentVerifier;
  #lastVerified = 0;

  constructor(statements: Statements, version: number) {
    const [lastImage] = firstRow<[number]>(statements.lastImage) as [number];
    const [documentRevision] = firstRow<[number]>(statements.documentRevision) as [number];
    this.#statements = statements;
    this.#verifier = new DocumentVerifier(lastImage);
    const rows = allRows<SnapshotRow>(statements.snapshot);
    this.snapshot = buildSnapshot({ version, lastImage, documentRevision }, rows);
  }

  imageNumber(id: string): number | undefined {
    return firstRow<[number]>(this.#statements.imageNumber, id)?.[0];
  }

  entry(kind: Kind, id: string): StoredEntry | undefined {
    const row = firstRow<Row>(this.#statements.entry, kind, id);
    return row && readEntry(row);
  }

  entryShelves(kind: Kind, ids: string[]): (Shelf | undefined)[] {
    return ids.map((id) => {
      const row = firstRow<[number, number]>(this.#statements.entryShelf, kind, id);
      return row && { number: row[0], size: row[1] };
    });
  }

  entriesAt(kind: Kind, positions: number[]): StoredEntry[] {
    const { entryAt } = this.#statements;
    return positions.map((position) => readEntry(firstRow<Row>(entryAt, kind, position)));
  }

  documents(images: number[]): Document[] {
    return images.map((image) => this.#verifier.verify(image, this.#document(image)));
  }

  wholeDocuments(images: number[]): [image: number, document: Document][] {
    return images.flatMap((image) => {
      const document = this.#document(image);
      return document !== undefined && isWhole(document) ? [[image, document]] : [];
    });
  }

  documentChanges(since: number, after: DocumentChanges['next'], limit: number): DocumentChanges {
    const rows = allRows<[number, number]>(this.#statements.documentChanges, after?.[0] ?? since, limit);
    return {
      // A number that is lower than before shows that this is another database.
      isSuccessor: since <= this.snapshot.documentRevision,
      images: rows.map(([, image]) => image),
      next: rows.length < limit ? undefined : rows.at(-1),
    };
  }

  imageSizes(images: number[]): [image: number, width: number, height: number][] {
    return images.flatMap((image) => {
      const size = firstRow<[number, number]>(this.#statements.imageSize, image);
      return size ? [[image, ...size]] : [];
    });
  }

  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Lists[Name][1][] {
    const rows = allRows(this.#statements[name], ...parameters);
    return (rows[0]?.length === 1 ? rows.flat() : rows) as Lists[Name][1][];
  }

  /** Verifies the next few documents, and starts over after the last one. */
  verifyNext(): void {
    const { documentsAfter } = this.#statements;
    const rows = allRows<[number, unknown]>(documentsAfter, this.#lastVerified, VERIFIED_PER_CALL);
    for (const [image, document] of rows) {
      this.#verifier.verifyAgain(image, document);
      this.#lastVerified = image;
    }
    if (rows.length < VERIFIED_PER_CALL) this.#lastVerified = 0;
  }

  #document(image: number): Document | undefined {
    return firstRow<[Document]>(this.#statements.document, image)?.[0];
  }
}

type Row = EntryRow<Uint8Array | null>;

/** A missing row is damage. */
function readEntry(row: Row | undefined): StoredEntry {
  const json = verifyEntry(row?.[2]);
  return toEntry(row as Row, json);
}

/** As bytes: responses need them so, and decoding long texts only to encode them again takes milliseconds. */
const withBytes = (entry: string) => `select number, id, cast(document as blob), size, cover from (${entry})`;

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select coalesce(max(number), 0) from image',
  documentRevision: 'select coalesce(max(number), 0) from document_change',
  snapshot: SNAPSHOT_QUERY,
  ...listReads((columns) => columns),
  imageNumber: lookUps.imageNumber('$1'),
  document: lookUps.document('$1'),
  imageSize: lookUps.imageSize('$1'),
  entry: withBytes(lookUps.entry('$1', '$2')),
  entryAt: withBytes(lookUps.entryAt('$1', '$2')),
  entryShelf: lookUps.entryShelf('$1', '$2'),
  documentsAfter: 'select number, document from image where number > $1 order by number limit $2',
  documentChanges: 'select number, image from document_change where number > $1 order by number limit $2',
};

export type Statements = Record<keyof typeof texts, StatementSync>;

/** Rows come as arrays, which takes half the time of objects. */
export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(withSqliteParameters(text));
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** The rows of a statement, with the types that its columns have. */
function allRows<Row extends unknown[]>(statement: StatementSync, ...values: Value[]): Row[] {
  return statement.all(...values) as unknown[] as Row[];
}

/** The first row, if there is one. */
export function firstRow<Row extends unknown[]>(
  statement: StatementSync,
  ...values: Value[]
): Row | undefined {
  return statement.get(...values) as unknown[] | undefined as Row | undefined;
}

type Value = string | number;
