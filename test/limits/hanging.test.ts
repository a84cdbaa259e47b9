/** A Redis that hangs: nobody is blocked for it, then or afterwards. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { RedisLimiter } from '../../src/limits/redis.ts';
import { unless } from '../support/needs.ts';
import { findRedis, freePort, installRedis, startRedis } from '../support/redis.ts';

const skip = unless(findRedis(), 'Redis', installRedis);

test('what was asked while Redis hung is not counted all at once when it goes on', { skip }, async () => {
  const redis = await startRedis();
  after(() => redis.kill());
  const changes: string[] = [];
  const limiter = new RedisLimiter(redis.url, {
    onChange: (isAway) => changes.push(isAway ? 'away' : 'back'),
  });
  await limiter.start();
  const client = 'a calm client';
  assert.equal((await limiter.decide(client)).isAllowed, true);
  redis.signal('SIGSTOP');
  for (let second = 0; second < 4; second++) {
    await setTimeout(1000);
    const begun = performance.now();
    await limiter.decide(client);
    // Others come and go meanwhile.
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => limiter.decide(`${client} ${second} ${index}`)),
    );
    assert.ok(performance.now() - begun < 100);
  }
  assert.match(limiter.degradedReason() ?? '', /Redis is away/);
  redis.signal('SIGCONT');
  await setTimeout(1500);
  assert.equal(limiter.degradedReason(), undefined);
  assert.deepEqual(changes, ['away', 'back']);
  const decision = await limiter.decide(client);
  assert.deepEqual([decision.isAllowed, decision.isBlocked], [true, false]);
  await limiter.close();
});

test('why Redis is away is told in its own words', { skip }, async () => {
  const reasons: string[] = [];
  const limiter = new RedisLimiter(`redis://127.0.0.1:${await freePort()}`, {
    onChange: (_isAway, reason) => reasons.push(reason),
  });
  await limiter.start();
  assert.match(limiter.degradedReason() ?? '', /Redis is away/);
  assert.match(reasons.join(), /ECONNREFUSED/);
  await limiter.close();
});
