/** The limiters, in memory and in Redis, decide alike: both like the rule. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { decide, freshState, HOUR_MS } from '../../src/access/rate.ts';
import type { Clock } from '../../src/clock.ts';
import type { Limiter } from '../../src/limits/limiter.ts';
import { MemoryLimiter } from '../../src/limits/memory.ts';
import { RedisLimiter } from '../../src/limits/redis.ts';
import { heldMemory } from '../support/memory.ts';
import { unless } from '../support/needs.ts';
import { findRedis, installRedis, startRedis } from '../support/redis.ts';

const START = Date.parse('2026-05-01T00:00:00.000Z');
const skip = unless(findRedis(), 'Redis', installRedis);
const redis = skip ? undefined : await startRedis();
after(() => redis?.kill());

const makers: [string, string | false, (clock: Clock) => Limiter][] = [
  ['memory', false, (clock) => new MemoryLimiter(clock)],
  [
    'redis',
    skip,
    (clock) =>
      new RedisLimiter(redis?.url ?? '', { clock, onChange: (isAway, reason) => assert.ok(!isAway, reason) }),
  ],
];

for (const [name, isSkipped, make] of makers) {
  describe(`the limiter in ${name}`, { skip: isSkipped }, () => {
    let clients = 0;
    const newClient = () => `client ${name} ${clients++}`;

    test('decides like the rule', async () => {
      let now = START;
      const limiter = make(() => now);
      await limiter.start();
      const gap = fc.oneof(
        fc.integer({ min: 0, max: 1200 }),
        fc.integer({ min: HOUR_MS - 2, max: HOUR_MS + 2 }),
      );
      const property = fc.asyncProperty(fc.array(gap, { maxLength: 60 }), async (gaps) => {
        const client = newClient();
        let state = freshState;
        for (const pause of gaps) {
          now += pause;
          const expected = decide(state, now);
          state = expected.state;
          assert.deepEqual(await limiter.decide(client), expected.decision);
        }
      });
      await fc.assert(property, { numRuns: 60, seed: 9 });
      await limiter.close();
    });

    test('keeps clients apart', async () => {
      const limiter = make(() => START);
      await limiter.start();
      const [one, other] = [newClient(), newClient()];
      assert.equal((await limiter.decide(one)).isAllowed, true);
      assert.equal((await limiter.decide(other)).isAllowed, true);
      assert.equal((await limiter.decide(one)).isAllowed, false);
      await limiter.close();
    });

    test('lets one of many requests at the same moment through', async () => {
      const limiter = make(() => START);
      await limiter.start();
      const client = newClient();
      const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.decide(client)));
      assert.equal(decisions.filter(({ isAllowed }) => isAllowed).length, 1);
      await limiter.close();
    });
  });
}

test('in Redis every key expires by itself, and time is the server’s', { skip }, async () => {
  const limiter = new RedisLimiter(redis?.url ?? '', { onChange: () => {} });
  await limiter.start();
  const probe = new Redis(redis?.url ?? '');
  assert.equal((await limiter.decide('calm')).isAllowed, true);
  const calm = await probe.pttl('zukan:limit:calm');
  assert.ok(calm > 0 && calm <= 1000, `${calm}`);
  await limiter.decide('hasty');
  assert.equal((await limiter.decide('hasty')).isAllowed, false);
  const hasty = await probe.pttl('zukan:limit:hasty');
  assert.ok(hasty > HOUR_MS - 5000 && hasty <= HOUR_MS, `${hasty}`);
  probe.disconnect();
  await limiter.close();
});

test('in memory a flood of a million addresses stays small, and idle clients are forgotten', async () => {
  let now = START;
  const limiter = new MemoryLimiter(() => now);
  const before = heldMemory();
  let longest = 0;
  for (let index = 0; index < 1_000_000; index++) {
    const begun = performance.now();
    void limiter.decide(`${index >> 16}.${(index >> 8) & 255}.${index & 255}.7`);
    longest = Math.max(longest, performance.now() - begun);
    if (index % 1000 === 0) now++;
  }
  const megabytes = (heldMemory() - before) / 1e6;
  assert.ok(megabytes < 200, `${megabytes} MB`);
  // A collection of garbage may fall into any of them.
  assert.ok(longest < 500, `one decision took ${longest} ms`);
  assert.ok(limiter.size <= 500_000, `${limiter.size} clients`);
  now += HOUR_MS;
  for (let index = 0; index < 600_000; index++) void limiter.decide('one that stays');
  assert.ok(limiter.size < 10, `${limiter.size} clients`);
});
