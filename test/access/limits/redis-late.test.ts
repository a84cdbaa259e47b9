/** Redis replies late: requests are decided without it, and neither a pause nor a busy process lifts a block. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { RedisLimiter, type RedisLimiterOptions } from '../../../src/access/limits/redis.ts';
import { unless } from '../../support/servers/needs.ts';
import { findRedis, installRedis, type PrivateRedis, startRedis } from '../../support/servers/redis.ts';

/** In the future: Redis drops keys by its own time. */
const START = Date.parse('2100-01-01T00:00:00.000Z');
const skip = unless(findRedis(), 'Redis', installRedis);

async function startPrivateRedis(t: TestContext): Promise<PrivateRedis> {
  const redis = await startRedis();
  t.after(() => redis.kill());
  return redis;
}

/** A limiter that sends nothing but one probe and decisions, and the changes that it reported. */
async function startLimiter(t: TestContext, url: string, options: Partial<RedisLimiterOptions>) {
  const changes: string[] = [];
  const limiter = new RedisLimiter(url, {
    ...{
      perSecond: 1,
      prefix: 'zukan',
      clock: () => START,
      startTimeoutMs: 60_000,
      probeIntervalMs: 60_000,
      ...options,
    },
    onChange: (isUnavailable) => changes.push(isUnavailable ? 'unavailable' : 'available'),
  });
  t.after(() => limiter.close());
  await limiter.start();
  return { limiter, changes };
}

test('one pause of Redis neither lifts a block nor makes it unavailable', { skip }, async (t) => {
  const redis = await startPrivateRedis(t);
  const { limiter, changes } = await startLimiter(t, redis.url, { commandTimeoutMs: 300 });
  while (!(await limiter.decide('abuser')).isBlocked);
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

test('Redis is unavailable after five late replies in a row, and blocks stay', { skip }, async (t) => {
  const redis = await startPrivateRedis(t);
  const { limiter, changes } = await startLimiter(t, redis.url, { commandTimeoutMs: 500 });
  while (!(await limiter.decide('abuser')).isBlocked);
  redis.signal('SIGSTOP');
  for (let request = 1; request <= 5; request++) {
    assert.equal(limiter.degradedReason(), undefined, `before late reply ${request}`);
    await limiter.decide(`client ${request}`);
  }
  assert.deepEqual(changes, ['unavailable']);
  assert.equal((await limiter.decide('abuser')).isBlocked, true);
});

/** Blocks this process until Redis has run the command. */
function waitBusily(url: string, key: string, violations: number): void {
  const script = `
    import { Redis } from 'ioredis';
    const redis = new Redis('${url}');
    while (Number(await redis.hget('${key}', 'violations')) !== ${violations});
    redis.disconnect();`;
  const settings = { cwd: import.meta.dirname, timeout: 60_000 };
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], settings);
  assert.equal(status, 0);
}

test('a reply that waits for a busy process is not late', { skip }, async (t) => {
  const redis = await startPrivateRedis(t);
  const patient = await startLimiter(t, redis.url, { commandTimeoutMs: 60_000 });
  assert.equal((await patient.limiter.decide('fast')).isAllowed, true);
  assert.equal((await patient.limiter.decide('fast')).isAllowed, false);
  const { limiter } = await startLimiter(t, redis.url, { commandTimeoutMs: 1 });
  const decision = limiter.decide('fast');
  waitBusily(redis.url, 'zukan:limit:fast', 2);
  assert.equal((await decision).isAllowed, false, 'Redis decides, not the empty memory of this process');
});
