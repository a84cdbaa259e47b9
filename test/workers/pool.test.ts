/** Threads that serve like one: how they start, fail, hang and are replaced. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Server } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createLimiterMemory } from '../../src/access/limits/memory.ts';
import { pageRule } from '../../src/access/rate.ts';
import type { Config } from '../../src/config/config.ts';
import { Logger } from '../../src/http/logger.ts';
import { createTurnMemory } from '../../src/lib/concurrency.ts';
import type { Metric } from '../../src/lib/metrics.ts';
import { createApp, warnAboutUnsharedKeys } from '../../src/server/app.ts';
import { createCatalogue, createDocumentMemory } from '../../src/server/engines.ts';
import { mergeReasons } from '../../src/server/pages/health.ts';
import { Heartbeat } from '../../src/server/workers/messages.ts';
import { canSharePorts, WorkerPool } from '../../src/server/workers/pool.ts';
import { writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { parseMetrics, sampleIn } from '../support/checks/metrics.ts';
import { testDeep } from '../support/depth.ts';
import { findPostgres, installPostgres, unless } from '../support/servers/needs.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { freePort } from '../support/servers/redis.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { hangThread } from '../support/zukan/hang-thread.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { startPacedLoad } from '../support/zukan/paced-load.ts';
import { configFor, send } from '../support/zukan/service.ts';

/** Far longer than the test may take: the timeout must not be what ends a shutdown. */
const NEVER_MS = 600_000;

const folder = temporaryFolder();
const config = configFor(folder, {
  WORKERS: '2',
  CACHE_MB: '1',
  RATE_LIMIT: 'on',
  THUMBNAILS: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_EXEMPT: '127.0.0.1',
});
await importFiles(config, [await writeKnownCatalogue(folder)]);

async function start(of: Config = config) {
  const lines: string[] = [];
  const log = new Logger('info', (text, done) => {
    lines.push(...text.trimEnd().split('\n'));
    done();
  });
  const pool = new WorkerPool(of, log);
  const origin = await pool.start();
  const get = (path: string, client = '127.0.0.1') =>
    send(new URL(path, origin), { 'X-Forwarded-For': client });
  const scrape = async () => parseMetrics((await get('/metrics')).text);
  return {
    pool,
    origin,
    get,
    scrape,
    log,
    messages: () => lines.map((line) => JSON.parse(line).msg as string),
  };
}

const requestsIn = (metrics: Metric[]) =>
  metrics
    .filter(({ name }) => name === 'zukan_http_requests_total')
    .flatMap(({ samples }) => samples)
    .reduce((sum, { value }) => sum + value, 0);

test('threads share the limit and the cache, report together, and are replaced when they fail', async (t) => {
  const { pool, get, scrape, messages } = await start();
  t.after(() => pool.close());
  const client = '203.0.113.1';
  const outcomes = async () => {
    const metrics = await scrape();
    return ['refused', 'blocked'].map((outcome) =>
      sampleIn(metrics, `zukan_limiter_decisions_total{outcome="${outcome}"}`),
    );
  };
  let sent = 0;
  /** On a connection of its own, which either thread may get. */
  const call = async () => {
    sent++;
    return get('/api/stats', client);
  };
  const isBlocked = ({ status, text }: { status: number; text: string }) =>
    status === 429 && text.includes('You are blocked');
  await until('the client is blocked', async () => isBlocked(await call()));
  // Nine violations, whichever thread saw them, and the tenth is the block.
  assert.deepEqual(await outcomes(), [9, 1]);
  let byThread: number[] = [];
  await until('both threads have refused the client', async () => {
    assert.ok(isBlocked(await call()));
    const reports = await pool.collectReports(true);
    byThread = reports.slice(0, 2).map(({ metrics }) => requestsIn(metrics));
    return byThread.every((count) => count > 10);
  });
  const before = await scrape();
  const calls = [...(before.get('zukan_http_requests_total')?.samples.values() ?? [])]
    .filter(({ labels }) => labels.route === '/stats')
    .reduce((sum, { value }) => sum + value, 0);
  assert.equal(calls, sent);
  assert.equal(sampleIn(before, 'zukan_limiter_blocked_clients'), 1);
  assert.equal(sampleIn(before, 'zukan_workers'), 2);

  await until('the cache is filled', async () => {
    const metrics = await scrape();
    const images = sampleIn(metrics, 'zukan_catalogue_records{kind="image"}');
    return sampleIn(metrics, 'zukan_document_cache_images') === images;
  });
  assert.equal((await get('/api/image/random?limit=25')).status, 200);
  assert.ok(sampleIn(await scrape(), 'zukan_document_cache_hits_total') > 0);

  await pool.workers[0]?.terminate();
  await until('the thread is replaced', async () => sampleIn(await scrape(), 'zukan_workers') === 2);
  const after = await scrape();
  assert.equal(sampleIn(after, 'zukan_worker_failures_total'), 1);
  for (const [key, { value }] of before.get('zukan_http_requests_total')?.samples ?? [])
    assert.ok(sampleIn(after, key) >= value, key);
  assert.deepEqual(messages(), ['worker failed; starting another one']);
  for (let request = 0; request < 20; request++) assert.ok(isBlocked(await call()));
  await until('the service is ready', async () => (await get('/health/ready')).json.status === 'ready');
});

