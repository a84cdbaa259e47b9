/** The cost of a request must not grow with the catalogue: the same calls on a small and on a large one, in turn. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogue } from './catalogue.ts';
import { command, startServer } from './process.ts';
import { median } from './statistics.ts';

const SMALL = 10_000;
const ROUNDS = 7;
const CALLS = 300;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** `[images]`: the size of the large catalogue, 1,000,000 by default. */
export async function run([size = '1000000']: string[]): Promise<void> {
  const large = Number(size);
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    await using small = await prepare(folder, SMALL);
    await using big = await prepare(folder, large);
    const calls: [string, (images: number) => string, boolean][] = [
      ['last page of 25', (images) => `/api/image?limit=25&offset=${images - 25}`, true],
      ['random, 10 of two categories', () => '/api/image/random?categories=a,b', false],
      ['random, 10 of all', () => '/api/image/random', false],
    ];
    for (const [title, path, needsToken] of calls) {
      const times: [number[], number[]] = [[], []];
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [index, { origin, token, images }] of [small, big].entries()) {
          const time = await timeOf(origin + path(images), needsToken ? token : undefined);
          // The first round warms up.
          if (round > 0) times[index]?.push(time);
        }
      }
      const [fast, slow] = times.map(median) as [number, number];
      const metrics = `${fast.toFixed(3)} ms at ${SMALL}, ${slow.toFixed(3)} ms at ${large}`;
      console.log(`${title}: ratio ${(slow / fast).toFixed(2)} (${metrics})`);
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
    `import of ${images} images: ${seconds.toFixed(1)} s, ${rate}/s, ${Math.round(memory / 1e6)} MB at most`,
  );
  const scopes = ['--owner', 'bench', '--purpose', 'bench', '--scope', 'image:list'];
  const token = await command(['token', 'create', ...scopes], { DATA_DIR: dataDir });
  return { images, token, ...(await startServer({ DATA_DIR: dataDir })) };
}

/** The mean time of a call, in milliseconds, one after the other over one connection. */
async function timeOf(url: string, token: string | undefined): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < CALLS; call++) await fetchOnce(url, token);
  return (performance.now() - started) / CALLS;
}

function fetchOnce(url: string, token: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const request = get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    request.on('error', reject);
  });
}
