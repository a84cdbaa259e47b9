/** Real servers on both stores, and the catalogue that they serve. */
import type { ChildProcess } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../src/config/config.ts';
import { Unavailable } from '../src/lib/metrics.ts';
import { hostileName } from '../test/catalogue/search/hostile-patterns.ts';
import {
  artists,
  categories,
  characters,
  images,
  uuid,
  writeKnownCatalogue,
} from '../test/support/catalogues/catalogue.ts';
import { toLines } from '../test/support/catalogues/lines.ts';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { findPostgres, installPostgres, unless } from '../test/support/servers/needs.ts';
import { type Postgres, startPostgres } from '../test/support/servers/postgres.ts';
import { findRedis, installRedis, type PrivateRedis, startRedis } from '../test/support/servers/redis.ts';
import { until } from '../test/support/until.ts';
import { launch, runCommand, serve } from '../test/support/zukan/program.ts';
import { configFor, makeToken } from '../test/support/zukan/service.ts';
import type { Fuzzed } from './fuzz.ts';
import type { Facts } from './parameters.ts';
import type { Run } from './torture.ts';

const NAMES = 300;
const CATEGORIES = 300;
const PICTURES = 60;
const MAX_OUTPUT = 1500;
const WARM_UP_CALLS = 30;
const MAX_TRIES = 20;

export interface Engines extends AsyncDisposable {
  postgres: Postgres | undefined;
  redis: PrivateRedis | undefined;
}

/** Without PostgreSQL or Redis only the rest is tested, with a warning. */
export async function startEngines(): Promise<Engines> {
  const postgres = unless(findPostgres(), 'PostgreSQL', installPostgres) ? undefined : await startPostgres();
  const redis = unless(findRedis(), 'Redis', installRedis) ? undefined : await startRedis();
  return {
    postgres,
    redis,
    async [Symbol.asyncDispose]() {
      await postgres?.discard();
      await redis?.kill();
    },
  };
}

/** A server with its catalogue. Disposing of it stops the process. */
export interface Target extends Fuzzed, AsyncDisposable {
  origin: string;
  pid: number;
  environment: Record<string, string>;
  config: Config;
  /** How the process ended and what it printed, if it has ended. */
  ending(): string | undefined;
}

export type Environment = Record<string, string>;

/** The variables of a new catalogue in each store. */
export function newCatalogues(
  folder: string,
  { postgres }: Pick<Engines, 'postgres'>,
): [name: string, environment: Environment][] {
  const catalogues: [string, Environment][] = [['SQLite', { DATA_DIR: join(folder, 'sqlite') }]];
  if (postgres) {
    const environment = { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: postgres.newDatabase() };
    catalogues.push(['PostgreSQL', environment]);
  }
  return catalogues;
}

/** With a rate limit, and a proxy that reports many clients. */
export const behindProxy = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };

/** SQLite without a rate limit, and PostgreSQL with one in Redis behind a proxy. */
export async function startTargets({ folder, engines }: Run, stack: AsyncDisposableStack): Promise<Target[]> {
  const path = await writeKnownCatalogue(folder);
  await appendFile(path, toLines(moreRecords(folder)));
  const limited = { ...behindProxy, ...(engines.redis && { REDIS_URL: engines.redis.url }) };
  const targets: Target[] = [];
  for (const [name, catalogue] of newCatalogues(folder, engines)) {
    const environment = { ...catalogue, ...(name === 'SQLite' ? { RATE_LIMIT: 'off' } : limited) };
    await runOrThrow(['import', '--quiet', path], environment);
    const target = stack.use(await startTarget(name, environment));
    await warmUp(target);
    targets.push(target);
  }
  return targets;
}

/** Opens all connections to the database. On a busy machine that takes longer than a request may wait. */
export async function warmUp({ origin }: Target): Promise<void> {
  let client = 0;
  const call = () => {
    client++;
    const headers = { 'X-Forwarded-For': `198.18.${client >> 8}.${client & 255}` };
    return fetch(`${origin}/api/image/random`, { headers });
  };
  await until('the server is warm', async () => {
    const responses = await Promise.all(Array.from({ length: WARM_UP_CALLS }, call));
    return responses.every(({ ok }) => ok);
  });
}

