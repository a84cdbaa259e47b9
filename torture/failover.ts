/**
 * A failover of PostgreSQL that loses commits, while a server is read. The database is replaced by an older copy of itself,
 * as a replica that had not received the last commits would replace it. Every import gives all images and their category a
 * new mark, so that a response shows which state it comes from.
 */
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { keyed } from '../test/support/catalogues/import.ts';
import { toLines } from '../test/support/catalogues/lines.ts';
import { type Postgres, psql, psqlLater } from '../test/support/servers/postgres.ts';
import { until } from '../test/support/until.ts';
import { type Random, randomFor } from './random.ts';
import type { Report } from './report.ts';
import { type Environment, runOrThrow, startTarget, type Target, warmUp } from './servers.ts';
import type { Run } from './torture.ts';

const READERS = 4;
const READS = 200;
const IMAGES = 30;
const MAX_IMPORTS = 3;
const paths = [
  '/api/image/random?limit=25',
  '/api/image/random?limit=25&categories=all',
  '/api/image/latest?limit=25',
  `/api/image/${uuid(4, 1)}`,
];

export async function failOver(postgres: Postgres, { folder, report, announce, ...run }: Run): Promise<void> {
  const what = 'fault: failover that loses commits';
  announce(what);
  const random = randomFor(run.seed, what);
  const database = new Database(postgres);
  const environment = { DATA_DIR: folder, DATABASE_URL: database.url, RATE_LIMIT: 'off', WORKERS: '2' };
  const states = new States();
  try {
    let images = await importSome(environment, [...Array(IMAGES).keys()], states, random);
    await using target = await startTarget('PostgreSQL', { ...environment, LOG_LEVEL: 'silent' });
    await using readers = new Readers(what, target, states, report);
    for (let count = 0; count < run.failovers; count++) {
      images = await importSome(environment, images, states, random);
      // Then both histories have the same numbers of revisions.
      if (random.chance(0.5)) psql(database.url, 'update zukan.revision set number = number + 1e12');
      await readers.duringOutage(() => database.copy());
      const kept = states.current;
      const lost = await importSome(environment, images, states, random);
      await readers.readMore();
      await readers.duringOutage(async () => {
        states.admit(kept);
        await database.replaceByCopy();
        states.settle(kept);
      });
      for (const image of new Set(lost).difference(new Set(images))) await expectMissing(target, image);
      // A commit that changes no image: what the server has cached of the lost ones must not pass for current.
      await importLines([{ type: 'artist', name: `${count}` }], environment);
      await readers.readMore();
      images = await importSome(environment, images, states, random);
    }
    const ending = target.ending();
    if (ending) throw new Error(ending);
  } catch (error) {
    report.fail(what, (error as Error).message);
  }
}

/** Ids are never used twice, so that what was lost stays unknown. */
let lastImage = IMAGES;

/** Some imports, each of which changes all images and adds some. Returns the numbers of all images. */
async function importSome(
  environment: Environment,
  images: number[],
  states: States,
  random: Random,
): Promise<number[]> {
  let all = images;
  for (let left = 1 + random.below(MAX_IMPORTS); left > 0; left--) {
    const mark = states.next();
    all = [...all, ...Array.from({ length: 1 + random.below(3) }, () => ++lastImage)];
    const category = { type: 'category', id: uuid(1, 1), name: 'all', description: mark };
    const lines = [category, ...all.map((image) => imageWith(image, mark))];
    states.admit(mark);
    await importLines(lines, environment);
    states.settle(mark);
  }
  return all;
}

const importLines = (lines: object[], environment: Environment) =>
  runOrThrow(['import', '--quiet', '-'], environment, toLines(lines));

const imageWith = (image: number, mark: string) =>
  keyed(image, { id: uuid(4, image), source: { name: mark, url: '' }, nsfw: 'sfw', categories: ['all'] });

async function expectMissing({ origin }: Target, image: number): Promise<void> {
  const { status } = await fetch(`${origin}/api/image/${uuid(4, image)}`);
  if (status !== 404) throw new Error(`status ${status} for an image that was lost`);
}

/** The states that the catalogue had, by their marks, and until when. */
class States {
  readonly #states: { mark: string; until: number }[] = [];
  #count = 0;

  get current(): string {
    return this.#states.find(({ until }) => until === Number.POSITIVE_INFINITY)?.mark ?? '';
  }

