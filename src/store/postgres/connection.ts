/** Connections to PostgreSQL: made, brought to our schema, and their failures told in words. */
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { SCHEMA, steps } from './schema.ts';

/** "zukn": what our advisory locks have in common. */
const LOCKS = 0x7a756b6e;
const MIGRATING = 1;
export const WRITING = 2;
const MIN_VERSION = 14;
const MISSING_RIGHT = '42501';
/** The longest that a command waits for a connection, and for its first word. */
const CONNECTING_MS = 10_000;
/** How long a connection may take to be closed in good manners. */
const CLOSING_MS = 1000;

/** Opens one connection for a command, on a database whose schema is up to date. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...settings(url), connectionTimeoutMillis: CONNECTING_MS });
  // A connection that breaks while nothing runs on it: what comes next on it will fail, and tell.
  client.on('error', () => {});
  try {
    await client.connect();
    const firstWord = { text: `set search_path to ${SCHEMA}`, query_timeout: CONNECTING_MS };
    await client.query(firstWord);
    await migrate(client);
  } catch (error) {
    await disconnect(client);
    throw explained(error, url);
  }
  return client;
}

/** Closes a connection even if the server hangs. An open transaction is rolled back. */
export async function disconnect(client: pg.Client): Promise<void> {
  await soon(client.end());
  breakOff(client);
}

/** Closes a connection without a word, even while it is being made. */
export function breakOff(client: pg.Client): void {
  (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
}

/** Waits for something to be closed, but not for long: who hangs does not even say goodbye. */
export async function soon(closing: Promise<unknown>): Promise<void> {
  const isClosed = new AbortController();
  const patience = setTimeout(CLOSING_MS, undefined, { signal: isClosed.signal });
  await Promise.race([closing, patience]).catch(() => {});
  isClosed.abort();
  await patience.catch(() => {});
}

export function settings(url: string): pg.ClientConfig {
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
  return { connectionString: url, application_name: 'zukan', ...keepAlive };
}

/** Takes a lock of ours until the transaction ends; waits for it as long as `lock_timeout` says. */
export function lock(client: pg.ClientBase, what: number): Promise<unknown> {
  return client.query('select pg_advisory_xact_lock($1, $2)', [LOCKS, what]);
}

/**
 * Brings the schema up to date, in one transaction under a lock, so that any number of processes may start at once and one
 * that is killed leaves nothing half done. Where it is up to date already, nothing is locked.
 */
async function migrate(client: pg.Client): Promise<void> {
  await checkServer(client);
  if ((await stepsDone(client)) === steps.length) return;
  await client.query('begin');
  try {
    await lock(client, MIGRATING);
    // Whoever finds a schema that was made for them needs no right to make one.
    const { rows } = await client.query('select to_regnamespace($1) is null as is_missing', [SCHEMA]);
    if (rows[0].is_missing) await client.query(`create schema ${SCHEMA}`);
    await client.query('create table if not exists migration (step int primary key)');
    for (let step = await stepsDone(client); step < steps.length; step++) {
      await client.query(steps[step] as string);
      await client.query('insert into migration values ($1)', [step]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if ((error as { code?: string }).code !== MISSING_RIGHT) throw error;
    throw new Error(`${reasonOf(error)}; grant the user the right to create schemas in this database`);
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int / 10000 as version,
            current_setting('server_encoding') as encoding`,
  );
  const [{ version, encoding }] = rows;
  if (version < MIN_VERSION)
    throw new Error(`this is PostgreSQL ${version}; zukan needs ${MIN_VERSION} or newer`);
  if (encoding !== 'UTF8')
    throw new Error(
      `its encoding is ${encoding}; make the database with "create database … encoding 'UTF8'"`,
    );
}

async function stepsDone(client: pg.Client): Promise<number> {
  const { rows: tables } = await client.query('select to_regclass($1) as migration', [`${SCHEMA}.migration`]);
  if (tables[0].migration === null) return 0;
  const { rows } = await client.query('select count(*)::int as done from migration');
  if (rows[0].done > steps.length)
    throw new Error('the catalogue was made by a newer zukan; upgrade this one to open it');
  return rows[0].done;
}

/** An error that names the database, never its password. */
export function explained(error: unknown, url: string): Error {
  return new Error(`PostgreSQL at ${placeOf(url)}: ${reasonOf(error)}`, { cause: error });
}

function placeOf(url: string): string {
  const { host, port, database } = new pg.Client(url);
  return `${host}:${port}/${database ?? ''}`;
}

export function reasonOf(error: unknown): string {
  // What failed for each of several addresses comes without a message of its own.
  const { message, code, errors } = error as { message: string; code?: string; errors?: Error[] };
  return message || errors?.map((one) => one.message).join(', ') || String(code);
}
