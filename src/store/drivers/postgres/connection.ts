/** Connects to PostgreSQL: pools, the schema, failures that name the server, and the connection that listens. */
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { LockTimeout } from '../../../catalogue/writer.ts';
import { type DataMigration, missingSteps, type NewId, newestStep } from '../../migrations/migrations.ts';
import { LOCK_TIMEOUT_MS, type LockOptions, OutdatedCatalogue } from '../../session.ts';
import { SCHEMA, schema } from './schema.ts';

/** "zukn": the first key of all our advisory locks. */
const LOCK_NAMESPACE = 0x7a756b6e;
const MIGRATION_LOCK = 1;
const WRITE_LOCK = 2;
/** As the server writes it: major and minor version. */
const MIN_VERSION = 14_0000;
const INSUFFICIENT_PRIVILEGE = '42501';
const DUPLICATE_TABLE = '42P07';
const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';
/** How long a command waits for the connection, and for the first statement on it. */
const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1000;

export async function hasSchema(url: string): Promise<boolean> {
  let isThere = false;
  const client = await open(url, async (client) => {
    isThere = (await countSteps(client)) > 0;
  });
  await disconnect(client);
  return isThere;
}

/** Upgrades a schema that an older version made, if there is one. `onStart` is called before. */
export async function migrateSchema(url: string, onStart: () => void): Promise<void> {
  const client = await open(url, async (client) => {
    const done = await countSteps(client);
    if (done === 0 || missingSteps(schema, done).length === 0) return;
    onStart();
    await migrate(client, randomUUID);
  });
  await disconnect(client);
}

/** Makes an empty catalogue if there is none, and then returns where. */
export async function createSchema(url: string, newId: NewId): Promise<string | undefined> {
  let isNew = false;
  const onMissing = () => {
    isNew = true;
  };
  await disconnect(await connect(url, onMissing, newId));
  return isNew ? `the schema ${SCHEMA} in ${describeDatabase(url)}` : undefined;
}

/** With a mistyped DATABASE_URL, another program's database would get a schema. */
function refuseToCreate(): never {
  throw new Error(
    'there is no catalogue in this database; check DATABASE_URL, or create one with "zukan import" or "zukan serve"; "zukan restore <folder>" gets a lost one back',
  );
}

/** A client whose connection can be closed without waiting for the server, because it opens the socket itself. */
export class Client extends pg.Client {
  readonly #socket: Socket;

  constructor(settings: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...settings, stream: () => socket });
    this.#socket = socket;
  }

  /** Works while connecting, too. */
  destroy(): void {
    this.#socket.destroy();
  }
}

/** Opens one connection for a command. `onMissing` allows creating the schema. */
export function connect(
  url: string,
  onMissing: () => void = refuseToCreate,
  newId: NewId = randomUUID,
): Promise<Client> {
  return open(url, async (client) => {
    const done = await countSteps(client);
    if (missingSteps(schema, done).length === 0) return;
    if (done > 0) throw new OutdatedCatalogue();
    onMissing();
    await migrate(client, newId);
  });
}

/** Connects to the primary or, if that is lost, to a replica, which still has a catalogue to serve. */
export async function connectToRead(
  primary: string,
  replicas: readonly string[],
): Promise<{ client: Client; isReplica: boolean }> {
  try {
    return { client: await connect(primary), isReplica: false };
  } catch (lost) {
    if (!isOutage((lost as Error).cause)) throw lost;
    for (const url of replicas) {
      const client = await connect(url).catch(() => undefined);
      if (client) return { client, isReplica: true };
    }
    throw lost;
  }
}

/** Fails if a pooler gives each transaction another session: the settings and locks of one would be those of others. */
export async function refusePooling(url: string): Promise<void> {
  const [own, other] = [0, 1].map(() => new Client(clientSettings(url, CONNECT_TIMEOUT_MS))) as [
    Client,
    Client,
  ];
  for (const client of [own, other]) client.on('error', () => {});
  const mark = randomUUID();
  const isMarked = async (client: pg.Client) =>
    (await client.query("select current_setting('zukan.mark', true) as mark")).rows[0].mark === mark;
  let isPooled: boolean;
  try {
    await own.connect();
    await own.query(`set zukan.mark to '${mark}'`);
    await other.connect();
    // Takes the session that the other one has left, and keeps it.
    await other.query('begin');
    isPooled = (await isMarked(other)) || !(await isMarked(own));
  } catch {
    // A server that does not respond is noticed by whoever needs it.
    return;
  } finally {
    await Promise.all([disconnect(own), disconnect(other)]);
  }
  if (isPooled)
    throw new Error(
      `${describeDatabase(url)}: a pooler gives each transaction another session; connect to PostgreSQL itself, or set pool_mode = session`,
    );
}

