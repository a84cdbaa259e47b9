/**
 * Reading from PostgreSQL: from replicas in turn where there are any, else from the primary. Whatever is wrong with a
 * replica (it is away, or slow, or behind), the next server is asked; what the primary cannot answer in time is
 * `Unavailable`, and soon: a request waits for a connection and for its statement, but neither for long.
 */
import pg from 'pg';
import { Unavailable } from '../../errors.ts';
import type { Metric } from '../../metrics.ts';
import { reasonOf, settings, soon } from './connection.ts';
import { SCHEMA } from './schema.ts';

/** The longest that a request waits for a connection, be it for a new one or for one that is in use. */
const CONNECTION_MS = 500;
const STATEMENT_MS = 2000;
/** So long after the server should have given up, we do. */
const GRACE_MS = 500;
/** More requests than this do not wait for connections: they would only be a pile. */
const MAX_WAITING = 2000;
/** A replica that failed is left alone for so long, and then tried by one request. */
const REST_MS = 1000;
/** One that is behind is given so long to catch up. */
const CATCHING_UP_MS = 100;

export interface Statement {
  name: string;
  text: string;
}

export interface ServersOptions {
  url: string;
  readUrls: readonly string[];
  /** To each server, at most. */
  connections: number;
  /** Told when a replica is given up, and when it is used again. */
  onChange: (server: string, isAway: boolean, reason: string) => void;
}

/** Rows, and the revision of the catalogue that they are of. */
export interface Answer {
  version: number;
  rows: unknown[][];
}

interface Server {
  name: string;
  pool: pg.Pool;
  /** Whether the last statement was answered. */
  isUp: boolean;
  /** When a replica that failed, or was behind, may be asked again. */
  restsUntil: number;
  reads: number;
  /** What those took in all, in milliseconds, the wait for a connection included. */
  took: number;
  failures: number;
  /** How often it answered from an older catalogue than we know of. */
  behind: number;
}

export class Servers {
  readonly #primary: Server;
  readonly #replicas: Server[];
  readonly #onChange: ServersOptions['onChange'];
  #turn = 0;
  /** The newest revision of the catalogue that is known of. */
  revision = 0;

