/** A commit must not cost more in a larger catalogue: edits one image at a time in catalogues of several sizes. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Postgres, startPostgres } from '../test/support/servers/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeCatalogue } from './catalogue.ts';
import { cpuSeconds, cpuSecondsOf, type Environment, runCommand, startServer } from './process.ts';
import { median } from './statistics.ts';
import { stores, waitForCache } from './stores.ts';

const ROUNDS = 9;
/** The server reads a commit soon after it, before anybody asks. */
const SETTLE_MS = 1500;
const reads = ['/api/image/random?limit=10', '/api/image/random?categories=a,b&nsfw=sfw', '/api/artist'];

export const usage = `Usage: npm run bench -- commits [sizes]
  sizes   numbers of images, separated by commas (10000,100000)`;

export async function run([sizes = '10000,100000']: string[]): Promise<void> {
  for (const store of stores) for (const size of sizes.split(',')) await measure(store, Number(size));
}

async function measure(store: string, size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true }));
  const environment: Environment = { DATA_DIR: join(folder, 'data') };
  let postgres: Postgres | undefined;
  if (store === 'postgres') {
    postgres = parts.adopt(await startPostgres({ shared_buffers: '2GB' }, onDisk), (it) => it.discard());
    environment.DATABASE_URL = postgres.newDatabase();
  }
  const file = join(folder, 'records.ndjson');
  await writeCatalogue(file, size);
  await runCommand(['import', '--quiet', file], environment);
  await rm(file);
  const server = parts.use(await startServer(environment));
  await waitForCache(server.origin);
  const costs: Record<string, number[]> = { command: [], server: [], ...(postgres && { database: [] }) };
  const used = () => [cpuSecondsOf(process.pid, true), cpuSeconds(server.origin), databaseSeconds(postgres)];
  const random = async () => {
    const response = await fetch(`${server.origin}/api/image/random?limit=1`);
    return ((await response.json()) as { data: [{ id: string }] }).data[0].id;
  };
  for (let round = 0; round <= ROUNDS; round++) {
    const id = await random();
    const before = used();
    await runCommand(
      ['edit', id, '--rating', ['sfw', 'nsfw', 'questionable'][round % 3] as string],
      environment,
    );
    await setTimeout(SETTLE_MS);
    for (const path of reads) await (await fetch(server.origin + path)).text();
    const after = used();
    // The first round warms up.
    if (round > 0)
      for (const [index, list] of Object.values(costs).entries())
        list.push(((after[index] as number) - (before[index] as number)) * 1000);
  }
  const texts = Object.entries(costs).map(([name, list]) => `${name} ${Math.round(median(list))} ms`);
  console.log(`${store}, ${size} images, CPU time of one edit: ${texts.join(', ')}`);
}

/** Of the server with all processes that it has started. */
function databaseSeconds(postgres: Postgres | undefined): number {
  if (!postgres) return 0;
  const folder = postgres.query('show data_directory').trim();
  const [pid = ''] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [cpuSecondsOf(Number(pid), true), ...children.map((child) => cpuSecondsOf(Number(child)))].reduce(
    (sum, seconds) => sum + seconds,
  );
}
