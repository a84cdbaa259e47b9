/** The rate limit without its state: the rule, budgets of clients, and the warning about a proxy that hides them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hiddenClientsRule, SharedAddressWatch } from '../../src/access/clients.ts';
import { createLimiterMemory, MemoryBudget, MemoryLimiter } from '../../src/access/limits/memory.ts';
import {
  BLOCK_MS,
  type Decision,
  decide,
  expiresAt,
  freshState,
  pageRule,
  type Rate,
  type RateState,
  rateOf,
  tokenRule,
} from '../../src/access/rate.ts';

const START = 1_000_000_000_000;
const HOUR_MS = 3_600_000;
const one = rateOf(1);
const rates = fc.constantFrom(1, 2, 3, 5, 10, 1000).map(rateOf);

/** Gaps between requests: bursts, about a second, minutes, about an hour. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 4, arbitrary: fc.integer({ min: 800, max: 1200 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1000, max: 600_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: HOUR_MS - 3, max: HOUR_MS + 3 }) },
);
const gaps = (maxLength: number) => fc.array(gap, { maxLength });

interface Step {
  now: number;
  state: RateState;
  decision: Decision;
}

/** Sends one request after each gap. */
function run(rate: Rate, pauses: number[], from = { state: freshState, now: START }): Step[] {
  let { state, now } = from;
  return pauses.map((pause) => {
    now += pause;
    const outcome = decide(rate, state, now);
    state = outcome.state;
    return { now, ...outcome };
  });
}

test('never allows more requests than the rate, plus a burst and the tolerance, in any interval', () => {
  fc.assert(
    fc.property(rates, gaps(150), (rate, pauses) => {
      const allowed = run(rate, pauses)
        .filter(({ decision }) => decision.isAllowed)
        .map(({ now }) => now);
      for (let first = 0; first < allowed.length; first++) {
        for (let last = first; last < allowed.length; last++) {
          const length = (allowed[last] as number) - (allowed[first] as number);
          const inAnInterval = rate.perSecond - 1 + Math.floor(length / rate.period + 0.301);
          assert.ok(last - first <= inAnInterval, `${last - first} after the first in ${length} ms`);
        }
      }
    }),
    { numRuns: 500, seed: 5 },
  );
});

test('allows a client that waits as long as it was told, and refuses it a millisecond earlier', () => {
  fc.assert(
    fc.property(rates, gaps(40), (rate, pauses) => {
      for (const { now, state, decision } of run(rate, pauses)) {
        assert.ok(decide(rate, state, now + decision.wait).decision.isAllowed);
        if (decision.wait > 0) assert.ok(!decide(rate, state, now + decision.wait - 1).decision.isAllowed);
      }
    }),
    { seed: 6 },
  );
});

test('allows exactly as many requests at once as it says are remaining: all of the rate at first', () => {
  fc.assert(
    fc.property(rates, gaps(40), (rate, pauses) => {
      for (const { now, state, decision } of run(rate, pauses)) {
        const more = run(rate, Array(decision.remaining + 1).fill(0), { state, now });
        const isAllowed = more.map((step) => step.decision.isAllowed);
        assert.deepEqual(isAllowed, [...Array(decision.remaining).fill(true), false]);
      }
    }),
    { numRuns: 50, seed: 11 },
  );
  for (const perSecond of [1, 2, 3, 5, 7, 10, 60, 999, 1000])
    assert.equal(decide(rateOf(perSecond), freshState, START).decision.remaining, perSecond - 1);
});

test('never refuses a client that keeps to the rate while the network delays requests by up to 300 ms', () => {
  const jitter = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(rates, fc.array(jitter, { maxLength: 600 }), (rate, jitters) => {
      let state = freshState;
      const times = jitters.map((offset, index) => START + index * rate.period + offset);
      for (const [index, now] of times.sort((a, b) => a - b).entries()) {
        const outcome = decide(rate, state, now);
        state = outcome.state;
        assert.ok(outcome.decision.isAllowed, `request ${index}`);
      }
    }),
    { seed: 8 },
  );
});

/** Sends requests of one client at one per second, at the given times. */
function newClient() {
  let state = freshState;
  return {
    request(time: number): Decision {
      const outcome = decide(one, state, START + time);
      state = outcome.state;
      return outcome.decision;
    },
    violations: () => state.violations.length,
  };
}

test('a clock that is set back refuses no well-paced client, and prolongs a block and a violation to an hour at most', () => {
  const paced = newClient();
  for (let count = 0, time = 0; count < 30; count++) {
    time += count % 10 === 9 ? -300_000 : 1000;
    assert.equal(paced.request(time).isAllowed, true, `request ${count}`);
  }
  const blocked = newClient();
  for (let count = 0; count <= 10; count++) blocked.request(0);
  assert.equal(blocked.request(-300_000).wait, BLOCK_MS);
  assert.equal(blocked.request(BLOCK_MS - 300_001).wait, 1);
  assert.equal(blocked.request(BLOCK_MS - 300_000).isAllowed, true);
  const violating = newClient();
  for (let count = 0; count < 10; count++) violating.request(0);
  assert.equal(violating.request(-1_800_000).isAllowed, true);
  assert.equal(violating.request(HOUR_MS - 1_800_000).isAllowed, true);
  assert.equal(violating.request(HOUR_MS - 1_800_000).isBlocked, false);
});

test('remembers nine violations at most, and none when they are over', () => {
  const { request, violations } = newClient();
  for (let time = 0; time < 5 * HOUR_MS; time += 390_000) {
    request(time);
    request(time);
    assert.ok(violations() <= 9);
  }
  request(7 * HOUR_MS);
  assert.equal(violations(), 0);
});

