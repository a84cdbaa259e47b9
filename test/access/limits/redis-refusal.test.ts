/** Redis answers but refuses writes: the limiter is degraded all the time that lasts, with or without requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { RedisLimiter } from '../../../src/access/limits/redis.ts';
import { unless } from '../../support/servers/needs.ts';
import { startProxy } from '../../support/servers/proxy.ts';
import { findRedis, freePort, installRedis, startRedis } from '../../support/servers/redis.ts';
import { until } from '../../support/until.ts';

const skip = unless(findRedis(), 'Redis', installRedis);

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

for (const [name, refuse, accept] of refusals) {
  for (const hasRequests of [true, false]) {
    const title = `reports Redis as unavailable while ${name}, ${hasRequests ? 'with' : 'without'} requests`;
    test(title, { skip }, async (t) => {
      const redis = await startRedis();
      t.after(() => redis.kill());
      const admin = new Redis(redis.url);
      t.after(() => admin.disconnect());
      const proxy = await startProxy(redis.port);
      const changes: string[] = [];
      const limiter = new RedisLimiter(`redis://127.0.0.1:${proxy.port}`, {
        ...{
          perSecond: 1,
          prefix: 'zukan',
          commandTimeoutMs: 10_000,
          probeIntervalMs: 10,
          startTimeoutMs: 60_000,
        },
        onChange: (isUnavailable) => changes.push(isUnavailable ? 'unavailable' : 'available'),
      });
      t.after(() => limiter.close());
      await limiter.start();
      while (!(await limiter.decide('abuser')).isBlocked);
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
      await until('Redis is available again', () => limiter.degradedReason() === undefined);
      assert.deepEqual(changes, ['unavailable', 'available']);
      assert.deepEqual(await admin.keys('zukan:limit:client*'), []);
    });
  }
}
