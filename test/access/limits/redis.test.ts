/** Limits in Redis: instances share them, and keep serving when it hangs, replies late, refuses writes or is missing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { RedisLimiter, type RedisLimiterOptions } from '../../../src/access/limits/redis.ts';
import type { Decision } from '../../../src/access/rate.ts';
import { writeKnownCatalogue } from '../../support/catalogues/catalogue.ts';
import { atDepth } from '../../support/depth.ts';
import { unless } from '../../support/servers/needs.ts';
import { startProxy } from '../../support/servers/proxy.ts';
import {
  findRedis,
  freePort,
  installRedis,
  type PrivateRedis,
  startRedis,
} from '../../support/servers/redis.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../../support/workspace.ts';
import { type Running, runCommand, serve } from '../../support/zukan/program.ts';
import { send } from '../../support/zukan/service.ts';

const skip = unless(findRedis(), 'Redis', installRedis);
const folder = temporaryFolder();
const data = { DATA_DIR: join(folder, 'data'), THUMBNAILS: 'off' };
await runCommand(['import', await writeKnownCatalogue(folder)], data);

/** Is not counted. */
const EXEMPT = '192.0.2.1';
let clients = 0;
const newClient = () => `203.0.113.${clients++}`;

async function startInstance(url: string, prefix = ''): Promise<Running> {
  const redis = { REDIS_URL: url, REDIS_PREFIX: prefix, RATE_LIMIT_EXEMPT: EXEMPT };
  return serve({ ...data, ...redis, RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' });
}

const get = (server: Running, path: string, client = newClient()) =>
  send(new URL(path, server.origin), { 'X-Forwarded-For': client });

const readHealth = async (server: Running) => (await send(new URL('/health/ready', server.origin))).json;

const readMetrics = async (server: Running) => (await send(new URL('/metrics', server.origin))).text;

const stop = async (server: Running) => assert.equal(await server.stop(), 0);

async function startPrivateRedis(): Promise<PrivateRedis> {
  const redis = await startRedis();
  after(() => redis.kill());
  return redis;
}

test('no request fails while Redis is missing at first, killed and started again under load', {
  skip,
}, async () => {
  const redis = await startPrivateRedis();
  await redis.kill();
  const server = await startInstance(redis.url);
  const healthIs = (expected: object) => async () => isDeepStrictEqual(await readHealth(server), expected);
  const parts = { limits: 'Redis unavailable; each instance limits on its own' };
  await until('the service is degraded', healthIs({ status: 'degraded', parts }));
  await assertLimited(server);
  assert.deepEqual(redisMessages(server), ['Redis unavailable; using the in-memory limiter']);
  await redis.start();
  await until('Redis is connected', healthIs({ status: 'ready' }));
  const statuses: number[] = [];
  let isDone = false;
  const load = async () => {
    while (!isDone)
      statuses.push(
        (await get(server, '/api/stats', `198.51.${statuses.length >> 8}.${statuses.length & 255}`)).status,
      );
  };
  const loading = Promise.all([load(), load(), load()]);
  const moreRequests = () => {
    const goal = statuses.length + 60;
    return until('more requests were answered', () => statuses.length > goal);
  };
  await moreRequests();
  await redis.kill();
  await until('the service is degraded', healthIs({ status: 'degraded', parts }));
  assert.match(await readMetrics(server), /^zukan_part_up\{part="limits"\} 0$/m);
  await moreRequests();
  await assertLimited(server);
  await redis.start();
  await until('the service is ready again', healthIs({ status: 'ready' }));
  await moreRequests();
  isDone = true;
  await loading;
  assert.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 429),
    [],
  );
  await stop(server);
  const messages = redisMessages(server);
  assert.ok(messages.length >= 4, messages.join('\n'));
  for (const [index, message] of messages.entries())
    assert.match(message, index % 2 === 0 ? /^Redis unavailable/ : /^Redis available again/);
});

/** A client that never pauses is allowed at first and refused soon. */
async function assertLimited(server: Running): Promise<void> {
  const client = newClient();
  assert.equal((await get(server, '/api', client)).status, 200);
  await until('a request is refused', async () => (await get(server, '/api', client)).status === 429);
}

const redisMessages = (server: Running): string[] =>
  server.log().flatMap(({ msg }) => (msg.includes('Redis') ? msg : []));

