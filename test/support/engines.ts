/** The stores that there are: what holds for one has to hold for each. */
import { DatabaseSync } from 'node:sqlite';
import { after, describe } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { findPostgres, installPostgres, unless } from './needs.ts';
import { psql, startPostgres } from './postgres.ts';

export interface Engine {
  name: string;
  /** The variables that name a new, empty catalogue of this engine. */
  environment(): Record<string, string>;
}

/** Beside the DATA_DIR, which tests choose anew each time. */
export const sqlite: Engine = { name: 'SQLite', environment: () => ({}) };

/** Has a suite run on each store. Call it at the top of a file, and wait for it. */
export async function forEachEngine(suite: (engine: Engine) => void | Promise<void>): Promise<void> {
  const engines = [sqlite];
  if (!unless(findPostgres(), 'PostgreSQL', installPostgres)) {
    const server = await startPostgres();
    after(() => server.discard());
    engines.push({ name: 'PostgreSQL', environment: () => ({ DATABASE_URL: server.newDatabase() }) });
  }
  for (const engine of engines) describe(engine.name, () => suite(engine));
}

/** The rows of a query on the catalogue itself. */
export function rowsIn({ database }: Config, sql: string): object[] {
  if (database.engine === 'postgres')
    return JSON.parse(
      psql(database.url, `set search_path to zukan; select coalesce(json_agg(r), '[]') from (${sql}) r`),
    );
  using connection = new DatabaseSync(database.path, { readOnly: true });
  return connection.prepare(sql).all();
}

/** Changes the catalogue behind the back of the program. */
export function tamper({ database }: Config, sql: string): void {
  if (database.engine === 'postgres') {
    psql(database.url, `set search_path to zukan; ${sql}`);
  } else {
    using connection = new DatabaseSync(database.path);
    connection.exec(sql);
  }
}
