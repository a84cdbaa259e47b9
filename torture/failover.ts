/**
 * A failover of PostgreSQL that loses commits, while a server is read. The database is replaced by an older copy of itself,
 * as a replica that had not received the last commits would replace it. Every import gives all images and their category a
 * new mark, so that a response shows which state it comes from.
 */
import pg from 'pg';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { keyed } from '../test/support/catalogues/import.ts';
import { type Postgres, psql } from '../test/support/servers/postgres.ts';
import { until } from '../test/support/until.ts';
import { type Random, randomFor } from './random.ts';
import type { Report } from './report.ts';
import { type Environment, runOrThrow, startTarget, type Target, warmUp } from './servers.ts';

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

export interface FailoverOptions {
  seed: number;
  report: Report;
  announce: (step: string) => void;
  /** How many there are, one after the other. */
  failovers: number;
}

export async function failOver(folder: string, postgres: Postgres, options: FailoverOptions): Promise<void> {
  const what = 'fault: failover that loses commits';
  const { seed, report, announce } = options;
  announce(what);
  const random = randomFor(seed, what);
  const database = new Database(postgres);
  const environment = { DATA_DIR: folder, DATABASE_URL: database.url, RATE_LIMIT: 'off', WORKERS: '2' };
  const marks = new Marks();
  try {
    let images = await importSome(environment, [...Array(IMAGES).keys()], marks, random);
    await using target = await startTarget('PostgreSQL', { ...environment, LOG_LEVEL: 'silent' });
    const readers = new Readers(target, marks, {
      onRead: (ms) => report.add(what, ms),
      onProblem: (problem) => report.fail(what, problem, `seed ${seed}`),
    });
    await using _ = readers.start();
    for (let count = 0; count < options.failovers; count++) {
      images = await importSome(environment, images, marks, random);
      // Then both histories have the same numbers of revisions.
      if (random.chance(0.5)) psql(database.url, 'update zukan.revision set number = number + 1e12');
      await readers.duringOutage(() => database.copy());
      const kept = marks.current;
      const lost = await importSome(environment, images, marks, random);
      await readers.readMore();
      await readers.duringOutage(async () => {
        marks.admit(kept);
        await database.replaceByCopy();
        marks.settle(kept);
      });
      for (const image of new Set(lost).difference(new Set(images))) await expectMissing(target, image);
      // A commit that changes no image: what the server has cached of the lost ones must not pass for current.
      await runOrThrow(
        ['import', '--quiet', '-'],
        environment,
        JSON.stringify({ type: 'artist', name: `${count}` }),
      );
      await readers.readMore();
      images = await importSome(environment, images, marks, random);
    }
    const ending = target.ending();
    if (ending) throw new Error(ending);
  } catch (error) {
    report.fail(what, (error as Error).message, `seed ${seed}`);
  }
}

/** Ids are never used twice, so that what was lost stays unknown. */
let lastImage = IMAGES;

/** Some imports, each of which changes all images and adds some. Returns the numbers of all images. */
async function importSome(
  environment: Environment,
  images: number[],
  marks: Marks,
  random: Random,
): Promise<number[]> {
  let all = images;
  for (let left = 1 + random.below(MAX_IMPORTS); left > 0; left--) {
    const mark = marks.next();
    all = [...all, ...Array.from({ length: 1 + random.below(3) }, () => ++lastImage)];
    const category = { type: 'category', id: uuid(1, 1), name: 'all', description: mark };
    const lines = [category, ...all.map((image) => imageWith(image, mark))];
    marks.admit(mark);
    await runOrThrow(
      ['import', '--quiet', '-'],
      environment,
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    marks.settle(mark);
  }
  return all;
}

const imageWith = (image: number, mark: string) =>
  keyed(image, { id: uuid(4, image), source: { name: mark, url: '' }, nsfw: 'sfw', categories: ['all'] });

async function expectMissing({ origin }: Target, image: number): Promise<void> {
  const { status } = await fetch(`${origin}/api/image/${uuid(4, image)}`);
  if (status !== 404) throw new Error(`status ${status} for an image that was lost`);
}

/** Which marks a response may have: those of the states that the catalogue had while the request was running. */
class Marks {
  #possible = new Set<string>();
  #current = '';
  #count = 0;
  readonly #running = new Set<Set<string>>();

  get current(): string {
    return this.#current;
  }

  next(): string {
    return `state ${++this.#count}`;
  }

  /** From now on the catalogue may have this state. */
  admit(mark: string): void {
    for (const possible of [this.#possible, ...this.#running]) possible.add(mark);
  }

  /** From now on it has no other one. */
  settle(mark: string): void {
    this.#current = mark;
    this.#possible = new Set([mark]);
  }

  /** Returns those that are possible during the work, which grow. */
  async during<T>(work: (possible: ReadonlySet<string>) => Promise<T>): Promise<T> {
    const possible = new Set(this.#possible);
    this.#running.add(possible);
    try {
      return await work(possible);
    } finally {
      this.#running.delete(possible);
    }
  }
}

interface Observer {
  onRead(ms: number): void;
  onProblem(problem: string): void;
}

/** Clients that read all the time. */
class Readers {
  readonly #target: Target;
  readonly #marks: Marks;
  readonly #observer: Observer;
  #count = 0;
  #outages = 0;
  #isOutage = false;
  #isStopped = false;

  constructor(target: Target, marks: Marks, observer: Observer) {
    this.#target = target;
    this.#marks = marks;
    this.#observer = observer;
  }

  /** Disposing of the result stops them. */
  start(): AsyncDisposable {
    const reading = Promise.all(Array.from({ length: READERS }, (_, number) => this.#readOn(number)));
    return {
      [Symbol.asyncDispose]: async () => {
        this.#isStopped = true;
        await reading;
      },
    };
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
        await this.#marks.during((possible) => this.#read(path, possible));
      } catch (error) {
        this.#observer.onProblem(`${path}: ${(error as Error).message}`);
      }
      this.#count++;
      this.#observer.onRead(performance.now() - startedAt);
    }
  }

  async #read(path: string, possible: ReadonlySet<string>): Promise<void> {
    const [outages, isOutage] = [this.#outages, this.#isOutage];
    const response = await fetch(this.#target.origin + path);
    const text = await response.text();
    if (response.status === 503 && (isOutage || this.#outages > outages)) return;
    if (response.status !== 200) throw new Error(`status ${response.status}: ${text}`);
    const marks = marksIn(text);
    if (marks.size !== 1) throw new Error(`a response mixes ${[...marks].join(' and ')}`);
    for (const mark of marks)
      if (!possible.has(mark)) throw new Error(`shows ${mark} instead of ${[...possible].join(' or ')}`);
  }
}

function marksIn(text: string): Set<string> {
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
      'begin',
      `alter database ${this.#name} rename to lost`,
      `alter database older rename to ${this.#name}`,
      'commit',
      'drop database lost',
    );
  }

  /** Nobody may be connected to a database that is copied or renamed. This thread is not blocked: clients go on reading. */
  async #keepingOthersOut(...statements: string[]): Promise<void> {
    const client = new pg.Client(this.#postgres.url());
    await client.connect();
    await client.query(`alter database ${this.#name} connection limit 0`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.#name}'`,
    );
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
}