/**
 * Whether an error is temporary: no connection, or a server that is overloaded, stopping or starting, or a database that is
 * being replaced (3D000). A statement that was prepared before a migration fails once (0A000). Everything else is a bug.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|53|57|58|0A000|25006|3D000)/.test(error.code ?? '');
  return !(error instanceof TypeError || error instanceof RangeError);
}

async function open(url: string, prepare: (client: Client) => Promise<void>): Promise<Client> {
  const client = new Client(clientSettings(url, CONNECT_TIMEOUT_MS));
  // If an idle connection breaks, the next statement on it fails and reports that.
  client.on('error', () => {});
  try {
    await client.connect();
    await setUp(client);
    await prepare(client);
  } catch (error) {
    await disconnect(client);
    throw databaseError(error, url);
  }
  return client;
}

/** Closes a connection even if the server hangs. An open transaction is rolled back. */
export async function disconnect(client: Client): Promise<void> {
  await waitForClose(client.end());
  client.destroy();
}

/** Waits for a connection to close, but not forever: a hung server never responds. */
export async function waitForClose(closing: Promise<unknown>): Promise<void> {
  const closed = new AbortController();
  const timeout = setTimeout(CLOSE_TIMEOUT_MS, undefined, { signal: closed.signal });
  await Promise.race([closing, timeout]).catch(() => {});
  closed.abort();
  await timeout.catch(() => {});
}

/** As in libpq, `connect_timeout` in the URL is a number of seconds, and 0 means no limit. The library ignores it. */
export function clientSettings(url: string, connectTimeoutMs: number): pg.ClientConfig {
  const seconds = Number(new URL(url).searchParams.get('connect_timeout') || Number.NaN);
  return {
    connectionString: url,
    application_name: 'zukan',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: seconds >= 0 ? seconds * 1000 : connectTimeoutMs,
  };
}

/** Takes the write lock until the end of the transaction. */
export async function waitForWriteLock(
  client: pg.Client,
  { timeoutMs = LOCK_TIMEOUT_MS, onWait = () => {} }: LockOptions = {},
): Promise<void> {
  const keys = [LOCK_NAMESPACE, WRITE_LOCK];
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1, $2) as is_free', keys);
  if (rows[0].is_free) return;
  onWait();
  // 0 would mean no limit.
  await client.query(`set local lock_timeout to ${Math.max(1, timeoutMs)}`);
  await lock(client, WRITE_LOCK).catch((error) => {
    throw error.code === LOCK_NOT_AVAILABLE ? new LockTimeout() : error;
  });
}

/** Takes an advisory lock until the end of the transaction. `lock_timeout` limits the wait. */
function lock(client: pg.ClientBase, key: number): Promise<unknown> {
  return client.query('select pg_advisory_xact_lock($1, $2)', [LOCK_NAMESPACE, key]);
}

/**
 * Migrates the schema in one transaction under a lock: any number of processes can start at once, and a killed one
 * leaves nothing half done.
 */
