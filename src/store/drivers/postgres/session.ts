/** Writes the catalogue in PostgreSQL: its sessions, its SQL, and many rows at once. */
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { LockTimeout, type TokenRecord } from '../../../catalogue/writer.ts';
import type { Dialect, LockOptions, ReadSession, SqlType, SqlValue, WriteSession } from '../../session.ts';
import { CHANNEL, type Client, connect, databaseError, disconnect, waitForWriteLock } from './connection.ts';
import { RESTORE_TOKENS } from './tokens.ts';

// The SQL of PostgreSQL. Lists, and the shelves of an image, are arrays.

const dialect: Dialect = {
  jsonArray: (column, order = column) => `json_agg(${column} order by ${order})::text`,
  hasShelf: (shelf) => `${shelf} = any(shelves)`,
  belongs: '(select image, shelf from image_shelves cross join lateral unnest(shelves) as shelf) as belongs',
  formatShelves: (shelves) => shelves,
  parseShelves: (stored) => stored as number[],
};

// Sending many rows in one statement, but not too many.

/** Characters in one statement: pg needs a multiple of it in memory. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;
/** About what a number takes as text. */
const NUMBER_LENGTH = 8;

/** Splits rows into batches of bounded length. A longer row is a batch by itself. */
function* splitBatches(rows: SqlValue[][]): Generator<SqlValue[][], void> {
  let from = 0;
  let length = 0;
  for (const [index, row] of rows.entries()) {
    const added = lengthOf(row);
    if (index > from && length + added > MAX_BATCH_LENGTH) {
      yield rows.slice(from, index);
      from = index;
      length = 0;
    }
    length += added;
  }
  if (from < rows.length) yield rows.slice(from);
}

function lengthOf(row: SqlValue[]): number {
  let length = 0;
  for (const value of row) length += typeof value === 'string' ? value.length : NUMBER_LENGTH;
  return length;
}

/** The rows in the text format of COPY. */
function formatRows(rows: SqlValue[][]): string {
  let text = '';
  for (const row of rows) {
    let separator = '';
    for (const value of row) {
      text += separator + formatValue(value);
      separator = '\t';
    }
    text += '\n';
  }
  return text;
}

function formatValue(value: SqlValue): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string')
    return value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] as string);
  return value === null ? '\\N' : `{${value.join()}}`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Sends rows to a table. `target` is its name and columns. Arrays are of numbers. */
export async function copyRows(client: pg.Client, target: string, rows: SqlValue[][]): Promise<void> {
  const stream = client.query(copyFrom(`copy ${target} from stdin`));
  stream.end(formatRows(rows));
  await finished(stream);
}

// Sessions on the catalogue in PostgreSQL.

/** Rows of a stream that are in memory at the same time. */
const FETCH_SIZE = 1000;

/** Outside a transaction. */
export async function openReadSession(url: string): Promise<ReadSession> {
  return new PostgresSession(await connect(url), url);
}

/** One version of the catalogue. */
export async function openSnapshotSession(url: string): Promise<ReadSession> {
  const client = await begin(url, 'repeatable read read only');
  return new PostgresSession(client, url);
}

export async function openWriteSession(url: string, options?: LockOptions): Promise<WriteSession> {
  // The planner has no statistics of tables that grow within a transaction, and would scan them for each batch.
  const client = await begin(url, 'read committed; set local enable_seqscan to off');
  try {
    await waitForWriteLock(client, options);
    return new PostgresWriteSession(client, url);
  } catch (error) {
    await disconnect(client);
    throw error instanceof LockTimeout ? error : databaseError(error, url);
  }
}

/** Statements may follow the isolation level. */
async function begin(url: string, isolation: string): Promise<Client> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level ${isolation}; set local statement_timeout to 0;
       set local idle_in_transaction_session_timeout to 0`,
    );
    return client;
  } catch (error) {
    await disconnect(client);
    throw databaseError(error, url);
  }
}

class PostgresSession implements ReadSession {
  readonly dialect = dialect;
  protected readonly client: Client;
  readonly #url: string;
  #cursors = 0;

  constructor(client: Client, url: string) {
    this.client = client;
    this.#url = url;
  }

  async query<Row>(text: string, values: SqlValue[] = []): Promise<Row[]> {
    return (await this.explained(this.client.query(text, values))).rows as Row[];
  }

  async *stream<Row>(text: string, values?: SqlValue[]): AsyncGenerator<Row, void> {
    const cursor = `rows_${++this.#cursors}`;
    await this.query(`declare ${cursor} cursor for ${text}`, values);
    for (;;) {
      const rows = await this.query<Row>(`fetch ${FETCH_SIZE} from ${cursor}`);
      yield* rows;
      if (rows.length < FETCH_SIZE) break;
    }
    await this.query(`close ${cursor}`);
  }

  async identity(): Promise<string | undefined> {
    return (await this.query<{ id: string }>('select id from identity'))[0]?.id;
  }

  protected async explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw databaseError(error, this.#url);
    }
  }

  /** The server rolls back what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await disconnect(this.client);
  }
}

class PostgresWriteSession extends PostgresSession implements WriteSession {
  async run(text: string, values: unknown[] = []): Promise<number> {
    return (await this.explained(this.client.query(text, values))).rowCount ?? 0;
  }

  async insert(table: string, columns: string[], rows: SqlValue[][]): Promise<void> {
    for (const batch of splitBatches(rows))
      await this.explained(copyRows(this.client, `${table} (${columns.join()})`, batch));
  }

  async runWith<Name extends string>(
    columns: Record<Name, SqlType>,
    rows: Record<Name, SqlValue>[],
    text: string,
  ): Promise<unknown[]> {
    const names = Object.keys(columns) as Name[];
    const arrays = names.map((name, index) => `$${index + 1}::${columns[name]}[]`);
    const given = `given (${names.join()}) as (select * from unnest(${arrays.join()}))`;
    const values = rows.map((row) => names.map((name) => row[name]));
    const found: unknown[] = [];
    for (const batch of splitBatches(values)) {
      const columns = names.map((_, index) => batch.map((row) => row[index]));
      for (const row of await this.query(`with ${given} ${text}`, columns as SqlValue[])) found.push(row);
    }
    return found;
  }

  async restoreTokens(records: TokenRecord[]): Promise<void> {
    await this.run(RESTORE_TOKENS, [JSON.stringify(records)]);
  }

  async commit(): Promise<void> {
    await this.run(
      `with changed as (
         update revision set number = next_revision(number) returning number
       ) select pg_notify('${CHANNEL}', number::text) from changed`,
    );
    await this.client.query('commit').catch((error) => {
      if (error.code !== undefined) throw error;
      throw new Error(
        'the connection was lost during the commit, so the change may or may not be saved; repeat the command to be sure',
      );
    });
    await disconnect(this.client);
  }
}
