/** The cost of a rate limit decision in memory and in Redis, the longest one in memory, and the memory per client. */
import { createLimiterMemory, MemoryLimiter } from '../src/access/limits/memory.ts';
import { RedisLimiter } from '../src/access/limits/redis.ts';
import type { Limiter } from '../src/access/rate.ts';
import { heldMemory } from '../test/support/checks/memory.ts';
import { startRedis } from '../test/support/servers/redis.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
const CLIENTS = 400_000;
const START = Date.parse('2026-05-01T00:00:00.000Z');

export async function run(): Promise<void> {
  const memory = new MemoryLimiter(1, Date.now);
  console.log(`memory: ${(await medianCost(memory, 200_000, 1)).toFixed(2)} µs per decision`);

  await measureClients();

  const server = await startRedis();
  const redis = new RedisLimiter(server.url, {
    perSecond: 1,
    prefix: 'zukan',
    commandTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    onChange: (isUnavailable, reason) => {
      if (isUnavailable) throw new Error(`Redis: ${reason}`);
    },
  });
  await redis.start();
  console.log(`redis: ${(await medianCost(redis, 5000, 1)).toFixed(1)} µs per decision, one at a time`);
  console.log(`redis: ${(await medianCost(redis, 20_000, 50)).toFixed(1)} µs per decision, fifty at a time`);
  await redis.close();
  await server.kill();
}

/** The memory that clients take up as they misbehave, and the longest decision about a new one. */
async function measureClients(): Promise<void> {
  const limiter = new MemoryLimiter(1, () => START, createLimiterMemory(2 * CLIENTS));
  // Not on the heap, and the system provides it when it is written to.
  const outside = () => process.memoryUsage.rss() - heldMemory();
  const before = outside();
  let longest = 0;
  const send = async (requests: number, kind: string) => {
    for (let index = 0; index < CLIENTS; index++) {
      const begun = performance.now();
      for (let count = 0; count < requests; count++) await limiter.decide(addressOf(index));
      longest = Math.max(longest, performance.now() - begun);
    }
    const bytes = Math.round((outside() - before) / limiter.size);
    console.log(`memory: ${bytes} bytes per client ${kind}, including the address (${limiter.size} clients)`);
  };
  await send(1, 'without violations');
  console.log(`memory: ${longest.toFixed(1)} ms for the longest decision`);
  await send(1, 'with one violation');
  await send(8, 'with nine violations');
}

/** The median over all rounds of the mean time of a decision, in microseconds. */
async function medianCost(limiter: Limiter, decisions: number, concurrency: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let index = 0; index < decisions; index += concurrency) {
      const clients = Array.from({ length: concurrency }, (_, client) => addressOf((index + client) % 5000));
      await Promise.all(clients.map((client) => limiter.decide(client)));
    }
    times.push(((performance.now() - startedAt) / decisions) * 1000);
  }
  return median(times);
}

const addressOf = (index: number) => `203.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
