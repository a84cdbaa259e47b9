/** Catalogues that can be copied, so that every kill begins with the same one. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../test/support/checks/dump.ts';
import { psqlLater } from '../test/support/servers/postgres.ts';
import { until } from '../test/support/until.ts';
import { configFor, filesFolder } from '../test/support/zukan/service.ts';
import { type Engines, type Environment, newCatalogues, runOrThrow } from './servers.ts';

type Stores = Pick<Engines, 'postgres'>;

const timeOfRemoval = /^(\{"type":"removed".*"createdAt":)"[^"]*"/gm;
let count = 0;

/** A catalogue of its own. */
export class Place {
  readonly environment: Environment;
  readonly #folder: string;
  readonly #stores: Stores;

  /** Copies get folders in this one. */
  constructor(folder: string, environment: Environment, stores: Stores) {
    this.#folder = folder;
    this.environment = environment;
    this.#stores = stores;
  }

  get dataDir(): string {
    return this.environment.DATA_DIR as string;
  }

  /** All records and tokens, as text that can be compared: without the times of removals. */
  async contents(): Promise<string> {
    const records = await runOrThrow(['export'], this.environment);
    const tokens = await runOrThrow(['token', 'list', '--json'], this.environment);
    return records.replaceAll(timeOfRemoval, '$1""') + tokens;
  }

  /** Every file in the storage, with those of journals and unfinished writes. */
  stored(): string[] {
    const files = filesIn(filesFolder(configFor('', this.environment)));
    return files.map((line) => line.split(' ')[0] as string);
  }

  async copy(DATA_DIR = join(this.#folder, `copy-${++count}`)): Promise<Place> {
    cpSync(this.dataDir, DATA_DIR, { recursive: true });
    const { DATABASE_URL: url } = this.environment;
    if (!url) return new Place(this.#folder, { DATA_DIR }, this.#stores);
    const copied = `copy_${++count}`;
    await this.#query(`create database ${copied} template ${this.#database}`);
    const environment = { DATA_DIR, DATABASE_URL: url.replace(/[^/]*$/, copied) };
    return new Place(this.#folder, environment, this.#stores);
  }

  /** Waits until the database has ended the sessions of killed processes: one may still commit. */
  async settle(): Promise<void> {
    const sessions = `select count(*) from pg_stat_activity where datname = '${this.#database}'`;
    if (this.#database)
      await until('killed sessions have ended', async () => (await this.#query(sessions)).trim() === '0');
  }

  async remove(): Promise<void> {
    if (this.#database) await this.#query(`drop database ${this.#database} with (force)`);
    rmSync(this.dataDir, { recursive: true });
  }

  /** While other kills go on: PostgreSQL may wait for one of them. */
  #query(sql: string): Promise<string> {
    return psqlLater(this.#stores.postgres?.url() ?? '', sql);
  }

  get #database(): string | undefined {
    const { DATABASE_URL: url } = this.environment;
    return url && new URL(url).pathname.slice(1);
  }
}

export const newPlaces = (folder: string, stores: Stores): [name: string, place: Place][] =>
  newCatalogues(folder, stores).map(([name, environment]) => [name, new Place(folder, environment, stores)]);
