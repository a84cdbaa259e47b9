/** Generated catalogues, and servers of one. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Postgres, startPostgres } from '../test/support/servers/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeCatalogue } from './catalogue.ts';
import { type Environment, runCommand, type Server, startServer, thisCheckout } from './process.ts';

export const stores = ['sqlite', 'postgres'];
/** So many that hardly any is requested twice in a second. */
const MAX_IDS = 20_000;
/** The cache grows visibly in this time, unless it is full. */
const CACHE_POLL_MS = 500;

export function checkStore(store: string, usage: string): void {
  if (!stores.includes(store)) throw new Error(`unknown store: ${store}\n${usage}`);
}

interface CatalogueOptions {
  /** How many words each description has. */
  words?: number;
  checkout?: string;
}

export interface BenchCatalogue extends AsyncDisposable {
  environment: Environment;
  postgres: Postgres | undefined;
}

/** Imports a generated catalogue. Catalogues of a folder that have the same size are made from the same records. */
export async function openCatalogue(
  store: string,
  folder: string,
  size: number,
  { words = 0, checkout = thisCheckout }: CatalogueOptions = {},
): Promise<BenchCatalogue> {
  await using parts = new AsyncDisposableStack();
  const name = words > 0 ? `${size} with ${words} words` : String(size);
  const file = join(folder, `${name}.ndjson`);
  if (!existsSync(file)) await writeCatalogue(file, size, { words });
  const suffix = checkout === thisCheckout ? '' : ' of the other checkout';
  const environment: Environment = { DATA_DIR: join(folder, `${store} ${name}${suffix}`) };
  let postgres: Postgres | undefined;
  if (store === 'postgres') {
    postgres = parts.adopt(await startPostgres({ shared_buffers: '2GB' }, onDisk), (it) => it.discard());
    environment.DATABASE_URL = postgres.newDatabase();
  }
  await runCommand(['import', '--quiet', file], environment, checkout);
  const all = parts.move();
  return { environment, postgres, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export interface StartedStore extends AsyncDisposable {
  size: number;
  server: Server;
  /** A server with the same catalogue and the rate limit on. */
  limited: Server;
  /** With a token that may list images and is exempt from the rate limit. */
  headers: Record<string, string>;
  /** Ids of random images. */
  ids: string[];
}

/** Starts zukan with a generated catalogue, once without and once with the rate limit. */
export async function startStore(
  store: string,
  folder: string,
  size: number,
  { checkout = thisCheckout, workers = 1 } = {},
): Promise<StartedStore> {
  await using parts = new AsyncDisposableStack();
  const catalogue = parts.use(await openCatalogue(store, folder, size, { checkout }));
  const environment = { ...catalogue.environment, WORKERS: String(workers) };
  // Read the file once to fill the page cache: the disk is not what we measure.
  if (store === 'sqlite')
    for await (const _chunk of createReadStream(join(catalogue.environment.DATA_DIR ?? '', 'zukan.db')));
  const token = await createToken(environment, ['image:list', 'api:ratelimit:disabled'], checkout);
  const server = parts.use(await startServer(environment, checkout));
  const limited = parts.use(await startServer({ ...environment, RATE_LIMIT: 'on' }, checkout));
  for (const { origin } of [server, limited]) await waitForCache(origin);
  const ids = await readIds(server.origin, Math.min(MAX_IDS, size));
  const all = parts.move();
  return {
    ...{ size, server, limited, ids },
    headers: { Authorization: `Bearer ${token}` },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

export function createToken(
  environment: Environment,
  scopes: string[],
  checkout = thisCheckout,
): Promise<string> {
  const options = [
    '--owner',
    'bench',
    '--purpose',
    'bench',
    ...scopes.flatMap((scope) => ['--scope', scope]),
  ];
  return runCommand(['token', 'create', ...options], environment, checkout);
}

/** A folder for generated catalogues. Disposing of it removes it. */
export const openFolder = () => mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));

/** Waits until the document cache, which is filled in the background, grows no more. */
export async function waitForCache(origin: string): Promise<void> {
  for (let [before, now] = [-1, 0]; now > before; ) {
    await setTimeout(CACHE_POLL_MS);
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    [before, now] = [now, Number(/^zukan_document_cache_images (\d+)$/m.exec(metrics)?.[1] ?? 0)];
  }
}

async function readIds(origin: string, count: number): Promise<string[]> {
  const ids = new Set<string>();
  while (ids.size < count) {
    const response = await fetch(`${origin}/api/image/random?limit=25`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    if (data.length === 0) throw new Error('the catalogue is empty');
    for (const { id } of data) ids.add(id);
  }
  return [...ids];
}
