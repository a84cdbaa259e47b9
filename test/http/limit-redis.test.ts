/** Calls are admitted by a limit in Redis as by one in memory, and exempt networks do not use Redis. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, describe, test } from 'node:test';
import { Redis } from 'ioredis';
import { Exemptions, tokenRule } from '../../src/access/limiter.ts';
import { MemoryBudget, MemoryLimiter } from '../../src/access/limits/memory.ts';
import { RedisLimiter } from '../../src/access/limits/redis.ts';
import { admit } from '../../src/api/call.ts';
import type { Services } from '../../src/api/endpoint.ts';
import { ApiError, type Exchange, LimiterCounters } from '../../src/http/exchange.ts';
import { unless } from '../support/servers/needs.ts';
import { findRedis, installRedis, startRedis } from '../support/servers/redis.ts';

const skip = unless(findRedis(), 'Redis', installRedis);

describe('the rate limit in Redis', { skip }, async () => {
  if (skip) return;
  // In the future: Redis drops keys by its own time.
  let now = Date.parse('2100-01-01T00:00:00.000Z');
  const clock = () => now;
  const server = await startRedis();
  after(() => server.kill());
  // Only one probe, so that the commands of a test can be counted.
  const limiter = new RedisLimiter(server.url, {
    perSecond: 5,
    prefix: 'zukan',
    clock,
    commandTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    probeIntervalMs: 3_600_000,
    onChange: (isUnavailable, reason) => assert.ok(!isUnavailable, reason),
  });
  after(() => limiter.close());
  await limiter.start();
  await limiter.decide('after the probe');
  const probe = new Redis(server.url);
  after(() => probe.disconnect());

  const services = (limiter: Services['limiter']) =>
    ({
      limiter,
      clock,
      exemptions: new Exemptions(new MemoryBudget(tokenRule, clock)),
      decisions: new LimiterCounters(),
      isInExemptNetwork: ({ headers }: IncomingMessage) => headers.from === 'exempt',
      noticeClient() {},
      clientOf: ({ headers }: IncomingMessage) => headers.from as string,
    }) as Partial<Services> as Services;
  const redis = services(limiter);
  const memory = services(new MemoryLimiter(5, clock));

  /** The message of the error, if any, and the headers. */
  async function call(from: string, through: Services) {
    const sent: Record<string, string> = {};
    const request = { headers: { from } };
    const headers = (added: Record<string, string>) => Object.assign(sent, added);
    const exchange = { request, headers } as unknown as Exchange;
    const admitted = await admit(through, exchange);
    return admitted instanceof ApiError
      ? { sent: admitted.headers, message: admitted.message }
      : { sent, message: 'admitted' };
  }

  test('sends the same headers and messages as the limit in memory, up to a block in a sliding hour', async () => {
    const messages = new Set<string>();
    for (let burst = 0; burst < 14; burst++) {
      now += burst === 1 ? 3_590_000 : 5000;
      for (let count = 0; count < 6; count++) {
        const answer = await call('fast', redis);
        assert.deepEqual(answer, await call('fast', memory));
        assert.equal(answer.sent['X-RateLimit-Limit'], '5');
        messages.add(answer.message);
      }
      assert.equal(
        messages.has('You are blocked for exceeding the rate limit repeatedly. Try again in 3600 s.'),
        burst >= 10,
      );
    }
    assert.ok(
      messages.has(
        'Too many requests: the limit is 5 per second. Try again in 1 s. ' +
          'One more refusal within this hour will block you for an hour.',
      ),
    );
  });

  test('a client in an exempt network costs no command', async () => {
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await probe.info('stats'))?.[1]);
    const before = await commands();
    for (let count = 0; count < 50; count++) {
      const { message, sent } = await call('exempt', redis);
      assert.deepEqual([message, sent['X-RateLimit-Remaining']], ['admitted', '5']);
    }
    const between = await commands();
    await call('another', redis);
    assert.ok((await commands()) - between > between - before, 'only the other client used Redis');
    assert.equal(between - before, 1, 'the command that asks for the number');
  });
});
