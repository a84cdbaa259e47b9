/** Several threads share one limit exactly, in bounded memory, and outlive a thread that dies in the middle of a decision. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClientTable, createLimiterMemory, MemoryLimiter } from '../../../src/access/limits/memory.ts';
import { BLOCK_MS, decide, freshState, type RateState, rateOf } from '../../../src/access/rate.ts';
import { lock, takeOver } from '../../../src/lib/concurrency.ts';
import { atDepth } from '../../support/depth.ts';
import { seededRandomInt } from '../../support/zukan/service.ts';
import { type Load, runThreads } from './limit-threads.ts';

const START = Date.parse('2026-05-01T00:00:00.000Z');
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