test('threads share the limit of pages', async (t) => {
  const limits = createLimiterMemory(1000);
  const rest = {
    documents: createDocumentMemory(config, SharedArrayBuffer),
    decoding: createTurnMemory(),
    writeLog: () => {},
    collectReports: async () => [],
  };
  const origins = [];
  for (const owner of [1, 2]) {
    const app = await createApp(config, { clock: () => 1e12, shared: { limits, owner, ...rest } });
    t.after(() => app.close());
    origins.push(await app.listen({ host: '127.0.0.1', port: 0 }));
  }
  let pages = 0;
  for (let request = 0; request < pageRule.burst + 4; request++) {
    const url = new URL('/', origins[request % 2]);
    const { status } = await send(url, { 'X-Forwarded-For': '203.0.113.3', accept: 'text/html' });
    pages += Number(status === 200);
  }
  assert.equal(pages, pageRule.burst);
});

testDeep('threads share the limit while Redis is unavailable', async (t) => {
  const { pool, get, scrape } = await start({ ...config, redisUrl: `redis://127.0.0.1:${await freePort()}` });
  t.after(() => pool.close());
  const client = '203.0.113.2';
  await until('the client is blocked', async () =>
    (await get('/api/stats', client)).text.includes('You are blocked'),
  );
  assert.equal(sampleIn(await scrape(), 'zukan_limiter_decisions_total{outcome="refused"}'), 9);
  await until('all threads report it', async () => {
    const reports = await pool.collectReports(false);
    return reports.slice(0, 2).every(({ degradedReasons }) => degradedReasons.limits);
  });
  assert.equal((await get('/health/ready')).json.status, 'degraded');
});

test('a port in use is an error even if it is shared, and all threads finish their requests', async () => {
  const { pool, origin } = await start({ ...config, rateLimit: 'off' });
  const second = new WorkerPool({ ...config, port: Number(new URL(origin).port) });
  await assert.rejects(second.start(), { code: 'EADDRINUSE' });
  await second.close();
  const load = startPacedLoad(`${origin}/api/stats`);
  await until('requests are served', () => load.answered() > 30);
  await pool.close(NEVER_MS);
  const { 200: served = 0, ECONNREFUSED: refused = 0, ...others } = Object.fromEntries(await load.stop());
  assert.deepEqual(others, {}, `${served} served, ${refused} refused`);
});

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);

testDeep('threads share the connections to PostgreSQL', { skip }, async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.discard());
  const own = configFor(temporaryFolder(), {
    DATABASE_URL: postgres.newDatabase(),
    DATABASE_CONNECTIONS: '5',
    WORKERS: '2',
    TRUSTED_PROXIES: '127.0.0.1',
  });
  await createCatalogue(own);
  const { pool, get, scrape, log, messages } = await start(own);
  t.after(() => pool.close());
  assert.equal((await get('/api/stats')).status, 200);
  const metrics = await scrape();
  assert.equal(sampleIn(metrics, 'zukan_database_connections_max{server="primary"}'), 4);
  assert.equal(sampleIn(metrics, 'zukan_database_up{server="primary"}'), 1);
  warnAboutUnsharedKeys(own, log);
  await log.flush();
  assert.match(messages()[0] ?? '', /^LINK_KEYS is not set/);
});

