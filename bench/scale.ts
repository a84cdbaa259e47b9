/** The cost of a request must not grow with the catalogue: measures a small and a large one alternately. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogue } from './catalogue.ts';
import { cpuSeconds, runCommand, startServer } from './process.ts';
import { median } from './statistics.ts';
import { waitForCache } from './stores.ts';

const SMALL = 10_000;
/** An import is one transaction, which gets slower when it is very large. */
const MAX_RECORDS = 1_000_000;
const ROUNDS = 7;
const REQUESTS = 1000;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export const usage = `Usage: npm run bench -- scale [images]
  images   size of the large catalogue (1000000), which is imported a million at a time`;

export async function run([size = '1000000']: string[]): Promise<void> {
  const large = Number(size);
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    await using small = await prepare(folder, SMALL);
    await using big = await prepare(folder, large);
    const requests: [string, (images: number) => string, boolean][] = [
      ['last page of 25', (images) => `/api/image?limit=25&offset=${images - 25}`, true],
      ['random, limit 10, two categories', () => '/api/image/random?categories=a,b', false],
      ['random, limit 10', () => '/api/image/random', false],
    ];
    for (const [title, path, needsToken] of requests) {
      const costs: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [index, { origin, token, images }] of [small, big].entries()) {
          const cost = await meanCpuMs(origin, path(images), needsToken ? token : undefined);
          // The first round warms up.
          if (round > 0) costs[index]?.push(cost);
        }
      }
      const [smallMs, largeMs] = costs.map(median) as [number, number];
      const medians = `${smallMs.toFixed(3)} ms at ${SMALL}, ${largeMs.toFixed(3)} ms at ${large}`;
      console.log(`${title}: ratio ${(largeMs / smallMs).toFixed(2)} of CPU time (${medians})`);
    }
    console.log(`resident memory: ${small.memory()} MB at ${SMALL}, ${big.memory()} MB at ${large}`);
  } finally {
    agent.destroy();
    await rm(folder, { recursive: true });
  }
}

async function prepare(folder: string, images: number) {
  const dataDir = join(folder, String(images));
  for (let first = 0; first < images; first += MAX_RECORDS) {
    const count = Math.min(MAX_RECORDS, images - first);
    const { cpu, memory } = await importRecords(folder, dataDir, first, count);
    const after = first > 0 ? ` after ${first}` : '';
    const rate = `${Math.round(count / cpu)} per second`;
    console.log(
      `import of ${count} images${after}: ${cpu.toFixed(1)} s of CPU time, ${rate}, ${Math.round(memory / 1e6)} MB peak memory`,
    );
  }
  const scopes = ['--owner', 'bench', '--purpose', 'bench', '--scope', 'image:list'];
  const token = await runCommand(['token', 'create', ...scopes], { DATA_DIR: dataDir });
  const started = performance.now();
  const server = await startServer({ DATA_DIR: dataDir });
  const milliseconds = Math.round(performance.now() - started);
  console.log(`${images} images: ${megabytesIn(dataDir)} MB of files, listens after ${milliseconds} ms`);
  await waitForCache(server.origin);
  return { images, token, ...server };
}

async function importRecords(folder: string, dataDir: string, first: number, count: number) {
  const file = join(folder, 'records.ndjson');
  await writeCatalogue(file, count, { first });
  const env = { ...process.env, DATA_DIR: dataDir };
  const once = join(import.meta.dirname, 'import-once.ts');
  const report = execFileSync(process.execPath, [once, file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  await rm(file);
  return JSON.parse(String(report)) as { cpu: number; memory: number };
}

function megabytesIn(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const sizes = paths.map((path) => statSync(path)).map((stats) => (stats.isFile() ? stats.size : 0));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}

/** The CPU time of the server for a request in milliseconds, one at a time over one connection. */
async function meanCpuMs(origin: string, path: string, token: string | undefined): Promise<number> {
  const before = cpuSeconds(origin);
  for (let count = 0; count < REQUESTS; count++) await fetchOnce(origin + path, token);
  return ((cpuSeconds(origin) - before) * 1000) / REQUESTS;
}

function fetchOnce(url: string, token: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const request = get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} returned ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    request.on('error', reject);
  });
}
