/** The rate limit's rule against a naive one that keeps every moment, and the promises it makes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Decision } from '../../src/access/rate.ts';
import { decide, forgettableFrom, freshState, HOUR_MS } from '../../src/access/rate.ts';
import { seededChance } from '../support/service.ts';

const START = 1_000_000_000_000;

/** Remembers every request and works everything out anew each time. */
class Naive {
  readonly #allowed: number[] = [];
  readonly #violations: number[] = [];
  readonly #blocks: number[] = [];

  decide(now: number): Pick<Decision, 'isAllowed' | 'isBlocked'> {
    const lastBlock = this.#blocks.at(-1);
    if (lastBlock !== undefined && now < lastBlock + 3_600_000) return { isAllowed: false, isBlocked: true };
    const due = this.#allowed.reduce((booked, moment) => Math.max(booked, moment) + 1000, 0);
    if (now >= due - 100) {
      this.#allowed.push(now);
      return { isAllowed: true, isBlocked: false };
    }
    this.#violations.push(now);
    return { isAllowed: false, isBlocked: this.#isTenth(now) };
  }

  /** Goes through the violations since the last block, an hour at a time. */
  #isTenth(now: number): boolean {
    const since = this.#blocks.at(-1) ?? 0;
    let hour: number[] = [];
    for (const moment of this.#violations.filter((violation) => violation > since)) {
      hour = hour[0] !== undefined && moment < hour[0] + 3_600_000 ? [...hour, moment] : [moment];
    }
    if (hour.length < 10) return false;
    this.#blocks.push(now);
    return true;
  }
}

/** Gaps of all sizes that matter: bursts, near a second, near an hour. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 4, arbitrary: fc.integer({ min: 800, max: 1200 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1000, max: 600_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: HOUR_MS - 3, max: HOUR_MS + 3 }) },
);

function run(gaps: number[]): { now: number; decision: Decision }[] {
  let [state, now] = [freshState, START];
  return gaps.map((pause) => {
    now += pause;
    const result = decide(state, now);
    state = result.state;
    return { now, decision: result.decision };
  });
}

test('it decides like the naive rule, whatever the moments', () => {
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 120 }), (gaps) => {
      const naive = new Naive();
      for (const { now, decision } of run(gaps)) {
        const { isAllowed, isBlocked } = decision;
        assert.deepEqual({ isAllowed, isBlocked }, naive.decide(now));
      }
    }),
    { numRuns: 3000, seed: 4 },
  );
});

test('in no page of time is more allowed than one a second, but for the tolerance', () => {
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 150 }), (gaps) => {
      const allowed = run(gaps)
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

test('who waits as long as told is allowed', () => {
  fc.assert(
    fc.property(fc.array(gap, { minLength: 1, maxLength: 40 }), (gaps) => {
      let [state, now] = [freshState, START];
      for (const pause of gaps) {
        now += pause;
        const { state: next, decision } = decide(state, now);
        state = next;
        assert.ok(decide(state, now + decision.wait).decision.isAllowed);
        if (decision.wait > 0) assert.ok(!decide(state, now + decision.wait - 1).decision.isAllowed);
      }
    }),
    { seed: 6 },
  );
});

test('a client that paces itself at a second, give or take 50 ms, is never refused in ten minutes', () => {
  const randomInt = seededChance(8);
  for (let round = 0; round < 50; round++) {
    let state = freshState;
    for (let second = 0; second < 600; second++) {
      const result = decide(state, START + second * 1000 + randomInt(101) - 50);
      state = result.state;
      assert.ok(result.decision.isAllowed, `in second ${second}`);
    }
  }
});

test('the tenth violation within an hour blocks for an hour, further requests do not prolong it, and then all is new', () => {
  let state = freshState;
  const call = (now: number) => {
    const result = decide(state, START + now);
    state = result.state;
    return result.decision;
  };
  assert.equal(call(0).isAllowed, true);
  for (let violation = 1; violation <= 9; violation++) {
    assert.deepEqual(call(violation), { isAllowed: false, isBlocked: false, wait: 900 - violation });
  }
  assert.deepEqual(call(10), { isAllowed: false, isBlocked: true, wait: HOUR_MS });
  assert.deepEqual(call(5000), { isAllowed: false, isBlocked: true, wait: HOUR_MS - 4990 });
  assert.deepEqual(call(HOUR_MS + 9), { isAllowed: false, isBlocked: true, wait: 1 });
  assert.equal(call(HOUR_MS + 10).isAllowed, true);
  for (let violation = 1; violation <= 9; violation++)
    assert.equal(call(HOUR_MS + 10 + violation).isBlocked, false);
  assert.equal(call(HOUR_MS + 20).isBlocked, true);
});

test('a state that can be forgotten decides like a fresh one ever after', () => {
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 40 }), fc.array(gap, { maxLength: 20 }), (before, after) => {
      let [state, now] = [freshState, START];
      for (const pause of before) {
        now += pause;
        state = decide(state, now).state;
      }
      now = Math.max(now, forgettableFrom(state));
      let fresh = freshState;
      for (const pause of after) {
        now += pause;
        const [kept, forgotten] = [decide(state, now), decide(fresh, now)];
        assert.deepEqual(kept.decision, forgotten.decision);
        [state, fresh] = [kept.state, forgotten.state];
      }
    }),
    { numRuns: 1000, seed: 7 },
  );
});