test('threads share a port on a machine without the usual address', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { listen } = Server.prototype;
  t.mock.method(Server.prototype, 'listen', function (this: Server, address: { host: string }) {
    if (address.host !== '127.0.0.1') return listen.call(this, address);
    process.nextTick(() => this.emit('error', new Error('listen EADDRNOTAVAIL')));
    return this;
  });
  assert.deepEqual([await canSharePorts('127.0.0.1'), await canSharePorts('127.0.0.2')], [false, true]);
});

// A thread whose event loop hangs is reported and replaced; one that is only slow is not.

/** A healthy thread runs at least once in ten of them, however busy the machine is. */
const BEAT_MS = 100;

test('a thread that hangs is reported as degraded, then replaced', async (t) => {
  const lines: string[] = [];
  const log = new Logger('info', (text, done) => {
    lines.push(text);
    done();
  });
  const config = configFor(temporaryFolder(), { WORKERS: '2', CACHE_MB: '1' });
  await createCatalogue(config);
  const pool = new WorkerPool(config, log, BEAT_MS);
  const origin = await pool.start();
  t.after(() => pool.close());
  const before = new Set(pool.workers);
  const isDegraded = async () => mergeReasons(await pool.collectReports(false)).workers !== undefined;
  assert.equal(await isDegraded(), false);
  await hangThread();
  await until('the health check notices', isDegraded);
  await until('all threads respond', async () => !(await isDegraded()));
  assert.deepEqual(
    [pool.workers.length, before.intersection(new Set(pool.workers)).size],
    [2, 1],
    'one is new',
  );
  for (let connection = 0; connection < 20; connection++)
    assert.equal((await send(new URL('/health/live', origin))).status, 200);
  await log.flush();
  assert.match(lines.join(''), /"the thread did not respond/);
  assert.match(lines.join(''), /worker failed; starting another one/);
});

test('a thread is hung after ten beats of the main thread without one of its own', () => {
  const heartbeat = new Heartbeat();
  const beats = new Int32Array(heartbeat.memory);
  const miss = (times: number) => Array.from({ length: times }, () => heartbeat.look());
  assert.ok(miss(9).every((isHung) => !isHung));
  assert.equal(heartbeat.isResponding, false);
  // However late it comes, as after a suspension of the machine or on a busy one.
  Atomics.add(beats, 0, 1);
  assert.deepEqual([heartbeat.look(), heartbeat.isResponding], [false, true]);
  assert.deepEqual([miss(2).includes(true), heartbeat.isResponding], [false, true]);
  assert.deepEqual(miss(10), [...Array(7).fill(false), true, false, false]);
});

// While threads start, a connection is refused or served. None is accepted and then reset.

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
/** Leaves the processor to the threads that start. */
const PAUSE_MS = 5;
/** Sent after all threads listen. */
const FURTHER_ROUNDS = 20;

/** Sends a request on a connection of its own. Returns the first line of the response, or the code of an error. */
async function tryRequest(port: number): Promise<string> {
  try {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    socket.write(REQUEST);
    const text: string[] = await socket.toArray();
    return text.join('').split('\r\n')[0] || 'nothing';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

test('no connection is reset once the first has been served', async (t) => {
  const port = await freePort();
  const config = configFor(temporaryFolder(), { WORKERS: '3', CACHE_MB: '1', PORT: String(port) });
  await createCatalogue(config);
  const pool = new WorkerPool(config);
  t.after(() => pool.close());
  let isStarted = false;
  const starting = pool.start().then(() => {
    isStarted = true;
  });
  const outcomes: string[] = [];
  for (let further = 0; further < FURTHER_ROUNDS; further += Number(isStarted)) {
    outcomes.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => tryRequest(port)))));
    await setTimeout(PAUSE_MS);
  }
  await starting;
  const sinceFirst = outcomes.slice(outcomes.indexOf('HTTP/1.1 200 OK'));
  assert.ok(sinceFirst.length >= 5 * (FURTHER_ROUNDS - 1));
  assert.deepEqual([...new Set(sinceFirst)], ['HTTP/1.1 200 OK']);
});
