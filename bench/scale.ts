/** The cost of a request must not grow with the catalogue: measures a small and a large one alternately. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogue } from './catalogue.ts';
import { runCommand, startServer } from './process.ts';
import { median } from './statistics.ts';

const SMALL = 10_000;
const ROUNDS = 7;
const REQUESTS = 300;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export const usage = `Usage: npm run bench -- scale [images]
  images   size of the large catalogue (1000000)`;

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
      const times: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [index, { origin, token, images }] of [small, big].entries()) {
          const time = await meanTime(origin + path(images), needsToken ? token : undefined);
          // The first round warms up.
          if (round > 0) times[index]?.push(time);
        }
      }
      const [smallMs, largeMs] = times.map(median) as [number, number];
      const means = `${smallMs.toFixed(3)} ms at ${SMALL}, ${largeMs.toFixed(3)} ms at ${large}`;
      console.log(`${title}: ratio ${(largeMs / smallMs).toFixed(2)} (${means})`);
    }
  } finally {
    agent.destroy();
    await rm(folder, { recursive: true });
  }
}

async function prepare(folder: string, images: number) {
  const file = join(folder, `${images}.ndjson`);
  const dataDir = join(folder, String(images));
  await writeCatalogue(file, images);
  const env = { ...process.env, DATA_DIR: dataDir };
  const once = join(import.meta.dirname, 'import-once.ts');
  const report = execFileSync(process.execPath, [once, file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { seconds, memory } = JSON.parse(String(report));
  const rate = Math.round(images / seconds);
  console.log(
    `import of ${images} images: ${seconds.toFixed(1)} s, ${rate}/s, ${Math.round(memory / 1e6)} MB peak memory`,
  );
  const scopes = ['--owner', 'bench', '--purpose', 'bench', '--scope', 'image:list'];
  const token = await runCommand(['token', 'create', ...scopes], { DATA_DIR: dataDir });
  return { images, token, ...(await startServer({ DATA_DIR: dataDir })) };
}

/** The mean time of a request in milliseconds, one at a time over one connection. */
async function meanTime(url: string, token: string | undefined): Promise<number> {
  const started = performance.now();
  for (let count = 0; count < REQUESTS; count++) await fetchOnce(url, token);
  return (performance.now() - started) / REQUESTS;
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
