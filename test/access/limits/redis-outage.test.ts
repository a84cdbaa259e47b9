/** Redis hangs or is missing: decisions go on without it, and no client is punished later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RedisLimiter } from '../../../src/access/limits/redis.ts';
import type { Decision } from '../../../src/access/rate.ts';
import { unless } from '../../support/servers/needs.ts';
import { startProxy } from '../../support/servers/proxy.ts';
import { findRedis, freePort, installRedis, startRedis } from '../../support/servers/redis.ts';
import { until } from '../../support/until.ts';

const skip = unless(findRedis(), 'Redis', installRedis);
const settings = {
  perSecond: 1,
  prefix: 'zukan',
  commandTimeoutMs: 200,
  probeIntervalMs: 20,
  startTimeoutMs: 60_000,
};

/** The failures in a row after which decisions no longer wait for Redis. */
const MAX_FAILURES = 5;

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

test('requests during a hang neither wait nor count when Redis resumes', { skip }, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.kill());
  const changes: string[] = [];
  // In the future: Redis drops keys by its own time.
  let now = Date.parse('2100-01-01T00:00:00.000Z');
  const limiter = new RedisLimiter(redis.url, {
    ...settings,
    clock: () => now,
    onChange: (isUnavailable) => changes.push(isUnavailable ? 'unavailable' : 'available'),
  });
  t.after(() => limiter.close());
  await limiter.start();
  const client = 'a well-paced client';
  assert.equal((await limiter.decide(client)).isAllowed, true);
  redis.signal('SIGSTOP');
  for (let failure = 0; failure < MAX_FAILURES; failure++) {
    now += 1000;
    assert.equal((await limiter.decide(client)).isAllowed, true);
  }
  assert.equal(limiter.degradedReason(), 'Redis unavailable; each instance limits on its own');
  for (let second = 0; second < 4; second++) {
    now += 1000;
    assert.equal((await decideAtOnce(limiter, client)).isAllowed, true);
    for (let other = 0; other < 20; other++) await decideAtOnce(limiter, `${second} ${other}`);
  }
  redis.signal('SIGCONT');
  await until('Redis is available again', () => limiter.degradedReason() === undefined);
  assert.deepEqual(changes, ['unavailable', 'available']);
  const probe = new Redis(redis.url);
  const clients = (await probe.keys('zukan:limit:*')).map((key) => key.replace('zukan:limit:', ''));
  probe.disconnect();
  assert.deepEqual(
    clients.filter((key) => key !== client),
    [],
    'only the requests that noticed the hang were sent',
  );
  now += 1000;
  const { isAllowed, isBlocked } = await limiter.decide(client);
  assert.deepEqual({ isAllowed, isBlocked }, { isAllowed: true, isBlocked: false });
});

test('a connection that swallows everything does not hold up decisions, and recovers', {
  skip,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.kill());
  const proxy = await startProxy(redis.port);
  const limiter = new RedisLimiter(`redis://127.0.0.1:${proxy.port}`, { ...settings, onChange: () => {} });
  t.after(() => limiter.close());
  await limiter.start();
  await limiter.decide('one');
  proxy.isSilent = true;
  for (let failure = 0; failure < MAX_FAILURES; failure++)
    assert.equal((await limiter.decide(`two ${failure}`)).isAllowed, true);
  assert.equal((await decideAtOnce(limiter, 'three')).isAllowed, true);
  // The bytes swallowed so far are lost, so the connection cannot continue.
  proxy.cut();
  proxy.isSilent = false;
  await until('Redis is available again', () => limiter.degradedReason() === undefined);
  let sent = 0;
  proxy.onSent = () => {
    sent++;
  };
  assert.equal((await limiter.decide('four')).isAllowed, true);
  assert.ok(sent > 0, 'Redis decides again');
});

test('reports why Redis is unavailable', { skip }, async (t) => {
  const reasons: string[] = [];
  const limiter = new RedisLimiter(`redis://127.0.0.1:${await freePort()}`, {
    perSecond: 1,
    prefix: 'zukan',
    onChange: (_isUnavailable, reason) => reasons.push(reason),
  });
  t.after(() => limiter.close());
  await limiter.start();
  assert.match(limiter.degradedReason() ?? '', /^Redis unavailable/);
  assert.match(reasons.join(), /ECONNREFUSED/);
});
