/**
 * Reads from PostgreSQL: from the replicas in turn if there are any, else from the primary. If a replica is unavailable,
 * slow or behind, the next server is read. If the primary does not respond in time, the error is `Unavailable`: a
 * request waits for a connection and for its statement, but never for long.
 */
import pg from 'pg';
import { type Metric, metric, Unavailable } from '../../../lib/metrics.ts';
import { clientSettings, errorMessage, isOutage, waitForClose } from './connection.ts';
import { SCHEMA } from './schema.ts';

// One PostgreSQL server: its connection pool, its state and its metrics.

/** Beyond this many waiting requests, new ones fail at once. */
const MAX_WAITING = 2000;
/** The client gives up this long after the server should have cancelled a statement. */
const STATEMENT_GRACE_MS = 500;

export interface Statement {
  name: string;
  text: string;
}

interface DatabaseServerOptions {
  /** The maximum. */
  connections: number;
  /** How long a request waits for a free or new connection. */
  connectionTimeoutMs: number;
  statementTimeoutMs: number;
}

class Server {
  readonly name: string;
  readonly pool: pg.Pool;
  /** Whether the last statement succeeded. */
  isUp = true;
  /** A replica is not read before this time. */
  skipUntil = 0;
  failures = 0;
  /** Results that were discarded because a newer revision was known. */
  staleReads = 0;
  reads = 0;
  /** The total duration of those reads, including the wait for a connection. */
  readMs = 0;

  constructor(name: string, url: string, options: DatabaseServerOptions & { isReadOnly: boolean }) {
    this.name = name;
    this.pool = new pg.Pool({
      ...clientSettings(url, options.connectionTimeoutMs),
      max: options.connections,
      query_timeout: options.statementTimeoutMs + STATEMENT_GRACE_MS,
      // Every statement looks up rows by index whatever its values, so a custom plan would gain nothing.
      onConnect: (client) =>
        client.query(
          `set search_path to ${SCHEMA}; set statement_timeout to ${options.statementTimeoutMs};
           set plan_cache_mode to force_generic_plan; set enable_memoize to off; set jit to off;
           set default_transaction_read_only to ${options.isReadOnly}`,
        ),
    });
    // The pool replaces an idle connection that breaks.
    this.pool.on('error', () => {});
  }

  /** Returns the rows as arrays. */
  async query({ name, text }: Statement, values: unknown[]): Promise<unknown[][]> {
    if (this.pool.waitingCount >= MAX_WAITING)
      throw new Unavailable('too many requests are waiting for a connection');
    const startedAt = performance.now();
    const { rows } = await this.pool.query({ name, text, values, rowMode: 'array' });
    this.reads++;
    this.readMs += performance.now() - startedAt;
    return rows;
  }
}

function serverMetrics(servers: Server[]): Metric[] {
  const each = (name: string, type: Metric['type'], help: string, measure: (server: Server) => number) => {
    const samples = servers.map((server) => ({ labels: { server: server.name }, value: measure(server) }));
    return metric(`zukan_database_${name}`, type, help, samples);
  };
  const duration = 'Total duration of successful statements in seconds, including the wait for a connection.';
  const behind = 'Results discarded because the replica was behind.';
  const up = 'Whether the last statement succeeded (1) or failed (0).';
  const max = 'Maximum number of open connections.';
  return [
    each('reads_total', 'counter', 'Successful statements.', ({ reads }) => reads),
    each('read_seconds_total', 'counter', duration, ({ readMs }) => readMs / 1000),
    each('failures_total', 'counter', 'Failed statements.', ({ failures }) => failures),
    each('behind_total', 'counter', behind, ({ staleReads }) => staleReads),
    { ...each('up', 'gauge', up, ({ isUp }) => (isUp ? 1 : 0)), across: 'min' },
    each('connections', 'gauge', 'Open connections.', ({ pool }) => pool.totalCount),
    each('connections_idle', 'gauge', 'Idle connections.', ({ pool }) => pool.idleCount),
    each('connections_max', 'gauge', max, ({ pool }) => pool.options.max),
    each('waiting', 'gauge', 'Requests waiting for a connection.', ({ pool }) => pool.waitingCount),
  ];
}

export interface ServersOptions extends Partial<DatabaseServerOptions> {
  url: string;
  readUrls: readonly string[];
  connections: number;
  /** Called when a replica becomes unavailable, and when it is available again. */
  onChange: (server: string, isUnavailable: boolean, reason: string) => void;
  /** A monotonic clock in milliseconds. */
  clock?: () => number;
  /** How long a failed replica is skipped. Then one request tries it. */
  skipFailedMs?: number;
  /** How long a replica that is behind is skipped. */
  skipStaleMs?: number;
}

/** Nobody else can respond instead of the primary, so a busy machine gets more time to accept a connection. */
const PRIMARY_CONNECTION_TIMEOUT_MS = 2000;

const defaults = {
  clock: () => performance.now(),
  connectionTimeoutMs: 500,
  statementTimeoutMs: 2000,
  skipFailedMs: 1000,
  skipStaleMs: 100,
};

/** Rows, and the catalogue revision that they were read from. */
interface VersionedRows {
  version: number;
  rows: unknown[][];
}

