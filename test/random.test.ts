/** Random integers are uniform and within their range; ids differ. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequestId, secureRandomInt } from '../src/lib/random.ts';

const ROUNDS = 60_000;

for (const [below, bound] of [
  [2, 10.8],
  [3, 13.8],
  [10, 27.9],
  [16, 37.7],
] as const)
  test(`integers below ${below} are uniform`, () => {
    const counts = new Array<number>(below).fill(0);
    for (let round = 0; round < ROUNDS; round++) {
      const number = secureRandomInt(below);
      counts[number] = (counts[number] as number) + 1;
    }
    assert.equal(counts.length, below);
    const expected = ROUNDS / below;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // One run in a thousand exceeds the bound itself; with three times as much, a false alarm takes an age.
    assert.ok(chiSquare < bound * 3, `${chiSquare} for ${below}`);
  });

test('the only integer below one is zero', () => {
  for (let round = 0; round < 100; round++) assert.equal(secureRandomInt(1), 0);
});

test('large ranges are used entirely', () => {
  for (const below of [1_000_000, 2 ** 31, 2 ** 31 + 1, 2 ** 32]) {
    const drawn = Array.from({ length: 3000 }, () => secureRandomInt(below));
    assert.ok(drawn.every((number) => Number.isInteger(number) && number >= 0 && number < below));
    assert.ok(Math.max(...drawn) > below * 0.99 && Math.min(...drawn) < below * 0.01);
    assert.ok(new Set(drawn).size > 2900);
  }
});

test('ids of requests are version 4 UUIDs, and never the same', () => {
  const ids = Array.from({ length: 1000 }, newRequestId);
  for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});
