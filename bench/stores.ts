/** Services on made-up catalogues, started for a measurement: one without a rate limit and one with it. */
import { createReadStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeCatalogue } from './catalogue.ts';
import { command, type Environment, startServer } from './process.ts';

export const stores = ['sqlite', 'postgres'];
/** So many that hardly any is asked for twice in a turn of a second. */
const IDS = 20_000;

export interface StartedStore extends AsyncDisposable {
  size: number;
  origin: string;
  /** Of the same catalogue with the rate limit on. */
  limited: string;
  /** A token that may list images and is exempt from the limit. */
  headers: Record<string, string>;
  /** Some of the images. */
  ids: string[];
  /** Of the service, in MB. */
  memory(): number;
}

export async function startStore(store: string, folder: string, size: number): Promise<StartedStore> {
  await using parts = new AsyncDisposableStack();
  const environment: Environment = { DATA_DIR: join(folder, `${store} ${size}`) };
  const file = join(folder, `${size}.ndjson`);
  await makeOnce(file, (path) => writeCatalogue(path, size));
  const fill = (dataDir: string) =>
    command(['import', '--quiet', file], { ...environment, DATA_DIR: dataDir });
  if (store === 'postgres') {
    const postgres = parts.adopt(await startPostgres({ shared_buffers: '2GB' }, onDisk), (it) =>
      it.discard(),
    );
    environment.DATABASE_URL = postgres.newDatabase();
    await fill(environment.DATA_DIR ?? '');
  } else {
    await makeOnce(environment.DATA_DIR ?? '', fill);
    // What the system has not in memory would be read from the disk, and that is not what is measured here.
    for await (const _chunk of createReadStream(join(environment.DATA_DIR ?? '', 'zukan.db')));
  }
  const scopes = ['--scope', 'image:list', '--scope', 'api:ratelimit:disabled'];
  const token = await command(
    ['token', 'create', '--owner', 'bench', '--purpose', 'bench', ...scopes],
    environment,
  );
  const server = parts.use(await startServer({ ...environment, RATE_LIMIT: 'off' }));
  const limited = parts.use(await startServer({ ...environment, RATE_LIMIT: 'on' }));
  const ids = await someIds(server.origin, Math.min(IDS, size));
  const all = parts.move();
  return {
    size,
    origin: server.origin,
    limited: limited.origin,
    headers: { Authorization: `Bearer ${token}` },
    ids,
    memory: server.memory,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Makes a file or a folder unless it is there. What is there is whole: it gets its name at the end. */
async function makeOnce(path: string, make: (path: string) => Promise<unknown>): Promise<void> {
  if (existsSync(path)) return;
  const part = `${path}.part`;
  await rm(part, { recursive: true, force: true });
  await make(part);
  await rename(part, path);
}

async function someIds(origin: string, count: number): Promise<string[]> {
  const ids = new Set<string>();
  while (ids.size < count) {
    const answer = await fetch(`${origin}/api/image/random?limit=25`);
    const { data } = (await answer.json()) as { data: { id: string }[] };
    if (data.length === 0) throw new Error('the catalogue is empty');
    for (const { id } of data) ids.add(id);
  }
  return [...ids];
}
