/** Sessions on the embedded catalogue. Statements are prepared once, and run without waiting. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { TokenRecord } from '../../../catalogue/writer.ts';
import { inBatches } from '../../../lib/concurrency.ts';
import type { LockOptions, ReadSession, SqlType, SqlValue, WriteSession } from '../../session.ts';
import {
  beginWriting,
  closeDatabase,
  logSize,
  openDatabase,
  openForReading,
  readIdentity,
  truncateLog,
} from './database.ts';
import { catalogueSchema, dialect } from './schema.ts';
import { saveRestoredTokens } from './tokens.ts';

/** Page cache while writing. Larger transactions spill to the file. */
const WRITE_CACHE_KIB = 65_536;
/** A write-ahead log that is larger after a commit is truncated. SQLite keeps it at about this size by itself. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Rows written by one statement. One by one, numbers take four times as long. */
const ROWS_PER_STATEMENT = 64;

/** Outside a transaction. */
export function openReadSession(path: string): ReadSession {
  return new SqliteSession(openForReading(path, catalogueSchema));
}

/** One version of the catalogue. */
export function openSnapshotSession(path: string): ReadSession {
  const database = openForReading(path, catalogueSchema);
  database.exec('begin');
  return new SqliteSession(database);
}

export async function openWriteSession(path: string, options?: LockOptions): Promise<WriteSession> {
  const database = openDatabase(path, catalogueSchema);
  try {
    database.exec(`pragma cache_size = -${WRITE_CACHE_KIB}`);
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    await beginWriting(database, options);
  } catch (error) {
    closeDatabase(database, path);
    throw error;
  }
  return new SqliteWriteSession(database, path);
}

class SqliteSession implements ReadSession {
  readonly dialect = dialect;
  protected readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  async query<Row>(text: string, values: SqlValue[] = []): Promise<Row[]> {
    return this.prepare(text).all(...values.map(encode)) as Row[];
  }

  async *stream<Row>(text: string, values: SqlValue[] = []): AsyncGenerator<Row, void> {
    // Running a statement again would end the rows of the first one.
    const statement = this.database.prepare(withSqliteParameters(text));
    yield* statement.iterate(...values.map(encode)) as Iterable<Row>;
  }

  async identity(): Promise<string | undefined> {
    return readIdentity(this.database);
  }

  protected prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.database.prepare(withSqliteParameters(text));
      this.#statements.set(text, statement);
    }
    return statement;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.database.close();
  }
}

class SqliteWriteSession extends SqliteSession implements WriteSession {
  readonly #path: string;
  readonly #initialLogSize: number;

  constructor(database: DatabaseSync, path: string) {
    super(database);
    this.#path = path;
    this.#initialLogSize = logSize(path);
  }

  async run(text: string, values: SqlValue[] = []): Promise<number> {
    return Number(this.prepare(text).run(...values.map(encode)).changes);
  }

  async insert(table: string, columns: string[], rows: SqlValue[][]): Promise<void> {
    this.#runInBatches(rows, columns, (list) => `insert into ${table} (${columns.join()}) values ${list}`);
  }

  async runWith<Name extends string>(
    columns: Record<Name, SqlType>,
    rows: Record<Name, SqlValue>[],
    text: string,
  ): Promise<unknown[]> {
    const names = Object.keys(columns) as Name[];
    const values = rows.map((row) => names.map((name) => row[name]));
    return this.#runInBatches(
      values,
      names,
      (list) => `with given (${names.join()}) as (values ${list}) ${text}`,
    );
  }

  async restoreTokens(records: TokenRecord[]): Promise<void> {
    saveRestoredTokens(this.database, records);
  }

  async commit(): Promise<void> {
    this.database.exec('commit');
    truncateLog(this.database, this.#path, MAX_LOG_BYTES);
    closeDatabase(this.database, this.#path);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (!this.database.isOpen) return;
    // A full disk ends the transaction by itself.
    if (this.database.isTransaction) this.database.exec('rollback');
    truncateLog(this.database, this.#path, this.#initialLogSize);
    closeDatabase(this.database, this.#path);
  }

  /** Those that do not fill a statement are written one by one. */
  #runInBatches(rows: SqlValue[][], columns: string[], statement: (values: string) => string): unknown[] {
    const found: unknown[] = [];
    const row = `(${columns.map(() => '?').join()})`;
    for (const batch of inBatches(rows, ROWS_PER_STATEMENT))
      if (batch.length === ROWS_PER_STATEMENT) {
        const writeMany = this.prepare(statement(Array(ROWS_PER_STATEMENT).fill(row).join()));
        const flat: SQLInputValue[] = [];
        for (const values of batch) for (const value of values) flat.push(encode(value));
        for (const each of writeMany.all(...flat)) found.push(each);
      } else {
        const writeOne = this.prepare(statement(row));
        for (const values of batch) found.push(...writeOne.all(...values.map(encode)));
      }
    return found;
  }
}

/** In SQLite, `$1` would be a parameter with a name. Lists are bound as JSON. */
export function withSqliteParameters(text: string): string {
  return text
    .replaceAll(/= any\((\$\d+)\)/g, 'in (select value from json_each($1))')
    .replaceAll(/\$(\d+)/g, '?$1');
}

/** JSON would keep half of a surrogate pair, which a text that is bound as it is does not. */
function encode(value: SqlValue): SQLInputValue {
  if (typeof value !== 'object' || value === null) return value;
  return JSON.stringify(value.map((item) => (typeof item === 'string' ? item.toWellFormed() : item)));
}