  next(): string {
    return `state ${++this.#count}`;
  }

  /** From now on the catalogue may have this state. */
  admit(mark: string): void {
    this.#states.push({ mark, until: Number.POSITIVE_INFINITY });
  }

  /** From now on it has no other one. */
  settle(mark: string): void {
    for (const state of this.#states)
      if (state.mark !== mark) state.until = Math.min(state.until, performance.now());
  }

  /** Those that it had since this time. */
  since(time: number): string[] {
    return this.#states.flatMap(({ mark, until }) => (until >= time ? mark : []));
  }
}

/** Clients that read all the time, until this is disposed of. */
class Readers implements AsyncDisposable {
  readonly #what: string;
  readonly #target: Target;
  readonly #states: States;
  readonly #report: Report;
  readonly #reading: Promise<unknown>;
  #count = 0;
  #outages = 0;
  #isOutage = false;
  #isStopped = false;

  constructor(what: string, target: Target, states: States, report: Report) {
    this.#what = what;
    this.#target = target;
    this.#states = states;
    this.#report = report;
    this.#reading = Promise.all(Array.from({ length: READERS }, (_, number) => this.#readOn(number)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#reading;
  }

  /** Meanwhile, and until the service has recovered, a response may be a 503. */
  async duringOutage(work: () => Promise<void>): Promise<void> {
    this.#outages++;
    this.#isOutage = true;
    await work();
    await warmUp(this.#target);
    this.#isOutage = false;
  }

  /** Waits until they have read for a while, so that caches are filled and used. */
  async readMore(): Promise<void> {
    const enough = this.#count + READS;
    await until('clients have read', () => this.#count > enough);
  }

  async #readOn(number: number): Promise<void> {
    for (let turn = number; !this.#isStopped; turn++) {
      const path = paths[turn % paths.length] as string;
      const startedAt = performance.now();
      try {
        await this.#read(path, startedAt);
      } catch (error) {
        this.#report.fail(this.#what, `${path}: ${(error as Error).message}`);
      }
      this.#count++;
      this.#report.add(this.#what, performance.now() - startedAt);
    }
  }

  async #read(path: string, startedAt: number): Promise<void> {
    const [outages, isOutage] = [this.#outages, this.#isOutage];
    const response = await fetch(this.#target.origin + path);
    const text = await response.text();
    if (response.status === 503 && (isOutage || this.#outages > outages)) return;
    if (response.status !== 200) throw new Error(`status ${response.status}: ${text}`);
    const [mark, other] = marksIn(text);
    if (mark === undefined || other !== undefined) throw new Error(`a response mixes ${mark} and ${other}`);
    const possible = this.#states.since(startedAt);
    if (!possible.includes(mark)) throw new Error(`shows ${mark} instead of ${possible.join(' or ')}`);
  }
}

/** What the images of a response, and their category, are marked with. */
export function marksIn(text: string): Set<string> {
  const { data } = JSON.parse(text) as { data: Marked | Marked[] };
  return new Set(
    [data].flat().flatMap(({ source, categories }) => [source.name, categories[0]?.description ?? '']),
  );
}

interface Marked {
  source: { name: string };
  categories: { description: string }[];
}

/** A database that is copied and replaced while a server uses it. */
class Database {
  readonly #postgres: Postgres;
  readonly #name: string;
  readonly url: string;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    const url = new URL(postgres.newDatabase());
    this.#name = url.pathname.slice(1);
    // Others than superusers can be kept out.
    url.username = 'zukan';
    this.url = url.href;
    postgres.query(`create role zukan login; alter database ${this.#name} owner to zukan`);
  }

  async copy(): Promise<void> {
    await this.#keepingOthersOut(
      `create database older template ${this.#name} owner zukan`,
      `alter database ${this.#name} connection limit -1`,
    );
  }

  async replaceByCopy(): Promise<void> {
    await this.#keepingOthersOut(
      `alter database ${this.#name} rename to lost; alter database older rename to ${this.#name}`,
      'drop database lost',
    );
  }

  /** Nobody may be connected to a database that is copied or renamed. This thread is not blocked: clients go on reading. */
  async #keepingOthersOut(...statements: string[]): Promise<void> {
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.#name}'`;
    for (const sql of [`alter database ${this.#name} connection limit 0`, terminate, ...statements])
      await psqlLater(this.#postgres.url(), sql);
  }
}
