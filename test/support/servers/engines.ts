/** Runs the same tests on every store. */
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { createCatalogue } from '../../../src/server/engines.ts';
import { atDepth } from '../depth.ts';
import { temporaryFolder } from '../workspace.ts';
import { findPostgres, installPostgres, unless } from './needs.ts';
import { type Postgres, psql, sharedPostgres } from './postgres.ts';

export interface Engine {
  name: string;
  /** The variables for a new catalogue without images. In PostgreSQL, its tables exist already. */
  environment(): Record<string, string>;
  /** The variables for a catalogue that a command must create first. */
  withoutCatalogue(): Record<string, string>;
  /** The variables for a copy of a catalogue that nobody uses. The caller copies its folder. */
  copy(database: Config['database']): Record<string, string>;
}

/** The default: a file in DATA_DIR, which every test chooses itself. */
export const sqlite: Engine = {
  name: 'SQLite',
  environment: () => ({}),
  withoutCatalogue: () => ({}),
  copy: () => ({}),
};

type Suite = (engine: Engine) => void | Promise<void>;

/** For what does not depend on the store: runs a suite on SQLite, and in `test:all` on each store. */
export async function forEachEngineInDepth(suite: Suite): Promise<void> {
  if (atDepth(false, true)) await forEachEngine(suite);
  else describe(sqlite.name, () => suite(sqlite));
}

/** Whether to test every case on this store: on SQLite always, on the others in `test:all`. */
export const isEveryCase = (engine: Engine) => atDepth(engine === sqlite, true);

/** Declares a test of what does not depend on the store: on SQLite, and in `test:all` on the other stores too. */
export const testOnOneStore = (engine: Engine): ((name: string, body: () => Promise<void>) => void) =>
  isEveryCase(engine) ? (name, body) => void test(name, body) : () => {};

/** The cases to test on this store: every one, or one in `step`. */
export const casesFor = <T>(engine: Engine, cases: T[], step: number): T[] =>
  cases.filter((_, at) => isEveryCase(engine) || at % step === 0);

/** Runs a suite on each store. Await it at the top level of a test file. */
export async function forEachEngine(suite: Suite): Promise<void> {
  const engines = [sqlite];
  if (!unless(findPostgres(), 'PostgreSQL', installPostgres)) {
    const server = await sharedPostgres();
    const newCatalogue = await sharedTemplate(server);
    engines.push({
      name: 'PostgreSQL',
      environment: () => variables(server.newDatabase(newCatalogue)),
      withoutCatalogue: () => variables(server.newDatabase()),
      copy: (database) => variables(server.newDatabase((database as { url: string }).url)),
    });
  }
  for (const engine of engines) describe(engine.name, () => suite(engine));
}

/** A busy machine may take seconds for a connection. */
const variables = (url: string) => ({ DATABASE_URL: `${url}?connect_timeout=60` });

let template: Promise<string> | undefined;

/** The database that new catalogues are copied from: migrating each takes twice as long. */
async function sharedTemplate(server: Postgres): Promise<string> {
  template ??= createTemplate(server);
  // Not the promise itself: who awaits a promise continues as part of the test that created it.
  return await template;
}

async function createTemplate(server: Postgres): Promise<string> {
  const url = server.newDatabase();
  // Not the folder of a server that somebody has tried here.
  await createCatalogue(readConfig({ DATABASE_URL: url, DATA_DIR: temporaryFolder() }));
  return url;
}

/** The variables that name a catalogue, for a command. */
export function environmentOf({ dataDir, database }: Config): Record<string, string> {
  return { DATA_DIR: dataDir, ...(database.engine === 'postgres' && { DATABASE_URL: database.url }) };
}

/** Queries the catalogue's database directly. */
export function rowsIn(config: Config, sql: string): object[] {
  return tablesIn(config, { rows: sql }).rows;
}

/** The rows of several queries. */
export function tablesIn<Name extends string>(
  { database }: Config,
  queries: Record<Name, string>,
): Record<Name, object[]> {
  const entries = Object.entries<string>(queries);
  if (database.engine === 'postgres') {
    // One statement: starting psql takes longer than most queries.
    const rows = entries.map(
      ([name, sql]) => `'${name}', (select coalesce(json_agg(r), '[]') from (${sql}) r)`,
    );
    const text = psql(database.url, `set search_path to zukan; select json_build_object(${rows.join()})`);
    return JSON.parse(text);
  }
  using connection = new DatabaseSync(database.path, { readOnly: true });
  const tables = entries.map(([name, sql]) => [name, connection.prepare(sql).all()]);
  return Object.fromEntries(tables);
}

/** Changes the catalogue's database directly. */
export function tamper({ database }: Config, sql: string): void {
  if (database.engine === 'postgres') {
    psql(database.url, `set search_path to zukan; ${sql}`);
  } else {
    using connection = new DatabaseSync(database.path);
    connection.exec(sql);
  }
}
