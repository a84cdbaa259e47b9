/** Limits in memory and in Redis: they decide exactly like the rule, and threads share those in memory. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { ClientTable, createLimiterMemory, MemoryLimiter } from '../../../src/access/limits/memory.ts';
import { RedisLimiter } from '../../../src/access/limits/redis.ts';
import {
  BLOCK_MS,
  decide,
  expiresAt,
  freshState,
  type Limiter,
  type RateState,
  rateOf,
  VIOLATION_WINDOW_MS,
} from '../../../src/access/rate.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { lock, takeOver } from '../../../src/lib/concurrency.ts';
import { atDepth } from '../../support/depth.ts';
import { unless } from '../../support/servers/needs.ts';
import { findRedis, installRedis, startRedis } from '../../support/servers/redis.ts';
import { seededRandomInt } from '../../support/zukan/service.ts';
import { type Load, runThreads } from './limit-threads.ts';
import { NaiveRule } from './naive-rate.ts';

/** In the future: Redis drops keys by its own time. */
const START = Date.parse('2100-01-01T00:00:00.000Z');
const skip = unless(findRedis(), 'Redis', installRedis);
const redis = skip ? undefined : await startRedis();
after(() => redis?.kill());

function redisLimiter(clock?: Clock, { prefix = 'zukan', perSecond = 1 } = {}): RedisLimiter {
  return new RedisLimiter(redis?.url ?? '', {
    perSecond,
    prefix,
    ...(clock && { clock }),
    commandTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    onChange: (isUnavailable, reason) => assert.ok(!isUnavailable, reason),
  });
}

const makers: [string, string | false, (clock: Clock, perSecond?: number) => Limiter][] = [
  ['memory', false, (clock, perSecond = 1) => new MemoryLimiter(perSecond, clock)],
  ['Redis', skip, (clock, perSecond = 1) => redisLimiter(clock, { perSecond })],
];

/** Bursts of two clients. The pauses matter to the rule and to eviction, and a negative one sets the clock back. */
const burst = (perSecond: number) =>
  fc.record({
    client: fc.nat(1),
    requests: fc.integer({ min: perSecond, max: perSecond + 4 }),
    gap: fc.constantFrom(0, 0, 0, 1, 20, 1000),
    pause: fc.oneof(
      { weight: 10, arbitrary: fc.integer({ min: 0, max: 1200 }) },
      { weight: 30, arbitrary: fc.integer({ min: 1000, max: 600_000 }) },
      { weight: 2, arbitrary: fc.integer({ min: BLOCK_MS - 2, max: BLOCK_MS + 2 }) },
      { weight: 2, arbitrary: fc.integer({ min: -2000, max: -1 }) },
      { weight: 2, arbitrary: fc.integer({ min: -BLOCK_MS - 2000, max: -1 }) },
    ),
    /** Waits further, until the client's oldest violation was this much more than an hour ago. */
    edge: fc.constantFrom(undefined, undefined, undefined, undefined, -1, 0),
  });
/** With 3, the interval is not a whole number of milliseconds. */
const RATES = [1, 3, 5];
const RUNS = atDepth(8, 100);

describe('all limiters, the rule and the naive model', () => {
  let runs = 0;
  let now = START;
  const clock = () => now;
  /** Without Redis, what is left is compared. */
  const available = makers.filter(([, isSkipped]) => !isSkipped);

  for (const perSecond of RATES) {
    test(`decide alike at ${perSecond} per second`, async (t) => {
      const rate = rateOf(perSecond);
      const limiters = available.map(([, , make]) => make(clock, perSecond));
      t.after(() => Promise.all(limiters.map((limiter) => limiter.close())));
      for (const limiter of limiters) await limiter.start();
      let blocks = 0;
      const bursts = fc.array(burst(perSecond), { minLength: 10, maxLength: 40 });
      const property = fc.asyncProperty(bursts, async (list) => {
        const states = new Map<string, RateState>();
        const models = new Map<string, NaiveRule>();
        const names = [`${runs} one`, `${runs} other`];
        runs++;
        const assertAlike = async (name: string) => {
          const { state, decision } = decide(rate, states.get(name) ?? freshState, now);
          states.set(name, state);
          if (decision.isBlocked) blocks++;
          for (const limiter of limiters) assert.deepEqual(await limiter.decide(name), decision);
          // The model adds up intervals in another order, which is exact for whole milliseconds only.
          if (1000 % perSecond > 0) return;
          const model = models.get(name) ?? new NaiveRule(perSecond);
          models.set(name, model);
          assert.deepEqual(decision, model.decide(now));
        };
        for (const [index, { client, requests, gap, pause, edge }] of list.entries()) {
          // Limiters drop expired states, and a clock that is set back does not restore them.
          const hasExpired = (name: string) => expiresAt(states.get(name) ?? freshState) <= now;
          if (pause < 0)
            for (const other of [0, 1]) if (hasExpired(names[other] as string)) names[other] += ` ${index}`;
          now += pause;
          const oldest = states.get(names[client] as string)?.violations[0];
          if (edge !== undefined && oldest) now = Math.max(now, oldest + VIOLATION_WINDOW_MS + edge);
          for (let count = 0; count < requests; count++) {
            await assertAlike(names[client] as string);
            now += gap;
          }
        }
      });
      await fc.assert(property, { numRuns: RUNS, seed: 9, endOnFailure: true });
      assert.ok(blocks > RUNS, `${blocks} refusals by a block`);
    });
  }
});

