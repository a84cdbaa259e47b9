/** Sessions on the embedded catalogue. Statements are prepared once, and run without waiting. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Token, TokenStore } from '../../../access/tokens.ts';
import type { LastBackup, TokenRecord } from '../../../catalogue/writer.ts';
import { inBatches } from '../../../lib/concurrency.ts';
import { defaultTuning } from '../../../lib/tuning.ts';
import type { LockOptions, ReadSession, SqlType, SqlValue, WriteSession } from '../../session.ts';
import {
  BUSY_TIMEOUT_MS,
  beginWriting,
  closeDatabase,
  DamagedError,
  exclusively,
  isDamage,
  isOnReadOnlyDisk,
  logSize,
  openDatabase,
  openForReading,
  readIdentity,
  truncateLog,
} from './database.ts';
import { catalogueSchema, dialect, tokenSchema } from './schema.ts';

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

// Access tokens of the embedded store, in a file of their own with the identity of the catalogue and its last backup.

const COLUMNS = 'id, owner, purpose, scopes, issued_by as issuedBy, created_at as createdAt, expires';

/**
 * Few tokens are in use, and each is looked up with every request that carries it. `cataloguePath` is the file that restored
 * tokens come from.
 */
export function openTokenStore(
  path: string,
  cataloguePath: string,
  { maxTokens } = defaultTuning,
): TokenStore & Disposable {
  const named = <T>(work: () => T) => blame(path, work);
  const database = named(() => openTokens(path, cataloguePath));
  const find = database.prepare(`select ${COLUMNS} from token where hash = ? and revoked_at is null`);
  const version = database.prepare('pragma data_version');
  const cached = new Map<string, Token>();
  let cachedVersion: unknown;
  let isCurrent = false;
  /** Once per tick is enough: its requests arrived before. */
  const dropStale = () => {
    if (isCurrent) return;
    const current = version.get()?.data_version;
    if (current !== cachedVersion || cached.size > maxTokens) cached.clear();
    cachedVersion = current;
    isCurrent = true;
    setImmediate(() => {
      isCurrent = false;
    });
  };
  const lookUp = (hash: string): Token | undefined => {
    const known = cached.get(hash);
    if (known) return known;
    const row = find.get(hash);
    const token = row && (withScopes(row) as Token);
    if (token) cached.set(hash, token);
    return token;
  };
  return {
    find(hash) {
      dropStale();
      return named(() => lookUp(hash));
    },
    async add(token, hash) {
      const { id, owner, purpose, scopes, issuedBy, createdAt, expires } = token;
      const insert = database.prepare(
        `insert into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      exclusively(() =>
        insert.run(id, hash, owner, purpose, JSON.stringify(scopes), issuedBy, createdAt, expires),
      );
    },
    async revoke(id, revokedAt) {
      cached.clear();
      const revoke = database.prepare('update token set revoked_at = ? where id = ? and revoked_at is null');
      return exclusively(() => revoke.run(revokedAt, id)).changes === 1;
    },
    async records() {
      const text = `select ${COLUMNS}, revoked_at as revokedAt, hash from token order by created_at, id`;
      return named(() => database.prepare(text).all().map(withScopes)) as TokenRecord[];
    },
    async verify() {
      named(() => {
        const problem = database.prepare('pragma integrity_check(1)').get()?.integrity_check;
        if (problem !== 'ok') throw new DamagedError(String(problem));
      });
    },
    [Symbol.dispose]() {
      closeDatabase(database, path);
    },
  };
}

function openTokens(path: string, cataloguePath: string): DatabaseSync {
  if (isOnReadOnlyDisk(path))
    return existsSync(path) ? openForReading(path, tokenSchema) : openDatabase(':memory:', tokenSchema);
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) throw new DamagedError('it is empty');
  const database = openDatabase(path, tokenSchema);
  try {
    followCatalogue(cataloguePath, database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Errors of SQLite name no file, and the catalogue has one of its own. */
export function blame<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw Object.assign(error as Error, { path });
    throw new Error(
      `the tokens in ${path} are damaged: ${(error as Error).message}; put a copy of the file back, or delete it to go on without its tokens`,
      { cause: error },
    );
  }
}

function withScopes(row: Record<string, unknown>): unknown {
  return { ...row, scopes: JSON.parse(row.scopes as string) };
}

// Tokens of a restored backup. They have a file of their own, and SQLite cannot commit to two files at once, so a restore
// commits them with the catalogue, in a table that exists for this only. Opening the tokens moves them, and a move that is
// interrupted is repeated. That is also when the tokens get the identity of their catalogue.

/** Within the transaction that fills the catalogue. */
export function saveRestoredTokens(catalogue: DatabaseSync, records: TokenRecord[]): void {
  catalogue.exec('create table if not exists restored_token (records text not null) strict');
  catalogue.prepare('insert into restored_token values (?)').run(JSON.stringify(records));
}

/** Fails if the tokens belong to another catalogue. */
function followCatalogue(cataloguePath: string, tokens: DatabaseSync, path: string): void {
  if (isOnReadOnlyDisk(cataloguePath)) return;
  using catalogue = new DatabaseSync(cataloguePath, { timeout: BUSY_TIMEOUT_MS });
  const isRestored =
    catalogue.prepare(`select 1 from sqlite_schema where name = 'restored_token'`).get() !== undefined;
  const [identity, owner] = [readIdentity(catalogue), readIdentity(tokens)];
  // A restored catalogue is the one that the backup was made of.
  if (owner !== undefined && owner !== identity && !isRestored)
    throw new Error(
      `the tokens in ${path} belong to the catalogue ${owner}, but ${cataloguePath} is the catalogue ${identity}; check DATA_DIR and DATABASE_URL, or move the file of the tokens away`,
    );
  if (identity !== undefined && owner !== identity)
    exclusively(() => {
      tokens.exec('begin immediate; delete from identity');
      tokens.prepare('insert into identity values (?)').run(identity);
      tokens.exec('commit');
    });
  if (isRestored) moveTokens(catalogue, tokens);
}

function moveTokens(catalogue: DatabaseSync, tokens: DatabaseSync): void {
  const move = tokens.prepare(
    `insert or ignore into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires, revoked_at)
     select value ->> 'id', value ->> 'hash', value ->> 'owner', value ->> 'purpose', value -> 'scopes',
       value ->> 'issuedBy', value ->> 'createdAt', value ->> 'expires', value ->> 'revokedAt'
     from json_each(?)`,
  );
  for (const { records } of catalogue.prepare('select records from restored_token').all())
    exclusively(() => move.run(records as string));
  try {
    catalogue.exec('pragma busy_timeout = 0; drop table if exists restored_token');
  } catch {
    // Another command is changing the catalogue. Moving the tokens again changes nothing.
  }
}

// The last backup, which is recorded beside the tokens: that changes no version of the catalogue, and waits for no import. Its
// table is made when it is needed, so that a backup of an older catalogue needs no migration.

export function readLastBackup(path: string): LastBackup | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return undefined;
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  if (!database.prepare("select 1 from sqlite_schema where name = 'last_backup'").get()) return undefined;
  return database.prepare('select at, bytes from last_backup').get() as LastBackup | undefined;
}

export function recordBackup(path: string, { at, bytes }: LastBackup): void {
  using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  exclusively(() => {
    database.exec('begin immediate; drop table if exists last_backup');
    database.exec('create table last_backup (at text not null, bytes integer not null) strict');
    database.prepare('insert into last_backup values (?, ?)').run(at, bytes);
    database.exec('commit');
  });
}
