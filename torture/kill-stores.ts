/** Catalogues that can be copied, so that every kill begins with the same one. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../test/support/checks/dump.ts';
import { psqlLater } from '../test/support/servers/postgres.ts';
import { until } from '../test/support/until.ts';
import { configFor, filesFolder } from '../test/support/zukan/service.ts';
import { type Engines, type Environment, runOrThrow } from './servers.ts';

/** A catalogue of its own. */
export interface Place {
  environment: Environment;
  /** All records and tokens, as text that can be compared: without the times of removals. */
  contents(): Promise<string>;
  /** Every file in the storage, with those of journals and unfinished writes. */
  stored(): string[];
  /** In a folder of its own, or in this one. */
  copy(folder?: string): Promise<Place>;
  /** Waits until the database has ended the sessions of killed processes: one may still commit. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

const timeOfRemoval = /^(\{"type":"removed".*"createdAt":)"[^"]*"/gm;
let count = 0;

export function newPlaces(
  folder: string,
  { postgres }: Pick<Engines, 'postgres'>,
): [name: string, place: Place][] {
  const place = (environment: Environment, database: Database): Place => ({
    environment,
    async contents() {
      const records = await runOrThrow(['export'], environment);
      const tokens = await runOrThrow(['token', 'list', '--json'], environment);
      return records.replaceAll(timeOfRemoval, '$1""') + tokens;
    },
    stored: () =>
      filesIn(filesFolder(configFor('', environment))).map((line) => line.split(' ')[0] as string),
    async copy(DATA_DIR = join(folder, `copy-${++count}`)) {
      cpSync(environment.DATA_DIR as string, DATA_DIR, { recursive: true });
      const copied = await database.copy();
      return place({ DATA_DIR, ...copied.environment }, copied);
    },
    settle: () => database.settle(),
    async remove() {
      await database.remove();
      rmSync(environment.DATA_DIR as string, { recursive: true });
    },
  });
  const places: [string, Place][] = [['SQLite', place({ DATA_DIR: join(folder, 'sqlite') }, sqlite)]];
  if (postgres) {
    const database = postgresDatabase(postgres.url(), postgres.newDatabase());
    places.push([
      'PostgreSQL',
      place({ DATA_DIR: join(folder, 'postgres'), ...database.environment }, database),
    ]);
  }
  return places;
}

interface Database {
  environment: Environment;
  copy(): Promise<Database>;
  settle(): Promise<void>;
  remove(): Promise<void>;
}

/** Part of DATA_DIR. */
const sqlite: Database = {
  environment: {},
  copy: async () => sqlite,
  settle: async () => {},
  remove: async () => {},
};

function postgresDatabase(serverUrl: string, url: string): Database {
  const name = new URL(url).pathname.slice(1);
  const sessions = `from pg_stat_activity where datname = '${name}'`;
  return {
    environment: { DATABASE_URL: url },
    async copy() {
      const copied = `copy_${++count}`;
      await psqlLater(serverUrl, `create database ${copied} template ${name}`);
      return postgresDatabase(serverUrl, url.replace(/[^/]*$/, copied));
    },
    settle: () =>
      until(
        'killed sessions have ended',
        async () => (await psqlLater(serverUrl, `select count(*) ${sessions}`)).trim() === '0',
      ),
    async remove() {
      await psqlLater(serverUrl, `drop database ${name} with (force)`);
    },
  };
}
