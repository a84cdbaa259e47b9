/** The embedded store: the catalogue and the tokens, one file each, and the read transactions that calls share. */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { batchAtOnce } from '../../../lib/concurrency.ts';
import { defaultTuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-cache/filler.ts';
import type { NewId } from '../../migrations/migrations.ts';
import { openCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../session.ts';
import {
  type Call,
  type Driver,
  expectVersion,
  retryOnChange,
  type SliceSizes,
  type View,
} from '../../view.ts';
import {
  closeDatabase,
  DamagedError,
  isDamage,
  isOnReadOnlyDisk,
  migrateDatabase,
  openDatabase,
  openForReading,
} from './database.ts';
import { catalogueSchema, tokenSchema } from './schema.ts';
import { blame, openTokenStore, readLastBackup, recordBackup } from './tokens.ts';
import { firstRow, prepareStatements, SqliteView, type Statements } from './view.ts';

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