for (const [name, isSkipped, make] of makers) {
  describe(`the limiter in ${name}`, { skip: isSkipped }, () => {
    test('allows one of many requests at the same time', async (t) => {
      const limiter = make(() => START);
      t.after(() => limiter.close());
      await limiter.start();
      const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.decide('a crowd')));
      assert.equal(decisions.filter(({ isAllowed }) => isAllowed).length, 1);
    });
  });
}

describe('the limiter in Redis', { skip }, () => {
  test('shares one limit between instances', async (t) => {
    let now = START;
    const instances = [redisLimiter(() => now), redisLimiter(() => now)];
    t.after(() => Promise.all(instances.map((instance) => instance.close())));
    for (const instance of instances) await instance.start();
    let state = freshState;
    for (let request = 0; request < 40; request++) {
      now += 330;
      const expected = decide(rateOf(1), state, now);
      state = expected.state;
      assert.deepEqual(await instances[request % 2]?.decide('alternating'), expected.decision);
    }
    assert.ok(state.blockedUntil > 0);
  });

  test('after Redis lost its data, only the blocks that the instance knows are left', async (t) => {
    let now = START;
    let runs = 0;
    let kept = 0;
    const limiter = redisLimiter(() => now);
    const probe = new Redis(redis?.url ?? '');
    t.after(() => Promise.all([limiter.close(), probe.disconnect()]));
    await limiter.start();
    const step = fc.record({
      requests: fc.integer({ min: 1, max: 12 }),
      isLost: fc.boolean(),
      pause: fc.constantFrom(0, 1, 1000, 600_000, BLOCK_MS - 1, BLOCK_MS),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const client = `flushed ${runs++}`;
      let state = freshState;
      for (const { requests, isLost, pause } of steps) {
        for (let request = 0; request < requests; request++) {
          const expected = decide(rateOf(1), state, now);
          state = expected.state;
          assert.deepEqual(await limiter.decide(client), expected.decision);
        }
        now += pause;
        if (!isLost) continue;
        await probe.flushdb();
        if (state.blockedUntil > now) kept++;
        else state = freshState;
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed: 9, endOnFailure: true });
    assert.ok(kept > 0);
  });

  test('an instance restores a block for the others after Redis lost it', async (t) => {
    const prefix = 'restored';
    let now = START;
    const instances = [1, 2].map(() => redisLimiter(() => now, { prefix }));
    const probe = new Redis(redis?.url ?? '');
    t.after(() => Promise.all([...instances.map((instance) => instance.close()), probe.disconnect()]));
    const [knowing, other] = instances as [RedisLimiter, RedisLimiter];
    await knowing.start();
    await other.start();
    while (!(await knowing.decide('abuser')).isBlocked);
    now += 1000;
    await probe.flushdb();
    const blocked = {
      isAllowed: false,
      isBlocked: true,
      wait: BLOCK_MS - 1000,
      remaining: 0,
      refusalsLeft: 0,
    };
    assert.deepEqual(await knowing.decide('abuser'), blocked);
    assert.deepEqual(await other.decide('abuser'), blocked);
    now += BLOCK_MS - 1000;
    for (const instance of instances) assert.equal((await instance.decide('abuser')).isBlocked, false);
  });

  test('keeps catalogues with different prefixes apart', async (t) => {
    const [one, other] = ['one', 'other'].map((prefix) => redisLimiter(() => START, { prefix })) as [
      RedisLimiter,
      RedisLimiter,
    ];
    t.after(() => Promise.all([one.close(), other.close()]));
    await one.start();
    await other.start();
    while (!(await one.decide('shared')).isBlocked);
    assert.equal((await other.decide('shared')).isAllowed, true);
    const probe = new Redis(redis?.url ?? '');
    t.after(() => probe.disconnect());
    assert.deepEqual((await probe.keys('*shared')).sort(), ['one:limit:shared', 'other:limit:shared']);
  });

  test('keeps the state of a client in the compact encoding', async (t) => {
    let now = START;
    const limiter = redisLimiter(() => now);
    const probe = new Redis(redis?.url ?? '');
    t.after(() => Promise.all([limiter.close(), probe.disconnect()]));
    await limiter.start();
    const key = 'zukan:limit:203.0.113.255';
    const describeKey = async () => [(await probe.hkeys(key)).sort(), await probe.object('ENCODING', key)];
    await limiter.decide('203.0.113.255');
    const encoding = await probe.object('ENCODING', key);
    assert.deepEqual(await describeKey(), [['due'], encoding]);
    for (let violation = 1; violation <= 9; violation++) {
      now += 399_000;
      await limiter.decide('203.0.113.255');
      await limiter.decide('203.0.113.255');
    }
    assert.equal(await probe.hget(key, 'violations'), '9');
    assert.deepEqual(await describeKey(), [['due', 'first', 'later', 'violations'], encoding]);
    await limiter.decide('203.0.113.255');
    assert.deepEqual(await describeKey(), [['blocked'], encoding]);
  });

  test('uses the time of the server, and lets every key expire', async (t) => {
    const limiter = redisLimiter();
    t.after(() => limiter.close());
    await limiter.start();
    const probe = new Redis(redis?.url ?? '');
    t.after(() => probe.disconnect());
    const serverTime = async () => {
      const [seconds, microseconds] = (await probe.time()) as [number, number];
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    };
    const NO_EXPIRY = -1;
    await limiter.decide('slow');
    const slow = await probe.pttl('zukan:limit:slow');
    assert.ok(slow !== NO_EXPIRY && slow <= 1000, `${slow}`);
    const before = await serverTime();
    while ((await limiter.decide('fast')).isAllowed);
    const violation = Number(await probe.hget('zukan:limit:fast', 'first'));
    assert.ok(violation >= before && violation <= (await serverTime()));
    const fast = await probe.pttl('zukan:limit:fast');
    assert.ok(fast > 1000 && fast <= VIOLATION_WINDOW_MS, `${fast}`);
  });
});

// Several threads share one limit exactly, in bounded memory, and outlive a thread that dies in the middle of a decision.

const THREADS = 4;
const DECISIONS = atDepth(1500, 20_000);

function increasingTimes(seed: number, count: number, gaps: number[]): Load['times'] {
  const randomInt = seededRandomInt(seed);
  const times = new Float64Array(new SharedArrayBuffer(count * 8));
  let now = START;
  for (let index = 0; index < count; index++) {
    now += gaps[randomInt(gaps.length)] as number;
    times[index] = now;
  }
  return times;
}

function loadOf(clients: string[], gaps: number[], perSecond = 1, count = DECISIONS): Load {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const times = increasingTimes(clients.length, count, gaps);
  return { memory: createLimiterMemory(), perSecond, times, next, clients, sleepEvery: 100 };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index}`);

describe('threads that share the limit', () => {
  const cases: [string, Load][] = [
    ['one client', loadOf(['198.51.100.1'], [0, 0.5, 300, 1000, 1001, 400_000])],
    ['a few clients', loadOf(names(5), [0, 0, 0.25, 20, 50, 5000], 3)],
    // Blocks begin and end again and again.
    ['clients that are blocked most of the time', loadOf(names(7), [0, 0, 10, 100, 20_000])],
    ['many clients', loadOf([...names(120), '2001:db8:1234:5678::/64', 'x'.repeat(60)], [0, 0, 1, 2])],
  ];
  for (const [name, load] of cases) {
    test(`decide about ${name} exactly like the rule`, async () => {
      const records = await runThreads(THREADS, load);
      assert.deepEqual(
        records.map(({ index }) => index),
        Array.from(load.times.keys()),
      );
      const states = new Map<string, RateState>();
      let blocks = 0;
      for (const { index, client, decision } of records) {
        const now = load.times[index] as number;
        const expected = decide(rateOf(load.perSecond), states.get(client) ?? freshState, now);
        states.set(client, expected.state);
        assert.deepEqual(decision, expected.decision, `decision ${index}`);
        if (decision.isBlocked) blocks++;
      }
      assert.ok(blocks > 100, `${blocks} refusals by a block`);
      const switches = records.filter(({ thread }, index) => thread !== records[index + 1]?.thread).length;
      assert.ok(switches >= load.times.length / load.sleepEvery, `${switches} switches between threads`);
    });
  }
});

test('a thread that dies while it decides blocks nobody, and only its client is forgotten', async () => {
  const clients = names(300);
  const load = loadOf(clients, [0], 1, 600);
  const survivor = new MemoryLimiter(1, () => START, load.memory, 100);
  for (const client of clients) assert.equal((await survivor.decide(client)).isAllowed, true);
  survivor.block('198.51.100.9', BLOCK_MS);
  const records = await runThreads(1, { ...load, dies: 1 });
  assert.deepEqual(records, []);
  new ClientTable(load.memory, 101).releaseLocksOf(1);
  for (const client of clients) assert.equal((await survivor.decide(client)).isAllowed, false, client);
  assert.equal((await survivor.decide('198.51.100.9')).isBlocked, true);
  assert.equal(survivor.size, clients.length + 1);
});

test('a lock is taken from the thread that has died, and from no other', () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const [dead, alive, other] = [1, 2, 3];
  lock(words, 0, alive);
  assert.equal(takeOver(words, 0, dead, other), false);
  assert.equal(takeOver(words, 0, alive, other), true);
});

describe('the memory', () => {
  const MAX = 6400;

  function limiterOf(maxClients: number, clock = () => START) {
    return new MemoryLimiter(1, clock, createLimiterMemory(maxClients), 1);
  }

  test('holds a bounded number of clients', async () => {
    const limiter = limiterOf(MAX);
    for (let index = 0; index < 3 * MAX; index++) await limiter.decide(`client ${index}`);
    assert.equal(limiter.size, MAX);
  });

  test('keeps blocked clients when new clients flood it', async () => {
    const limiter = limiterOf(MAX);
    const abusers = Array.from({ length: 500 }, (_, index) => `abuser ${index}`);
    for (const abuser of abusers) while (!(await limiter.decide(abuser)).isBlocked);
    // Two requests each: a violation keeps a client for an hour.
    for (let request = 0; request < 4 * MAX; request++) await limiter.decide(`new ${request >> 1}`);
    for (const abuser of abusers) assert.equal((await limiter.decide(abuser)).isBlocked, true, abuser);
    assert.equal(limiter.blockedClients(), abusers.length);
    assert.equal(limiter.size, MAX);
  });

  test('holds a bounded number of blocked clients, and leaves room for others', async () => {
    const limiter = limiterOf(MAX);
    for (let index = 0; index < 3 * MAX; index++) limiter.block(`abuser ${index}`, BLOCK_MS);
    assert.equal(limiter.blockedClients(), MAX / 2);
    for (let index = 0; index < 1000; index++) await limiter.decide(`client ${index}`);
    for (let index = 0; index < 1000; index++)
      assert.equal((await limiter.decide(`client ${index}`)).isAllowed, false);
    assert.equal(limiter.blockedClients(), MAX / 2, 'nobody else made them forgotten');
  });

  test('drops clients whose state has expired', async () => {
    let now = START;
    const limiter = limiterOf(MAX, () => now);
    for (let index = 0; index < 1000; index++) await limiter.decide(`client ${index}`);
    assert.equal(limiter.size, 1000);
    // Each request sweeps two clients that have the same shard.
    for (let turn = 0; turn < 3; turn++) {
      now += 1000;
      for (let index = 0; index < 2000; index++) await limiter.decide(`other ${index}`);
    }
    assert.equal(limiter.size, 2000);
  });

  test('takes less than 84 bytes per client without violations', () => {
    const bytes = createLimiterMemory(500_000).byteLength / 500_000;
    // The times of nine violations are in memory pages of their own.
    assert.ok(bytes - 9 * 8 < 84, `${bytes} bytes`);
  });
});
