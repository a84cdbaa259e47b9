/**
 * Calls of the PostgreSQL catalogue, small against large, against `select 1` through the same pool, and against the obvious
 * `ORDER BY random()`. All are measured alternately. Requests at the same time share statements, so the calls are measured
 * one at a time too.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { secureRandomInt } from '../src/lib/random.ts';
import { StoredCatalogue } from '../src/store/catalogue.ts';
import { DocumentFiller } from '../src/store/document-filler.ts';
import { PostgresDriver } from '../src/store/drivers/postgres/driver.ts';
import { Servers } from '../src/store/drivers/postgres/servers.ts';
import { type Postgres, startPostgres } from '../test/support/servers/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { caller } from '../test/support/zukan/caller.ts';
import { writeCatalogue } from './catalogue.ts';
import { median } from './statistics.ts';

const SMALL = 10_000;
const ROUNDS = 7;
const ROUND_MS = 700;
const CLIENTS = 20;
const CONNECTIONS = 10;
/** The cache holds all documents. */
const CACHE_BYTES_PER_IMAGE = 1024;
const DOCUMENTS_PER_SLICE = 400;

type Call = () => Promise<unknown>;

export const usage = `Usage: npm run bench -- postgres [images]
  images   size of the large catalogue (1000000)`;

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
      const [smallRate, largeRate, selectRate] = await measureAlternately([few, many, large.selectOne]);
      const toSmall = `${(largeRate / smallRate).toFixed(2)} of the rate with ${SMALL} images`;
      const toSelect = `${(largeRate / selectRate).toFixed(2)} of select 1 (${Math.round(selectRate)}/s)`;
      const [alone, selectAlone] = await measureAlternately([many, large.selectOne], 1);
      const oneAtATime = `${(alone / selectAlone).toFixed(2)} one at a time`;
      console.log(
        `${title}: ${Math.round(largeRate)}/s with ${size} images, ${toSmall}, ${toSelect}, ${oneAtATime}`,
      );
    }
    for (const { images, orderByRandom, calls } of [small, large]) {
      const [theirs, ours] = await measureAlternately([orderByRandom, calls['random, 10'] as Call]);
      console.log(
        `ORDER BY random() with ${images} images: ${theirs.toFixed(1)}/s, random(10) ${Math.round(ours)}/s: ${(ours / theirs).toFixed(1)} times as many`,
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
    `import of ${images} images: ${seconds.toFixed(1)} s, ${Math.round(images / seconds)}/s, ${Math.round(memory / 1e6)} MB peak memory`,
  );
  const options = { url, readUrls: [], connections: CONNECTIONS, onChange: () => {} };
  const servers = new Servers(options);
  const cache = new ArrayBuffer(images * CACHE_BYTES_PER_IMAGE);
  const catalogue = new StoredCatalogue(new PostgresDriver(servers), cache);
  // ORDER BY random() takes longer than the timeout of our pool.
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const query = (name: string, text: string) => servers.queryPrimary({ name, text }, []);
  const ids = (await query('ids', 'select id from image order by random() limit 10000')).map(
    ([id]) => id as string,
  );
  // Fill the buffers, as after a while of serving.
  for (const table of ['image', 'placement', 'shelf'])
    await pool.query(`select count(t::text) from zukan.${table} t`);
  await fillCache(servers, cache);
  let next = 0;
  const calls: Record<string, Call> = {
    'random, 10': () => catalogue.randomImages({}, 10, secureRandomInt, caller),
    'random, 10 rated nsfw': () => catalogue.randomImages({ nsfw: ['nsfw'] }, 10, secureRandomInt, caller),
    'random, 10 of two categories': () =>
      catalogue.randomImages({ categories: ['a', 'b'] }, 10, secureRandomInt, caller),
    'by id': () => catalogue.image(ids[next++ % ids.length] as string),
    'page of 25 at offset 90%': () =>
      catalogue.images({}, { offset: Math.floor(images * 0.9), limit: 25 }, caller),
    'page of 25 rated sfw': () =>
      catalogue.images({ nsfw: ['sfw'] }, { offset: Math.floor(images * 0.5), limit: 25 }, caller),
  };
  return {
    images,
    calls,
    selectOne: () => query('one', 'select 1'),
    orderByRandom: () =>
      pool.query({ name: 'random', text: 'select document from zukan.image order by random() limit 10' }),
    async close() {
      await servers.close();
      await pool.end();
    },
  };
}

async function fillCache(servers: Servers, memory: ArrayBuffer): Promise<void> {
  const filler = new DocumentFiller(new PostgresDriver(servers), memory, DOCUMENTS_PER_SLICE);
  const startedAt = performance.now();
  while (!(await filler.runSlice()));
  console.log(`cache filled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** The rate of each call: the median of rounds in which they alternate. */
async function measureAlternately<const Calls extends Call[]>(
  calls: Calls,
  clients = CLIENTS,
): Promise<{ [Index in keyof Calls]: number }> {
  const rates: number[][] = calls.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, call] of calls.entries()) {
      const rate = await measureRate(call, clients);
      // The first round warms up.
      if (round > 0) rates[index]?.push(rate);
    }
  }
  return rates.map(median) as { [Index in keyof Calls]: number };
}

async function measureRate(call: Call, clients: number): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const client = async () => {
    while (performance.now() - startedAt < ROUND_MS) {
      await call();
      done++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (done / (performance.now() - startedAt)) * 1000;
}
