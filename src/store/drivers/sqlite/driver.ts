/**
 * Reads the embedded database in read transactions. All calls that requests of one tick of the event loop make run one after
 * the other in one transaction, which begins after the last of them was made: nobody gets a result older than their request,
 * and a transaction for each would cost more than most calls.
 */
import type { DatabaseSync } from 'node:sqlite';
import { batchAtOnce } from '../../../lib/event-loop.ts';
import { defaultTuning } from '../../../lib/tuning.ts';
import { expectVersion, retryOnChange } from '../../versions.ts';
import { type Call, type Driver, limitSlices, type SliceSizes, type View } from '../../view.ts';
import { firstRow, prepareStatements, type Statements } from './statements.ts';
import { isDamage } from './verification.ts';
import { SqliteView } from './view.ts';

/** Each slice takes one turn of the event loop, and must not make it long. */
const SLICE_SIZES = { images: 8000, names: 500, hashes: 4000 };

/** Synchronous work inside a transaction. */
interface Pending {
  work: (view: SqliteView) => void;
  reject: (error: unknown) => void;
}

export class SqliteDriver implements Driver, Disposable {
  readonly sliceSizes: SliceSizes;
  readonly #isCaching: boolean;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #enqueue = batchAtOnce<Pending>((batch) => this.#runBatch(batch));
  #latest: SqliteView | undefined;
  /** The latest error that shows damage to the file, until the catalogue changes. */
  #damage: unknown;

  /** The connection may be read-only. */
  constructor(database: DatabaseSync, tuning = defaultTuning) {
    this.sliceSizes = limitSlices(SLICE_SIZES, tuning);
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
        for (const pending of batch) this.#runOne(pending, view);
      } finally {
        this.#statements.commit.run();
      }
    } catch (error) {
      if (isDamage(error)) this.#damage = error;
      // Has no effect on those that are settled already.
      for (const { reject } of batch) reject(error);
    }
  }

  #runOne({ work, reject }: Pending, view: SqliteView): void {
    try {
      work(view);
    } catch (error) {
      if (isDamage(error)) this.#damage = error;
      reject(error);
    }
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