// Redis hangs, replies late, refuses writes or is missing: decisions go on without it, no client is punished later, and
// no block is lifted.

/** In the future: Redis drops keys by its own time. */
const START = Date.parse('2100-01-01T00:00:00.000Z');
/** The failures in a row after which decisions no longer wait for Redis. */
const MAX_FAILURES = 5;
/** Sends nothing but one probe and decisions. */
const rarely = { clock: () => START, probeIntervalMs: 60_000 };
const soon = { commandTimeoutMs: 200, probeIntervalMs: 20 };

/** A limiter, and the changes that it reported. */
async function startLimiter(t: TestContext, url: string, options: Partial<RedisLimiterOptions>) {
  const changes: string[] = [];
  const reasons: string[] = [];
  const limiter = new RedisLimiter(url, {
    perSecond: 1,
    prefix: 'zukan',
    startTimeoutMs: 60_000,
    ...options,
    onChange(isUnavailable, reason) {
      changes.push(isUnavailable ? 'unavailable' : 'available');
      reasons.push(reason);
    },
  });
  t.after(() => limiter.close());
  await limiter.start();
  return { limiter, changes, reasons };
}

const block = async (limiter: RedisLimiter) => {
  while (!(await limiter.decide('abuser')).isBlocked);
};

const untilAvailable = (limiter: RedisLimiter) =>
  until('Redis is available again', () => limiter.degradedReason() === undefined);

/** Fails if the decision needs anything but this process. */
async function decideAtOnce(limiter: RedisLimiter, client: string): Promise<Decision> {
  let decision: Decision | undefined;
  void limiter.decide(client).then((decided) => {
    decision = decided;
  });
  await setImmediate();
  assert.ok(decision, 'the decision waits for Redis');
  return decision;
}

test('one pause of Redis neither lifts a block nor makes it unavailable', { skip }, async (t) => {
  const redis = await startPrivateRedis();
  const { limiter, changes } = await startLimiter(t, redis.url, { ...rarely, commandTimeoutMs: 300 });
  await block(limiter);
  redis.signal('SIGSTOP');
  const others = Array.from({ length: 20 }, (_, index) => limiter.decide(`other ${index}`));
  const blocked = await limiter.decide('abuser');
  for (const other of await Promise.all(others)) assert.equal(other.isAllowed, true);
  redis.signal('SIGCONT');
  assert.deepEqual(blocked, {
    isAllowed: false,
    isBlocked: true,
    wait: 3_600_000,
    remaining: 0,
    refusalsLeft: 0,
  });
  assert.deepEqual(changes, []);
  assert.equal((await limiter.decide('other 1')).isAllowed, false, 'Redis counted the late decision');
});

test('requests during a hang neither wait nor count when Redis resumes, and blocks stay', {
  skip,
}, async (t) => {
  const redis = await startPrivateRedis();
  let now = START;
  const { limiter, changes } = await startLimiter(t, redis.url, { ...soon, clock: () => now });
  await block(limiter);
  const client = 'a well-paced client';
  assert.equal((await limiter.decide(client)).isAllowed, true);
  redis.signal('SIGSTOP');
  for (let failure = 1; failure <= MAX_FAILURES; failure++) {
    assert.equal(limiter.degradedReason(), undefined, `before failure ${failure}`);
    now += 1000;
    assert.equal((await limiter.decide(client)).isAllowed, true);
  }
  assert.equal(limiter.degradedReason(), 'Redis unavailable; each instance limits on its own');
  assert.equal((await decideAtOnce(limiter, 'abuser')).isBlocked, true);
  for (let second = 0; second < 4; second++) {
    now += 1000;
    assert.equal((await decideAtOnce(limiter, client)).isAllowed, true);
    for (let other = 0; other < 20; other++) await decideAtOnce(limiter, `${second} ${other}`);
  }
  redis.signal('SIGCONT');
  await untilAvailable(limiter);
  assert.deepEqual(changes, ['unavailable', 'available']);
  const probe = new Redis(redis.url);
  const keys = await probe.keys('zukan:limit:*');
  probe.disconnect();
  assert.deepEqual(
    keys.sort(),
    [`zukan:limit:${client}`, 'zukan:limit:abuser'],
    'only the requests that noticed the hang were sent',
  );
  now += 1000;
  const { isAllowed, isBlocked } = await limiter.decide(client);
  assert.deepEqual({ isAllowed, isBlocked }, { isAllowed: true, isBlocked: false });
});