async function migrate(client: pg.Client, newId: NewId): Promise<void> {
  await client.query('begin; set local statement_timeout to 0');
  try {
    await lock(client, MIGRATION_LOCK);
    // An import by an older version would add documents of the former kind.
    await lock(client, WRITE_LOCK);
    // `create schema if not exists` would require the privilege even if the schema exists.
    const { rows } = await client.query('select to_regnamespace($1) is null as is_missing', [SCHEMA]);
    if (rows[0].is_missing) await client.query(`create schema ${SCHEMA}`);
    await client.query('create table if not exists migration (step int primary key)');
    const done = await countSteps(client);
    for (const step of missingSteps(schema, done))
      if (typeof step === 'string') await client.query(step);
      else await migrateData(client, step(newId));
    await client.query('insert into migration select generate_series($1::int, $2)', [
      done,
      newestStep(schema) - 1,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    const { code } = error as { code?: string };
    if (code === DUPLICATE_TABLE)
      throw new Error(
        `the schema ${SCHEMA} has tables, but no catalogue, so it is damaged. Remove it with "drop schema ${SCHEMA} cascade", and get the catalogue back with "zukan restore <folder>"`,
      );
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      `${errorMessage(error)}; grant the user the privilege to create schemas in this database`,
    );
  }
}

async function migrateData(client: pg.Client, statements: ReturnType<DataMigration>): Promise<void> {
  let next = statements.next();
  while (!next.done) {
    const { text, values } = next.value;
    next = statements.next((await client.query(text, values as unknown[])).rows);
  }
}

/** The server answers `show` without reading its catalogues, which a new connection has not cached. */
async function setUp(client: pg.Client): Promise<void> {
  // Compiling takes ten times as long as running our statements.
  const text = `set search_path to ${SCHEMA}; set jit to off; show server_version_num; show server_encoding`;
  const settings = { text, query_timeout: CONNECT_TIMEOUT_MS };
  const results = (await client.query(settings)) as unknown as pg.QueryResult[];
  const { server_version_num: version, server_encoding: encoding } = Object.assign(
    {},
    ...results.flatMap(({ rows }) => rows),
  );
  if (version < MIN_VERSION)
    throw new Error(
      `this is PostgreSQL ${Math.floor(version / 10_000)}; zukan requires version ${MIN_VERSION / 10_000} or newer`,
    );
  if (encoding !== 'UTF8')
    throw new Error(
      `the database encoding is ${encoding}; create the database with "create database … encoding 'UTF8'"`,
    );
}

/** Those that were applied. */
async function countSteps(client: pg.Client): Promise<number> {
  try {
    return (await client.query('select step from migration')).rows.length;
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** An error that names the server and database, but not the user or password. */
export function databaseError(error: unknown, url: string): Error {
  return new Error(`${describeDatabase(url)}: ${errorMessage(error)}`, { cause: error });
}

export function describeDatabase(url: string): string {
  const { host, port, database } = new pg.Client(url);
  return `PostgreSQL at ${host}:${port}/${database ?? ''}`;
}

export function errorMessage(error: unknown): string {
  // An AggregateError, one error per address that was tried, has no message itself.
  const { message, code, errors } = error as { message: string; code?: string; errors?: Error[] };
  return message || errors?.map((one) => one.message).join(', ') || String(code);
}

// Change notifications: every commit announces its revision, and every server process listens.

export const CHANNEL = 'zukan_revision';

interface ListenOptions {
  url: string;
  onRevision: (revision: number) => void;
  /** How long after a lost connection to reconnect. */
  retryMs?: number;
  /** How often to check that the connection still works. */
  heartbeatMs?: number;
  /** How long the server may take to respond. */
  timeoutMs?: number;
}

const defaults = { retryMs: 500, heartbeatMs: 15_000, timeoutMs: 5000 };

/**
 * Listens until closed, and reconnects when the connection is lost. Revisions announced in between are missed; since
 * every query also returns its revision, changes are then noticed later, but never overlooked.
 */
export function listen(options: ListenOptions): { close(): Promise<void> } {
  const settings = { ...defaults, ...options };
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce(settings, signal).catch(() => {});
      await pause(settings.retryMs, signal);
    }
  })();
  return {
    async close() {
      stopping.abort();
      await listening;
    },
  };
}

/** Returns or throws when the connection is lost. */
async function listenOnce(
  { url, onRevision, heartbeatMs, timeoutMs }: Required<ListenOptions>,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({ ...clientSettings(url, timeoutMs), query_timeout: timeoutMs });
  const lost = new Promise<void>((resolve) => client.once('error', resolve).once('end', resolve));
  client.on('error', () => {});
  const abort = () => client.destroy();
  signal.addEventListener('abort', abort, { once: true });
  client.on('notification', ({ payload }) => onRevision(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    while (!signal.aborted) {
      const isLost = await Promise.race([lost.then(() => true), pause(heartbeatMs, signal)]);
      if (isLost) return;
      await client.query('select 1');
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await disconnect(client);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