export async function startTarget(
  name: string,
  variables: Environment,
  nodeFlags: string[] = [],
): Promise<Target> {
  const environment: Environment = { LOG_LEVEL: 'error', PORT: '0', ...variables };
  const config = configFor('', environment);
  const facts = await makeFacts(config);
  const running = await serve(environment, [], (command, variables) => launch(command, variables, nodeFlags));
  return {
    name,
    environment,
    config,
    facts,
    origin: running.origin,
    port: Number(new URL(running.origin).port),
    pid: running.child.pid as number,
    situation: { hasLimiter: environment.RATE_LIMIT !== 'off', mayBeUnavailable: false, mayBeCut: false },
    ending() {
      const { exitCode, signalCode } = running.child;
      if (exitCode === null && signalCode === null) return undefined;
      return `the server ended with ${signalCode ?? exitCode}: ${running.errors().slice(0, MAX_OUTPUT)}`;
    },
    [Symbol.asyncDispose]: running[Symbol.asyncDispose],
  };
}

/** What a server or a studio prints, or nothing if it ends before. */
export function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/\S+(?=\n)/.exec(text)?.[0];
      if (address) resolve(address);
    });
    stdout?.on('close', () => resolve(undefined));
  });
}

export async function runOrThrow(command: string[], environment: Environment, input = ''): Promise<string> {
  const { status, output, errors } = await runCommand(
    command,
    { LOG_LEVEL: 'silent', ...environment },
    input,
  );
  if (status !== 0) throw new Error(`zukan ${command.join(' ')} exited with ${status}: ${errors}${output}`);
  return output;
}

function* moreRecords(folder: string): Generator<object> {
  for (let index = 0; index < CATEGORIES; index++)
    yield { type: 'category', id: uuid(1, 100 + index), name: `c${index}`, createdAt: images[0]?.createdAt };
  for (let index = 0; index < NAMES; index++)
    yield { type: 'artist', id: uuid(2, 100 + index), name: hostileName(index, 8 + (index % 60)) };
  for (let index = 0; index < PICTURES; index++) {
    const file = `tiny/${index}.png`;
    writeTiny(folder, file, index);
    const inCategories = [
      ...new Set([0, 1, 2].map((turn) => `c${(index * (turn + 1) + turn * 37) % CATEGORIES}`)),
    ];
    const rest = { nsfw: (['sfw', 'questionable', 'nsfw'] as const)[index % 3], categories: inCategories };
    yield { type: 'image', id: uuid(4, 100 + index), file, ...rest };
  }
}

/** Retries while PostgreSQL is busy with what an import left to do. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === MAX_TRIES) throw error;
    }
}

async function makeFacts(config: Config): Promise<Facts> {
  const scopes = [
    [],
    ['image:list'],
    ['image:list', 'image:custom-expiry:3600'],
    ['image:custom-expiry'],
    ['api:ratelimit:disabled', 'image:list'],
  ];
  const valid = await Array.fromAsync(scopes, (list) => patiently(() => makeToken(config, list)));
  const past = { expires: '2026-01-02T00:00:00.000Z' };
  const expired = await patiently(() => makeToken(config, ['image:list'], past));
  const bearer = [...valid, ...valid, expired].map(({ headers }) => headers.Authorization);
  const junk = [
    'Bearer',
    'Bearer ',
    'Bearer x',
    `Bearer ${'a'.repeat(100)}`,
    'Basic YTpi',
    '',
    'bearer \xff',
    `Bearer ${'é'.repeat(100)}`,
    'x'.repeat(9000),
  ];
  return {
    authorizations: [...bearer, ...junk.map((text) => Buffer.from(text).toString('latin1'))],
    categories: [
      ...categories.map(({ name }) => name),
      ...Array.from({ length: CATEGORIES }, (_, index) => `c${index}`),
    ],
    counts: {
      image: { kind: 4, count: images.length },
      artist: { kind: 2, count: artists.length },
      character: { kind: 3, count: characters.length },
      category: { kind: 1, count: categories.length },
    },
  };
}