test('a connection that swallows everything does not hold up decisions, and recovers', {
  skip,
}, async (t) => {
  const redis = await startPrivateRedis();
  const proxy = await startProxy(redis.port);
  const { limiter } = await startLimiter(t, `redis://127.0.0.1:${proxy.port}`, soon);
  await limiter.decide('one');
  proxy.isSilent = true;
  for (let failure = 0; failure < MAX_FAILURES; failure++)
    assert.equal((await limiter.decide(`two ${failure}`)).isAllowed, true);
  assert.equal((await decideAtOnce(limiter, 'three')).isAllowed, true);
  // The bytes swallowed so far are lost, so the connection cannot continue.
  proxy.cut();
  proxy.isSilent = false;
  await untilAvailable(limiter);
  let sent = 0;
  proxy.onSent = () => {
    sent++;
  };
  assert.equal((await limiter.decide('four')).isAllowed, true);
  assert.ok(sent > 0, 'Redis decides again');
});

test('reports why Redis is unavailable', { skip }, async (t) => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  const { limiter, reasons } = await startLimiter(t, url, { startTimeoutMs: 100 });
  assert.match(limiter.degradedReason() ?? '', /^Redis unavailable/);
  assert.match(reasons.join(), /ECONNREFUSED/);
});

test('takes a server of a cluster for unavailable, whichever keys it has', { skip }, async (t) => {
  const folder = temporaryFolder();
  const redis = await startRedis(
    '--cluster-enabled',
    'yes',
    '--cluster-require-full-coverage',
    'no',
    '--dir',
    folder,
  );
  const admin = new Redis(redis.url);
  t.after(async () => {
    admin.disconnect();
    await redis.kill();
  });
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '12000');
  await until('the server has its keys', async () =>
    String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  );
  const { changes, reasons } = await startLimiter(t, redis.url, {
    commandTimeoutMs: 10_000,
    probeIntervalMs: 5,
  });
  await until('it was probed', async () => {
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1];
    return Number(calls) >= 20;
  });
  assert.deepEqual(changes, ['unavailable']);
  assert.match(reasons.join(), /^it is a cluster; set REDIS_URL/);
});

/** Changes at run time that make Redis refuse writes, and their reversal. */
const refusals: [string, (redis: Redis) => Promise<unknown>, (redis: Redis) => Promise<unknown>][] = [
  [
    'its memory is full',
    (redis) => redis.config('SET', 'maxmemory', '1'),
    (redis) => redis.config('SET', 'maxmemory', '0'),
  ],
  [
    'it is a read-only replica',
    async (redis) => redis.replicaof('127.0.0.1', await freePort()),
    (redis) => redis.replicaof('NO', 'ONE'),
  ],
];

for (const [at, [name, refuse, accept]] of refusals.entries())
  for (const hasRequests of atDepth([at === 0], [true, false]))
    test(`reports Redis as unavailable while ${name}, ${hasRequests ? 'with' : 'without'} requests`, {
      skip,
    }, async (t) => {
      const redis = await startPrivateRedis();
      const admin = new Redis(redis.url);
      t.after(() => admin.disconnect());
      const proxy = await startProxy(redis.port);
      const settings = { commandTimeoutMs: 10_000, probeIntervalMs: 10 };
      const { limiter, changes } = await startLimiter(t, `redis://127.0.0.1:${proxy.port}`, settings);
      await block(limiter);
      await refuse(admin);
      let requests = 0;
      // A blocked client only reads, so its decisions succeed all the time.
      const sendRequests = async () => {
        if (!hasRequests) return;
        assert.equal((await limiter.decide(`client ${requests++}`)).isAllowed, true);
        assert.equal((await limiter.decide('abuser')).isBlocked, true);
      };
      await until('the limiter is degraded', async () => {
        await sendRequests();
        return limiter.degradedReason() !== undefined;
      });
      let probes = 0;
      proxy.onSent = () => {
        probes++;
      };
      await until('more probes were sent', async () => {
        await sendRequests();
        return probes >= 10;
      });
      assert.deepEqual(changes, ['unavailable']);
      await accept(admin);
      await untilAvailable(limiter);
      assert.deepEqual(changes, ['unavailable', 'available']);
      assert.deepEqual(await admin.keys('zukan:limit:client*'), []);
    });
