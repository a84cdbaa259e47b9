/** The guarantees of the rate limit rule. test/access/limits/limiters.test.ts compares it with a naive model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BLOCK_MS,
  type Decision,
  decide,
  expiresAt,
  freshState,
  type Rate,
  type RateState,
  rateOf,
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
