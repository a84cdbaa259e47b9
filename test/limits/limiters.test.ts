/** The limiters in memory and in Redis decide exactly like the rule. */
import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { BLOCK_MS, decide, freshState, VIOLATION_WINDOW_MS } from '../../src/access/rate.ts';
import type { Clock } from '../../src/clock.ts';
import type { Limiter } from '../../src/limits/limiter.ts';
import { MemoryLimiter } from '../../src/limits/memory.ts';
import { RedisLimiter } from '../../src/limits/redis.ts';
import { unless } from '../support/needs.ts';
import { findRedis, installRedis, startRedis } from '../support/redis.ts';

const START = Date.parse('2026-05-01T00:00:00.000Z');
const skip = unless(findRedis(), 'Redis', installRedis);
const redis = skip ? undefined : await startRedis();
after(() => redis?.kill());

function redisLimiter(clock?: Clock, prefix = 'zukan'): RedisLimiter {
  return new RedisLimiter(redis?.url ?? '', {
    prefix,
    ...(clock && { clock }),
    ...{ commandTimeoutMs: 60_000, startTimeoutMs: 60_000 },
    onChange: (isUnavailable, reason) => assert.ok(!isUnavailable, reason),
  });
}

const makers: [string, string | false, (clock: Clock) => Limiter][] = [
  ['memory', false, (clock) => new MemoryLimiter(clock)],
  ['Redis', skip, (clock) => redisLimiter(clock)],
];

/** Requests of a few clients, with gaps that matter to the rule and to eviction. */
const pauses = [
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 1200 }) },
  { weight: 1, arbitrary: fc.integer({ min: BLOCK_MS - 2, max: BLOCK_MS + 2 }) },
];
const backwards = { weight: 1, arbitrary: fc.integer({ min: -BLOCK_MS - 2000, max: 0 }) };

let runs = 0;

async function assertDecidesLikeTheRule(t: TestContext, make: (clock: Clock) => Limiter, gaps = pauses) {
  const request = fc.record({ client: fc.nat(4), pause: fc.oneof(...gaps) });
  let now = START;
  const limiter = make(() => now);
  t.after(() => limiter.close());
  await limiter.start();
  const property = fc.asyncProperty(fc.array(request, { maxLength: 80 }), async (requests) => {
    const run = runs++;
    const states = new Map<number, typeof freshState>();
    for (const { client, pause } of requests) {
      now += pause;
      const expected = decide(states.get(client) ?? freshState, now);
      states.set(client, expected.state);
      assert.deepEqual(await limiter.decide(`${run} ${client}`), expected.decision);
    }
  });
  await fc.assert(property, { numRuns: 60, seed: 9 });
}

for (const [name, isSkipped, make] of makers) {
  describe(`the limiter in ${name}`, { skip: isSkipped }, () => {
    test('decides like the rule, for each client separately', (t) => assertDecidesLikeTheRule(t, make));

    test('allows a well-paced client whenever the clock is set back five minutes', async (t) => {
      let now = START;
      const limiter = make(() => now);
      t.after(() => limiter.close());
      await limiter.start();
      for (let request = 0; request < 30; request++) {
        now += request % 10 === 9 ? -300_000 : 1000;
        assert.equal((await limiter.decide('well-paced')).isAllowed, true, `request ${request}`);
      }
    });

    test('a clock that is set back prolongs a block to an hour at most', async (t) => {
      let now = START;
      const limiter = make(() => now);
      t.after(() => limiter.close());
      await limiter.start();
      while (!(await limiter.decide('set back')).isBlocked);
      now -= 300_000;
      assert.equal((await limiter.decide('set back')).wait, BLOCK_MS);
      now += BLOCK_MS - 1;
      assert.equal((await limiter.decide('set back')).wait, 1);
      now += 1;
      assert.equal((await limiter.decide('set back')).isAllowed, true);
    });

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
  test('decides like the rule when the clock is set back', (t) =>
    assertDecidesLikeTheRule(t, (clock) => redisLimiter(clock), [...pauses, backwards]));

  test('shares one limit between instances', async (t) => {
    let now = START;
    const instances = [redisLimiter(() => now), redisLimiter(() => now)];
    t.after(() => Promise.all(instances.map((instance) => instance.close())));
    for (const instance of instances) await instance.start();
    let state = freshState;
    for (let request = 0; request < 40; request++) {
      now += 330;
      const expected = decide(state, now);
      state = expected.state;
      assert.deepEqual(await instances[request % 2]?.decide('alternating'), expected.decision);
    }
    assert.ok(state.blockedUntil > 0);
  });

  test('keeps catalogues with different prefixes apart', async (t) => {
    const [one, other] = [redisLimiter(() => START, 'one'), redisLimiter(() => START, 'other')];
    t.after(() => Promise.all([one.close(), other.close()]));
    await one.start();
    await other.start();
    while (!(await one.decide('shared')).isBlocked);
    assert.equal((await other.decide('shared')).isAllowed, true);
    const probe = new Redis(redis?.url ?? '');
    t.after(() => probe.disconnect());
    assert.deepEqual((await probe.keys('*shared')).sort(), ['one:limit:shared', 'other:limit:shared']);
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

describe('the limiter in memory', () => {
  test('remembers a bounded number of clients', async () => {
    const limiter = new MemoryLimiter(() => START, 1000);
    for (let index = 0; index < 20_000; index++) {
      await limiter.decide(`client ${index}`);
      assert.ok(limiter.size <= 1000);
    }
  });

  test('keeps blocked clients when new clients flood it', async () => {
    const limiter = new MemoryLimiter(() => START, 1000);
    const abusers = Array.from({ length: 100 }, (_, index) => `abuser ${index}`);
    for (const abuser of abusers) while (!(await limiter.decide(abuser)).isBlocked);
    for (let request = 0; request < 20_000; request++) {
      // Two requests each: a violation keeps a client for an hour.
      await limiter.decide(`new ${request >> 1}`);
      assert.ok(limiter.size <= 1000);
    }
    for (const abuser of abusers) assert.equal((await limiter.decide(abuser)).isBlocked, true, abuser);
  });

  test('remembers a bounded number of blocked clients, and leaves room for others', async () => {
    const limiter = new MemoryLimiter(() => START, 1000);
    for (let index = 0; index < 3000; index++) {
      limiter.block(`abuser ${index}`, BLOCK_MS);
      assert.ok(limiter.size <= 500);
    }
    for (let index = 0; index < 300; index++) await limiter.decide(`client ${index}`);
    for (let index = 0; index < 300; index++)
      assert.equal((await limiter.decide(`client ${index}`)).isAllowed, false);
  });

  test('evicts clients whose state has expired', async () => {
    let now = START;
    const limiter = new MemoryLimiter(() => now);
    for (let index = 0; index < 1000; index++) await limiter.decide(`client ${index}`);
    assert.equal(limiter.size, 1000);
    now += VIOLATION_WINDOW_MS;
    for (let index = 0; index < 600; index++) await limiter.decide('the last client');
    assert.equal(limiter.size, 1);
  });
});
