/**
 * What a call costs on PostgreSQL: on a small and on a large catalogue, beside `select 1` through the same pool, and
 * beside the `ORDER BY random()` that people write first. All take turns.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { secureRandomInt } from '../src/random.ts';
import { PostgresCatalogue } from '../src/store/postgres/catalogue.ts';
import { Servers } from '../src/store/postgres/servers.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeCatalogue } from './catalogue.ts';
import { median } from './statistics.ts';

const SMALL = 10_000;
const ROUNDS = 7;
const ROUND_MS = 700;
const CLIENTS = 20;
const CONNECTIONS = 10;

type Call = () => Promise<unknown>;

/** `[images]`: the size of the large catalogue, 1,000,000 by default. */
export async function run([size = '1000000']: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  const postgres = await startPostgres({ shared_buffers: '8GB', max_wal_size: '8GB' }, onDisk);
  try {
    const [small, large] = [
      await prepare(postgres, folder, SMALL),
      await prepare(postgres, folder, Number(size)),
    ];
    for (const title of Object.keys(small.calls)) {
      const [few, many] = [small.calls[title] as Call, large.calls[title] as Call];
      const [ofSmall, ofLarge, ofOne] = await inTurn([few, many, large.one]);
      const ratios = `${(ofLarge / ofSmall).toFixed(2)} of that on ${SMALL} images, ${(ofLarge / ofOne).toFixed(2)} of select 1`;
      console.log(`${title}: ${Math.round(ofLarge)}/s on ${size} images, ${ratios} (${Math.round(ofOne)}/s)`);
    }
    for (const { images, orderByRandom, calls } of [small, large]) {
      const [theirs, ours] = await inTurn([orderByRandom, calls['random, 10'] as Call]);
      console.log(
        `ORDER BY random() on ${images} images: ${theirs.toFixed(1)}/s, random(10) ${Math.round(ours)}/s: ${(ours / theirs).toFixed(1)} times as many`,
      );
    }
    await Promise.all([small.close(), large.close()]);
  } finally {
    await postgres.discard();
    await rm(folder, { recursive: true });
  }
}

async function prepare(postgres: Postgres, folder: string, images: number) {
  const file = join(folder, `${images}.ndjson`);
  await writeCatalogue(file, images);
  const url = postgres.newDatabase();
  const env = { ...process.env, DATABASE_URL: url, DATA_DIR: join(folder, 'data') };
  const once = join(import.meta.dirname, 'import-once.ts');
  const report = execFileSync(process.execPath, [once, file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await rm(file);
  const { seconds, memory } = JSON.parse(String(report));
  console.log(
    `import of ${images} images: ${seconds.toFixed(1)} s, ${Math.round(images / seconds)}/s, ${Math.round(memory / 1e6)} MB at most`,
  );
  const servers = new Servers({ url, readUrls: [], connections: CONNECTIONS, onChange: () => {} });
  const catalogue = new PostgresCatalogue(servers);
  // Their statements take longer than our pool has patience.
  const patient = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const ask = (name: string, text: string) => servers.queryPrimary({ name, text }, []);
  const ids = (await ask('ids', 'select id from image order by random() limit 10000')).map(
    ([id]) => id as string,
  );
  // As it is after a while of serving: what fits into memory is there.
  for (const table of ['image', 'placement', 'shelf'])
    await patient.query(`select count(t::text) from zukan.${table} t`);
  let turn = 0;
  const calls: Record<string, Call> = {
    'random, 10': () => catalogue.randomImages({}, 10, secureRandomInt),
    'random, 10 of two categories': () =>
      catalogue.randomImages({ categories: ['a', 'b'] }, 10, secureRandomInt),
    'by id': () => catalogue.image(ids[turn++ % ids.length] as string),
    'page of 25 at offset 90%': () => catalogue.images({}, { offset: Math.floor(images * 0.9), limit: 25 }),
  };
  return {
    images,
    calls,
    one: () => ask('one', 'select 1'),
    orderByRandom: () =>
      patient.query({ name: 'random', text: 'select document from zukan.image order by random() limit 10' }),
    async close() {
      await servers.close();
      await patient.end();
    },
  };
}

/** Calls a second of each, the median of rounds in which they take turns. */
async function inTurn<const Calls extends Call[]>(calls: Calls): Promise<{ [Index in keyof Calls]: number }> {
  const rates: number[][] = calls.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, call] of calls.entries()) {
      const rate = await rateOf(call);
      // The first round warms up.
      if (round > 0) rates[index]?.push(rate);
    }
  }
  return rates.map(median) as { [Index in keyof Calls]: number };
}

async function rateOf(call: Call): Promise<number> {
  const begun = performance.now();
  let done = 0;
  const client = async () => {
    while (performance.now() - begun < ROUND_MS) {
      await call();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (done / (performance.now() - begun)) * 1000;
}
