/** How ordinary requests fare while many clients send expensive ones at the pace that the rate limit allows. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runCommand, type Server, startServer, thisCheckout } from './process.ts';

const SECONDS = 20;
const NAMES = 100_000;
const IMAGES = 20_000;
const CATEGORIES = 400;
const SEARCHING_CLIENTS = 40;
const FILTERING_CLIENTS = 300;
const ORDINARY_PER_SECOND = 5;

const agent = new Agent({ keepAlive: true });

interface Outcome {
  status: number;
  ms: number;
}

export async function measureHostileClients(checkout = thisCheckout): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  const file = join(folder.path, 'catalogue.ndjson');
  await writeFile(file, [...records()].join(''));
  const environment = {
    DATA_DIR: join(folder.path, 'data'),
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'silent',
  };
  await runCommand(['import', '--quiet', file], environment, checkout);
  await using server = await startServer(environment, checkout);
  const search = (pattern: string) => `/api/artist?search=${encodeURIComponent(pattern)}`;
  await request(server, search('ab%'), 'first');
  console.log(`${SEARCHING_CLIENTS} clients with an expensive search each second, ${NAMES} names`);
  const ordinary = (number: number) => `%${makeName(number).slice(0, 3 + (number % 8))}%`;
  await measure(server, SEARCHING_CLIENTS, {
    hostile: (number) => search(`_%a_{${12 - (number % 5)}}a%a_{13}a%a_{14}b%a_{${(number % 9) + 1}}`),
    ordinary: (number) => search(ordinary(number)),
  });
  console.log(`${FILTERING_CLIENTS} clients with hundreds of categories each second, ${IMAGES} images`);
  await measure(server, FILTERING_CLIENTS, {
    hostile: (number) =>
      `/api/image/random?match=any&exclude=c${number % 400}&categories=${someCategories(number)}`,
    ordinary: (number) => `/api/image/random?categories=c${number % 400},c${(number * 7) % 400}`,
  });
  agent.destroy();
}

/** Sends expensive and ordinary requests from different clients, and prints how each fared. */
async function measure(
  server: Server,
  clients: number,
  path: Record<'hostile' | 'ordinary', (number: number) => string>,
): Promise<void> {
  const hostile: Promise<Outcome>[] = [];
  const ordinary: Promise<Outcome>[] = [];
  const ticks = SECONDS * ORDINARY_PER_SECOND;
  const startedAt = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    const due = Math.round(((tick + 1) * clients) / ORDINARY_PER_SECOND);
    while (hostile.length < due) {
      const number = hostile.length;
      hostile.push(
        request(server, path.hostile(number), `203.0.${(number % clients) >> 8}.${(number % clients) & 255}`),
      );
    }
    ordinary.push(request(server, path.ordinary(tick), `198.51.100.${tick % ORDINARY_PER_SECOND}`));
    await setTimeout(Math.max(0, startedAt + ((tick + 1) * 1000) / ORDINARY_PER_SECOND - performance.now()));
  }
  print('ordinary', await Promise.all(ordinary));
  print('expensive', await Promise.all(hostile));
  console.log(`  memory ${server.memory()} MB`);
}

function print(title: string, outcomes: Outcome[]): void {
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(times[Math.floor(share * (times.length - 1))] as number)} ms`;
  const statuses = Object.entries(Object.groupBy(outcomes, ({ status }) => status));
  const counts = statuses.map(([status, all]) => `${all?.length} × ${status}`).join(', ');
  console.log(`  ${title.padEnd(10)} ${counts}; p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}`);
}

function request(server: Server, path: string, client: string): Promise<Outcome> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = get(
      server.origin + path,
      { agent, headers: { 'X-Forwarded-For': client } },
      (response) => {
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt }),
        );
        response.resume();
      },
    );
    outgoing.on('error', reject);
  });
}

function* records(): Generator<string, void> {
  for (let number = 0; number < NAMES; number++)
    yield `${JSON.stringify({ type: 'artist', name: makeName(number) })}\n`;
  for (let number = 0; number < CATEGORIES; number++)
    yield `${JSON.stringify({ type: 'category', name: `c${number}` })}\n`;
  const meta = { size: 1, mimetype: 'image/png', color: '#00ff00', dimens: { width: 3, height: 2 } };
  for (let number = 0; number < IMAGES; number++) {
    const categories = Array.from(
      { length: 10 },
      (_, turn) => `c${(number * (turn + 1) + turn * 37) % CATEGORIES}`,
    );
    const image = { key: `${number}.png`, meta: { eTag: `tag-${number}`, ...meta }, nsfw: 'sfw' };
    yield `${JSON.stringify({ type: 'image', ...image, categories: [...new Set(categories)] })}\n`;
  }
}

/** 60 characters, each an a or a b; always the same for the same number. */
function makeName(number: number): string {
  let [name, state] = ['', number + 1];
  while (name.length < 60) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    name += 'ab'[(state >> 16) & 1];
  }
  return name;
}

/** About two hundred; different for every number. */
function someCategories(number: number): string {
  const isChosen = (category: number) => ((category * 31 + number * 17) % 97) % 2 === 0;
  return Array.from({ length: CATEGORIES }, (_, category) => category)
    .filter((category) => isChosen(category) || category === number % CATEGORIES)
    .map((category) => `c${category}`)
    .join();
}