  constructor({ url, readUrls, connections, onChange }: ServersOptions) {
    this.#onChange = onChange;
    this.#primary = openServer('primary', url, connections);
    this.#replicas = readUrls.map((readUrl, index) =>
      openServer(`replica ${index + 1}`, readUrl, connections),
    );
  }

  /** Someone says that there is such a revision. */
  hearOf(revision: number): void {
    if (Number.isSafeInteger(revision)) this.revision = Math.max(revision, this.revision);
  }

  /** What the primary answers, rows as arrays. */
  async ask(statement: Statement, values: unknown[]): Promise<unknown[][]> {
    try {
      const rows = await query(this.#primary, statement, values);
      this.#primary.isUp = true;
      return rows;
    } catch (error) {
      this.#primary.failures++;
      this.#primary.isUp = !isOutage(error);
      throw isOutage(error) ? new Unavailable(`PostgreSQL: ${reasonOf(error)}`, { cause: error }) : error;
    }
  }

  /**
   * What a server answers whose catalogue is as new as any that was seen before. The first column of each row is the
   * revision, and there is always a row.
   */
  async read(statement: Statement, values: unknown[]): Promise<Answer> {
    for (const replica of this.#inTurn()) {
      const answer = await this.#try(replica, statement, values);
      if (answer === undefined) continue;
      if (answer.version >= this.revision) {
        this.revision = answer.version;
        return answer;
      }
      replica.behind++;
      replica.restsUntil = performance.now() + CATCHING_UP_MS;
    }
    const known = this.revision;
    const rows = await this.ask(statement, values);
    const version = revisionIn(rows);
    // The primary is right even when it is behind what was known: it was restored from a backup.
    this.revision = version < known ? version : Math.max(version, this.revision);
    return { version, rows };
  }

  metrics(): Metric[] {
    const servers = [this.#primary, ...this.#replicas];
    const metric = (
      name: string,
      type: Metric['type'],
      help: string,
      measure: (server: Server) => number,
    ): Metric => ({
      name: `zukan_database_${name}`,
      type,
      help,
      samples: servers.map((server) => ({ labels: { server: server.name }, value: measure(server) })),
    });
    return [
      metric('reads_total', 'counter', 'Statements that a server answered.', ({ reads }) => reads),
      metric(
        'read_seconds_total',
        'counter',
        'Time that they took, from asking for a connection on.',
        ({ took }) => took / 1000,
      ),
      metric('failures_total', 'counter', 'Statements that failed.', ({ failures }) => failures),
      metric('behind_total', 'counter', 'Answers not used: of an old catalogue.', ({ behind }) => behind),
      metric('up', 'gauge', 'Whether the server is in use.', ({ isUp }) => (isUp ? 1 : 0)),
      metric('connections', 'gauge', 'Open connections.', ({ pool }) => pool.totalCount),
      metric('connections_idle', 'gauge', 'Connections not in use.', ({ pool }) => pool.idleCount),
      metric('connections_max', 'gauge', 'Connections that may be open.', ({ pool }) => pool.options.max),
      metric('waiting', 'gauge', 'Requests that wait for a connection.', ({ pool }) => pool.waitingCount),
    ];
  }

  degradedReason(): string | undefined {
    const away = this.#replicas.filter(({ isUp }) => !isUp).map(({ name }) => name);
    if (away.length === 0) return undefined;
    return `${away.join(' and ')} ${away.length === 1 ? 'does' : 'do'} not answer: other servers are read instead`;
  }

  async close(): Promise<void> {
    await soon(Promise.all([this.#primary, ...this.#replicas].map(({ pool }) => pool.end())));
  }

  /** The replicas that may be asked, each time beginning with another one. */
  *#inTurn(): Generator<Server, void> {
    const count = this.#replicas.length;
    const first = count > 0 ? this.#turn++ % count : 0;
    for (let index = 0; index < count; index++) {
      const replica = this.#replicas[(first + index) % count] as Server;
      const now = performance.now();
      if (now < replica.restsUntil) continue;
      // Of a replica that failed, one request finds out how it is; the others do not wait for that.
      if (!replica.isUp) replica.restsUntil = now + REST_MS;
      yield replica;
    }
  }

  async #try(replica: Server, statement: Statement, values: unknown[]): Promise<Answer | undefined> {
    try {
      const rows = await query(replica, statement, values);
      const version = revisionIn(rows);
      if (!replica.isUp) this.#onChange(replica.name, false, 'it answers again');
      replica.isUp = true;
      replica.restsUntil = 0;
      return { version, rows };
    } catch (error) {
      replica.failures++;
      if (replica.isUp) this.#onChange(replica.name, true, reasonOf(error));
      replica.isUp = false;
      replica.restsUntil = performance.now() + REST_MS;
      return undefined;
    }
  }
}

function revisionIn(rows: unknown[][]): number {
  const revision = rows[0]?.[0];
  if (Number.isSafeInteger(revision)) return revision as number;
  throw new Unavailable('PostgreSQL: the catalogue has no revision');
}

function openServer(name: string, url: string, connections: number): Server {
  const pool = new pg.Pool({
    ...settings(url),
    max: connections,
    connectionTimeoutMillis: CONNECTION_MS,
    query_timeout: STATEMENT_MS + GRACE_MS,
    // Every statement looks rows up by an index, whatever the values: planning it anew for each would gain nothing.
    onConnect: (client) =>
      client.query(
        `set search_path to ${SCHEMA}; set statement_timeout to ${STATEMENT_MS};
         set plan_cache_mode to force_generic_plan; set enable_memoize to off; set default_transaction_read_only to ${name !== 'primary'}`,
      ),
  });
  // A connection that breaks while it is idle is replaced when it is needed.
  pool.on('error', () => {});
  return { name, pool, isUp: true, restsUntil: 0, reads: 0, took: 0, failures: 0, behind: 0 };
}

async function query(server: Server, { name, text }: Statement, values: unknown[]): Promise<unknown[][]> {
  if (server.pool.waitingCount >= MAX_WAITING)
    throw new Unavailable('too many requests wait for a connection');
  const begun = performance.now();
  const { rows } = await server.pool.query({ name, text, values, rowMode: 'array' });
  server.reads++;
  server.took += performance.now() - begun;
  return rows;
}

/**
 * What passes: no connection, or a server that is overloaded, stopping or starting. A statement that was planned before a
 * migration fails once (0A000). The rest are mistakes of ours.
 */
function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|53|57|58|0A000|25006)/.test(error.code ?? '');
  return !(error instanceof TypeError || error instanceof RangeError);
}