export class Servers {
  readonly #options: Required<ServersOptions>;
  readonly #primary: Server;
  readonly #replicas: Server[];
  #nextReplica = 0;
  /** The newest known revision of the catalogue that a server can read. */
  revision = 0;
  /** One that was announced, but only the lost primary had. */
  #lostRevision = 0;

  constructor(options: ServersOptions) {
    this.#options = { ...defaults, ...options };
    const { connectionTimeoutMs = PRIMARY_CONNECTION_TIMEOUT_MS } = options;
    this.#primary = new Server('primary', options.url, {
      ...this.#options,
      connectionTimeoutMs,
      isReadOnly: false,
    });
    this.#replicas = options.readUrls.map(
      (url, index) => new Server(`replica ${index + 1}`, url, { ...this.#options, isReadOnly: true }),
    );
  }

  /** Records that a revision was announced. */
  noteRevision(revision: number): void {
    if (Number.isSafeInteger(revision)) this.revision = Math.max(revision, this.revision);
  }

  /** Runs a statement on the primary and returns its rows as arrays. */
  async queryPrimary(statement: Statement, values: unknown[]): Promise<unknown[][]> {
    try {
      const rows = await this.#primary.query(statement, values);
      this.#primary.isUp = true;
      return rows;
    } catch (error) {
      this.#primary.failures++;
      this.#primary.isUp = !isOutage(error);
      throw isOutage(error) ? new Unavailable(`PostgreSQL: ${errorMessage(error)}`, { cause: error }) : error;
    }
  }

  /**
   * Reads from a server whose catalogue is at least as new as any seen before. The statement must return at least one
   * row, and the revision as the first column.
   */
  async read(statement: Statement, values: unknown[]): Promise<VersionedRows> {
    for (const replica of this.#availableReplicas()) {
      const result = await this.#readReplica(replica, statement, values);
      if (result === undefined) continue;
      if (result.version >= this.revision) {
        this.revision = result.version;
        return result;
      }
      replica.staleReads++;
      this.#skip(replica, this.#options.skipStaleMs);
    }
    const known = this.revision;
    try {
      const rows = await this.queryPrimary(statement, values);
      const version = revisionIn(rows);
      // The primary is right even if it is older than a known revision: then it was restored from a backup.
      this.revision = version < known ? version : Math.max(version, this.revision);
      this.#lostRevision = 0;
      return { version, rows };
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return await this.#readNewest(statement, values, error);
    }
  }

  /** Reads from the replica that has most while the primary is lost: its last commits may be lost with it. */
  async #readNewest(statement: Statement, values: unknown[], lost: Unavailable): Promise<VersionedRows> {
    let newest: VersionedRows | undefined;
    for (const replica of this.#replicas.filter(({ isUp }) => isUp)) {
      const result = await this.#readReplica(replica, statement, values);
      if (result && result.version > (newest?.version ?? 0)) newest = result;
    }
    if (!newest) throw lost;
    this.#lostRevision = Math.max(this.#lostRevision, this.revision);
    this.revision = newest.version;
    return newest;
  }

  metrics(): Metric[] {
    return serverMetrics([this.#primary, ...this.#replicas]);
  }

  degradedReason(): string | undefined {
    if (this.revision < this.#lostRevision)
      return 'primary unavailable; serving what a replica has, which lacks the last changes';
    const names = this.#replicas.filter(({ isUp }) => !isUp).map(({ name }) => name);
    return names.length === 0 ? undefined : `${names.join(' and ')} unavailable; reading from other servers`;
  }

  async close(): Promise<void> {
    await waitForClose(Promise.all([this.#primary, ...this.#replicas].map(({ pool }) => pool.end())));
  }

  /** The replicas that are not skipped now, starting with a different one each time. */
  *#availableReplicas(): Generator<Server, void> {
    const count = this.#replicas.length;
    const first = count > 0 ? this.#nextReplica++ % count : 0;
    for (let index = 0; index < count; index++) {
      const replica = this.#replicas[(first + index) % count] as Server;
      if (this.#options.clock() < replica.skipUntil) continue;
      // Only this request tries a failed replica; the others do not wait for the outcome.
      if (!replica.isUp) this.#skip(replica, this.#options.skipFailedMs);
      yield replica;
    }
  }

  #skip(replica: Server, milliseconds: number): void {
    replica.skipUntil = this.#options.clock() + milliseconds;
  }

  async #readReplica(
    replica: Server,
    statement: Statement,
    values: unknown[],
  ): Promise<VersionedRows | undefined> {
    try {
      const rows = await replica.query(statement, values);
      const version = revisionIn(rows);
      if (!replica.isUp) this.#options.onChange(replica.name, false, 'it responds again');
      replica.isUp = true;
      replica.skipUntil = 0;
      return { version, rows };
    } catch (error) {
      replica.failures++;
      if (replica.isUp) this.#options.onChange(replica.name, true, errorMessage(error));
      replica.isUp = false;
      this.#skip(replica, this.#options.skipFailedMs);
      return undefined;
    }
  }
}

function revisionIn(rows: unknown[][]): number {
  const revision = rows[0]?.[0];
  if (Number.isSafeInteger(revision)) return revision as number;
  throw new Unavailable('PostgreSQL: the catalogue has no revision');
}
