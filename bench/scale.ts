/** The cost of a request must not grow with the catalogue: measures a small and a large one alternately. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCatalogue } from './catalogue.ts';
import { cpuSeconds, residentMb, type Server, startServer } from './process.ts';
import { measureInTurn, median } from './statistics.ts';
import { createToken, openFolder, waitForCache } from './stores.ts';

const SMALL = 10_000;
/** An import is one transaction, which gets slower when it is very large. */
const MAX_RECORDS = 1_000_000;
const ROUNDS = 7;
const REQUESTS = 1000;

export const usage = `Usage: npm run bench -- scale [images]
  images   size of the large catalogue (1000000), which is imported a million at a time`;

export async function run([size = '1000000']: string[]): Promise<void> {
  const large = Number(size);
  await using folder = await openFolder();
  await using small = await prepare(folder.path, SMALL);
  await using big = await prepare(folder.path, large);
  const requests: [title: string, path: (images: number) => string][] = [
    ['last page of 25', (images) => `/api/image?limit=25&offset=${images - 25}`],
    ['random, limit 10, two categories', () => '/api/image/random?categories=a,b'],
    ['random, limit 10', () => '/api/image/random'],
  ];
  for (const [title, path] of requests) {
    const works = [small, big].map((server) => () => meanCpuMs(server, path(server.images)));
    const [smallMs, largeMs] = (await measureInTurn(ROUNDS, works)).map(median) as [number, number];
    const medians = `${smallMs.toFixed(3)} ms at ${SMALL}, ${largeMs.toFixed(3)} ms at ${large}`;
    console.log(`${title}: ratio ${(largeMs / smallMs).toFixed(2)} of CPU time (${medians})`);
  }
  const memory = [small, big].map(({ pid, images }) => `${Math.round(residentMb(pid))} MB at ${images}`);
  console.log(`resident memory: ${memory.join(', ')}`);
}

interface Prepared extends Server {
  images: number;
  token: string;
}

async function prepare(folder: string, images: number): Promise<Prepared> {
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
  const token = await createToken({ DATA_DIR: dataDir }, ['image:list']);
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
async function meanCpuMs({ origin, pid, token }: Prepared, path: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' };
  const before = cpuSeconds(pid);
  for (let count = 0; count < REQUESTS; count++) {
    const response = await fetch(origin + path, { headers });
    await response.bytes();
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
  }
  return ((cpuSeconds(pid) - before) * 1000) / REQUESTS;
}
