/** One PostgreSQL server: its connection pool, its state and its metrics. */
import pg from 'pg';
import { Unavailable } from '../../../lib/errors.ts';
import type { Metric } from '../../../lib/metrics.ts';
import { clientSettings } from './connection.ts';
import { SCHEMA } from './schema.ts';

/** Beyond this many waiting requests, new ones fail at once. */
const MAX_WAITING = 2000;
/** The client gives up this long after the server should have cancelled a statement. */
const STATEMENT_GRACE_MS = 500;

export interface Statement {
  name: string;
  text: string;
}

export interface DatabaseServerOptions {
  /** The maximum. */
  connections: number;
  /** How long a request waits for a free or new connection. */
  connectionTimeoutMs: number;
  statementTimeoutMs: number;
}

export class Server {
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

export function serverMetrics(servers: Server[]): Metric[] {
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
  const duration = 'Total duration of successful statements in seconds, including the wait for a connection.';
  const behind = 'Results discarded because the replica was behind.';
  const up = 'Whether the last statement succeeded (1) or failed (0).';
  const max = 'Maximum number of open connections.';
  return [
    metric('reads_total', 'counter', 'Successful statements.', ({ reads }) => reads),
    metric('read_seconds_total', 'counter', duration, ({ readMs }) => readMs / 1000),
    metric('failures_total', 'counter', 'Failed statements.', ({ failures }) => failures),
    metric('behind_total', 'counter', behind, ({ staleReads }) => staleReads),
    { ...metric('up', 'gauge', up, ({ isUp }) => (isUp ? 1 : 0)), across: 'min' },
    metric('connections', 'gauge', 'Open connections.', ({ pool }) => pool.totalCount),
    metric('connections_idle', 'gauge', 'Idle connections.', ({ pool }) => pool.idleCount),
    metric('connections_max', 'gauge', max, ({ pool }) => pool.options.max),
    metric('waiting', 'gauge', 'Requests waiting for a connection.', ({ pool }) => pool.waitingCount),
  ];
}
