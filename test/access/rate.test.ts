/** The rate limit rule, compared with a naive model that remembers every request, and the guarantees it gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BLOCK_MS,
  type Decision,
  decide,
  expiresAt,
  freshState,
  type RateState,
} from '../../src/access/rate.ts';

const START = 1_000_000_000_000;
const HOUR_MS = 3_600_000;

/** Remembers every request and derives each decision from the whole history. */
class NaiveRule {
  readonly #allowed: number[] = [];
  readonly #violations: number[] = [];
  readonly #blocks: number[] = [];

  decide(now: number): Decision {
    const lastBlock = this.#blocks.at(-1);
    if (lastBlock !== undefined && now < lastBlock + HOUR_MS)
      return { isAllowed: false, isBlocked: true, wait: lastBlock + HOUR_MS - now };
    if (now >= this.#nextArrival() - 100) {
      this.#allowed.push(now);
      return { isAllowed: true, isBlocked: false, wait: this.#nextArrival() - 100 - now };
    }
    this.#violations.push(now);
    const isBlocked = this.#isTenthViolation();
    if (isBlocked) this.#blocks.push(now);
    return { isAllowed: false, isBlocked, wait: isBlocked ? HOUR_MS : this.#nextArrival() - 100 - now };
  }

  #nextArrival(): number {
    return this.#allowed.reduce((arrival, at) => Math.max(arrival, at) + 1000, 0);
  }

  /** Counts the violations since the last block in windows of an hour, each starting with a violation. */
  #isTenthViolation(): boolean {
    const lastBlock = this.#blocks.at(-1) ?? 0;
    let window: number[] = [];
    for (const at of this.#violations.filter((violation) => violation > lastBlock))
      window = window[0] !== undefined && at < window[0] + HOUR_MS ? [...window, at] : [at];
    return window.length >= 10;
  }
}

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
function run(pauses: number[], from = { state: freshState, now: START }): Step[] {
  let { state, now } = from;
  return pauses.map((pause) => {
    now += pause;
    const outcome = decide(state, now);
    state = outcome.state;
    return { now, ...outcome };
  });
}

test('decides like the naive model', () => {
  fc.assert(
    fc.property(gaps(120), (pauses) => {
      const naive = new NaiveRule();
      for (const { now, decision } of run(pauses)) assert.deepEqual(decision, naive.decide(now));
    }),
    { numRuns: 3000, seed: 4 },
  );
});

test('never allows more than one request per second, plus the tolerance, in any interval', () => {
  fc.assert(
    fc.property(gaps(150), (pauses) => {
      const allowed = run(pauses)
        .filter(({ decision }) => decision.isAllowed)
        .map(({ now }) => now);
      for (let first = 0; first < allowed.length; first++) {
        for (let last = first; last < allowed.length; last++) {
          const length = (allowed[last] as number) - (allowed[first] as number);
          assert.ok(last - first <= Math.floor((length + 100) / 1000));
        }
      }
    }),
    { numRuns: 500, seed: 5 },
  );
});

test('allows a client that waits as long as it was told, and refuses it a millisecond earlier', () => {
  fc.assert(
    fc.property(gaps(40), (pauses) => {
      for (const { now, state, decision } of run(pauses)) {
        assert.ok(decide(state, now + decision.wait).decision.isAllowed);
        if (decision.wait > 0) assert.ok(!decide(state, now + decision.wait - 1).decision.isAllowed);
      }
    }),
    { seed: 6 },
  );
});

test('never refuses a client that sends one request per second with up to 50 ms of jitter', () => {
  const jitter = fc.integer({ min: -50, max: 50 });
  fc.assert(
    fc.property(fc.array(jitter, { maxLength: 600 }), (jitters) => {
      let state = freshState;
      for (const [second, offset] of jitters.entries()) {
        const outcome = decide(state, START + second * 1000 + offset);
        state = outcome.state;
        assert.ok(outcome.decision.isAllowed, `in second ${second}`);
      }
    }),
    { seed: 8 },
  );
});

test('does not delay the next allowed request because of refused ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 899 }), { maxLength: 9 }), (offsets) => {
      const sorted = [...offsets].sort((one, other) => one - other);
      let { state } = decide(freshState, START);
      for (const offset of sorted) state = decide(state, START + offset).state;
      assert.ok(decide(state, START + 900).decision.isAllowed);
    }),
    { seed: 10 },
  );
});

test('blocks for an hour at the tenth violation, does not prolong the block, and then starts from zero', () => {
  let state = freshState;
  const request = (time: number) => {
    const outcome = decide(state, START + time);
    state = outcome.state;
    return outcome.decision;
  };
  assert.equal(request(0).isAllowed, true);
  for (let violation = 1; violation <= 9; violation++)
    assert.deepEqual(request(violation), { isAllowed: false, isBlocked: false, wait: 900 - violation });
  assert.deepEqual(request(10), { isAllowed: false, isBlocked: true, wait: BLOCK_MS });
  assert.deepEqual(request(5000), { isAllowed: false, isBlocked: true, wait: BLOCK_MS - 4990 });
  assert.deepEqual(request(BLOCK_MS + 9), { isAllowed: false, isBlocked: true, wait: 1 });
  assert.equal(request(BLOCK_MS + 10).isAllowed, true);
  for (let violation = 1; violation <= 9; violation++)
    assert.equal(request(BLOCK_MS + 10 + violation).isBlocked, false);
  assert.equal(request(BLOCK_MS + 20).isBlocked, true);
});

test('decides with an expired state exactly as with a fresh one', () => {
  fc.assert(
    fc.property(gaps(40), gaps(20), (before, after) => {
      const last = run(before).at(-1) ?? { state: freshState, now: START };
      const now = Math.max(last.now, expiresAt(last.state));
      const decisions = (state: RateState) => run(after, { state, now }).map(({ decision }) => decision);
      assert.deepEqual(decisions(last.state), decisions(freshState));
    }),
    { numRuns: 1000, seed: 7 },
  );
});
