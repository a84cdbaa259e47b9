/** How long hostile patterns keep the service busy, and how long other requests wait meanwhile. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hostileName, hostilePatterns } from '../test/catalogue/search/hostile-patterns.ts';
import { runCommand, startServer } from './process.ts';

const NAMES = 100_000;
const CONCURRENT_SEARCHES = 20;
const PROBE_INTERVAL_MS = 10;
const kinds = { artist: 16, character: 255 };

const agent = new Agent({ keepAlive: true });

export async function measureHostileSearches(): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  const file = join(folder.path, 'names.ndjson');
  await writeFile(file, [...records()].join(''));
  const environment = { DATA_DIR: join(folder.path, 'data') };
  await runCommand(['import', '--quiet', file], environment);
  await using server = await startServer(environment);
  for (const [kind, length] of Object.entries(kinds)) {
    const search = (pattern: string) =>
      request(`${server.origin}/api/${kind}?search=${encodeURIComponent(pattern)}`);
    console.log(`${NAMES} names of ${length} characters`);
    await report('first search, reads the names', server.origin, () => search('z'));
    for (const pattern of hostilePatterns) await report(pattern, server.origin, () => search(pattern));
    const pattern = '%a%a%a%a%a%a%a%b';
    await report(`${CONCURRENT_SEARCHES} at once: ${pattern}`, server.origin, () =>
      Promise.all(Array.from({ length: CONCURRENT_SEARCHES }, () => search(pattern))).then(
        (all) => all.at(-1) as Response,
      ),
    );
  }
  agent.destroy();
}

function* records(): Generator<string, void> {
  for (const [type, length] of Object.entries(kinds))
    for (let number = 0; number < NAMES; number++)
      yield `${JSON.stringify({ type, name: hostileName(number, length) })}\n`;
}

interface Response {
  status: number | undefined;
  ms: number;
}

/** Runs a search while it sends other requests, and prints the longest wait of these. */
async function report(title: string, origin: string, search: () => Promise<Response>): Promise<void> {
  const done = new AbortController();
  const probing = probeUntil(done.signal, origin);
  const { status, ms } = await search();
  done.abort();
  const longest = Math.round(await probing);
  console.log(
    `  ${title.padEnd(42)} ${status} in ${Math.round(ms)} ms, other requests at most ${longest} ms`,
  );
}

async function probeUntil(signal: AbortSignal, origin: string): Promise<number> {
  const responses: Promise<Response>[] = [];
  while (!signal.aborted) {
    responses.push(request(`${origin}/api/stats`));
    await setTimeout(PROBE_INTERVAL_MS);
  }
  return Math.max(...(await Promise.all(responses)).map(({ ms }) => ms));
}

function request(url: string): Promise<Response> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { agent }, (response) => {
      response.on('end', () => resolve({ status: response.statusCode, ms: performance.now() - startedAt }));
      response.resume();
    });
    outgoing.on('error', reject);
  });
}