test('decides with an expired state exactly as with a fresh one', () => {
  fc.assert(
    fc.property(rates, gaps(40), gaps(20), (rate, before, after) => {
      const last = run(rate, before).at(-1) ?? { state: freshState, now: START };
      const now = Math.max(last.now, expiresAt(last.state));
      const decisions = (state: RateState) =>
        run(rate, after, { state, now }).map(({ decision }) => decision);
      assert.deepEqual(decisions(last.state), decisions(freshState));
    }),
    { numRuns: 1000, seed: 7 },
  );
});

// Budgets of clients, in memory that threads share.

const rule = { name: 'test', burst: 20, intervalMs: 1000 };
let now = 1e12;
const clock = () => now;

function count(budget: MemoryBudget, client: string): number {
  let taken = 0;
  while (budget.take(client).isAllowed) taken++;
  assert.equal(budget.hasLeft(client), false);
  return taken;
}

test('a budget comes back with time, also after the clock was set back', () => {
  const budget = new MemoryBudget(rule, clock);
  const at = (time: number, client: string) => {
    now = time;
    return count(budget, client);
  };
  assert.equal(at(1e12, 'a'), 20);
  assert.equal(at(1e12, 'b'), 20);
  assert.equal(at(1e12 + 3500, 'a'), 3);
  assert.equal(at(1e12 + 60_000, 'a'), 20);
  assert.equal(at(1e12 - 3_600_000, 'a'), 20);
  assert.equal(at(1e12 - 3_600_000 + 1000, 'a'), 1);
});

test('threads share a budget, but not with another one or the rate limit', () => {
  const memory = createLimiterMemory(1000);
  const [first, second] = [1, 2].map((owner) => new MemoryBudget(rule, clock, memory, owner));
  for (let taken = 0; taken < 12; taken++) assert.ok(first?.take('a').isAllowed);
  assert.equal(count(second as MemoryBudget, 'a'), 8);
  assert.equal(first?.hasLeft('a'), false);
  assert.equal(count(new MemoryBudget(tokenRule, clock, memory, 3), 'a'), 1);
  assert.ok(new MemoryLimiter(1, clock, memory, 4).decide('a').isAllowed);
});

test('a visitor who clicks fast never meets the limit of pages, and a flood gets four a second', () => {
  const budget = new MemoryBudget(pageRule, clock);
  const open = (client: string, pages: number, intervalMs: number) => {
    let refused = 0;
    for (let page = 0; page < pages; page++) {
      refused += Number(!budget.take(client).isAllowed);
      now += intervalMs;
    }
    return refused;
  };
  assert.equal(open('visitor', 200, 333), 0);
  assert.equal(open('visitor', 60, 0), 0, 'so many tabs at once');
  assert.equal(open('two visitors', 350, 166), 0);
  assert.equal(open('flood', 6000, 10), 6000 - pageRule.burst - 60 * 4 + 1);
});

// The warning about a proxy that hides its clients.

const MINUTE = 60_000;
const times = (count: number, client: string) => Array.from({ length: count }, () => client);
const visitors = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index}`);

let callTime = Date.parse('2026-05-01');

/** What the log says after each minute, in which these clients call. */
function warningsAfter(...minutes: string[][]): string[][] {
  const warned: string[] = [];
  const budget = new MemoryBudget(hiddenClientsRule, () => callTime);
  const watch = new SharedAddressWatch(budget, (address) => warned.push(address));
  watch.count('198.51.100.1', callTime);
  return minutes.map((clients) => {
    callTime += MINUTE;
    for (const client of clients) watch.count(client, callTime);
    callTime += MINUTE;
    watch.count('198.51.100.1', callTime);
    return warned.splice(0);
  });
}

describe('warns about', () => {
  for (const address of ['172.28.0.1', '127.0.0.1', '10.1.2.3', '192.168.1.1', '100.64.0.1', '169.254.1.1'])
    test(address, () => assert.deepEqual(warningsAfter(times(20, address)), [[address]]));
  for (const network of ['fd00:1:2:3::/64', 'fe80:0:0:0::/64', '0:0:0:0::/64'])
    test(network, () => assert.deepEqual(warningsAfter(times(20, network)), [[network]]));
});

describe('does not warn about', () => {
  const cases: Record<string, string[]> = {
    'a public address': times(30, '203.0.113.9'),
    'a public network': times(30, '2001:db8:1:2::/64'),
    'an unknown address': times(30, 'unknown'),
    'a few requests': times(18, '127.0.0.1'),
    'less than half of all requests': [...times(30, '127.0.0.1'), ...visitors(31)],
  };
  for (const [what, clients] of Object.entries(cases))
    test(what, () => assert.deepEqual(warningsAfter(clients), [[]]));
});

test('three quarters are noticed among others, in any order', () => {
  const [proxy, others] = [times(60, '172.17.0.1'), visitors(20)];
  const mixed = others.flatMap((other, index) => [other, ...proxy.slice(index * 3, index * 3 + 3)]);
  for (const clients of [[...proxy, ...others], [...others, ...proxy], mixed])
    assert.deepEqual(warningsAfter(clients), [['172.17.0.1']]);
});

test('warns once per hour and address, and when the clock was set back', () => {
  const [first, second] = [times(20, '10.0.0.1'), times(20, '10.0.0.2')];
  assert.deepEqual(warningsAfter(first, first, second), [['10.0.0.1'], [], ['10.0.0.2']]);
  const hour = Array.from({ length: 40 }, () => first);
  assert.equal(warningsAfter(...hour).flat().length, 2);
});
