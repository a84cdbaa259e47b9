/** Starts zukan with a generated catalogue, once without and once with the rate limit. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startPostgres } from '../test/support/servers/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeCatalogue } from './catalogue.ts';
import { type Environment, runCommand, startServer, thisCheckout } from './process.ts';

export const stores = ['sqlite', 'postgres'];
/** So many that hardly any is requested twice in a second. */
const MAX_IDS = 20_000;
/** The cache grows visibly in this time, unless it is full. */
const CACHE_POLL_MS = 500;

export interface StartedStore extends AsyncDisposable {
  size: number;
  dataDir: string;
  origin: string;
  /** The origin of a server with the same catalogue and the rate limit on. */
  limited: string;
  /** With a token that may list images and is exempt from the rate limit. */
  headers: Record<string, string>;
  /** Ids of random images. */
  ids: string[];
  /** Resident memory of the first server in MB. */
  memory(): number;
}

/** Reuses what a previous call with the same folder has generated. */
export async function startStore(
  store: string,
  folder: string,
  size: number,
  { checkout = thisCheckout, workers = '1', hasAnimations = true } = {},
): Promise<StartedStore> {
  await using parts = new AsyncDisposableStack();
  const suffix = checkout === thisCheckout ? '' : ' of the other checkout';
  const environment: Environment = {
    DATA_DIR: join(folder, `${store} ${size}${suffix}`),
    WORKERS: workers,
  };
  const file = join(folder, `${size}.ndjson`);
  await createOnce(file, (path) => writeCatalogue(path, size, { hasAnimations }));
  const fill = (dataDir: string) =>
    runCommand(['import', '--quiet', file], { ...environment, DATA_DIR: dataDir }, checkout);
  if (store === 'postgres') {
    const postgres = parts.adopt(await startPostgres({ shared_buffers: '2GB' }, onDisk), (it) =>
      it.discard(),
    );
    environment.DATABASE_URL = postgres.newDatabase();
    await fill(environment.DATA_DIR ?? '');
  } else {
    await createOnce(environment.DATA_DIR ?? '', fill);
    // Read the file once to fill the page cache: the disk is not what we measure.
    for await (const _chunk of createReadStream(join(environment.DATA_DIR ?? '', 'zukan.db')));
  }
  const scopes = ['--scope', 'image:list', '--scope', 'api:ratelimit:disabled'];
  const token = await runCommand(
    ['token', 'create', '--owner', 'bench', '--purpose', 'bench', ...scopes],
    environment,
    checkout,
  );
  const server = parts.use(await startServer({ ...environment, RATE_LIMIT: 'off' }, checkout));
  const limited = parts.use(await startServer({ ...environment, RATE_LIMIT: 'on' }, checkout));
  for (const { origin } of [server, limited]) await waitForCache(origin);
  const ids = await readIds(server.origin, Math.min(MAX_IDS, size));
  const all = parts.move();
  return {
    size,
    dataDir: environment.DATA_DIR ?? '',
    origin: server.origin,
    limited: limited.origin,
    headers: { Authorization: `Bearer ${token}` },
    ids,
    memory: server.memory,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The folder for generated catalogues: the one to keep, or a temporary one, which is removed in the end. */
export async function openFolder(keep: string | undefined): Promise<AsyncDisposable & { path: string }> {
  if (keep) await mkdir(keep, { recursive: true });
  const path = keep ?? (await mkdtemp(join(tmpdir(), 'zukan-bench-')));
  return {
    path,
    async [Symbol.asyncDispose]() {
      if (!keep) await rm(path, { recursive: true });
    },
  };
}

/** Creates a file or folder unless it exists. Renames it when it is complete, so an interrupted run leaves nothing. */
export async function createOnce(path: string, create: (path: string) => Promise<unknown>): Promise<void> {
  if (existsSync(path)) return;
  const part = `${path}.part`;
  await rm(part, { recursive: true, force: true });
  await create(part);
  await rename(part, path);
}

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
