/** Sampling: no repeats, and every order is equally likely. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RangeSet } from '../../src/catalogue/sets/image-set.ts';
import { drawPositions, sample, shuffledPositions } from '../../src/catalogue/sets/orders.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

test('shuffles every position below the size exactly once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer(), (size, seed) => {
      const positions = [...shuffledPositions(size, seededRandomInt(seed))];
      assert.deepEqual(
        positions.toSorted((a, b) => a - b),
        Array.from({ length: size }, (_, index) => index),
      );
    }),
  );
});

/** The chi-square statistic of 1000 draws per outcome against equal likelihood. All `outcomes` must occur. */
function chiSquareOf(draw: () => number[], outcomes: number): number {
  const counts = new Map<string, number>();
  const rounds = outcomes * 1000;
  for (let round = 0; round < rounds; round++) {
    const order = draw().join();
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, outcomes);
  return [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
}

test('every order of four is equally likely', () => {
  const randomInt = seededRandomInt(7);
  const chiSquare = chiSquareOf(() => [...shuffledPositions(4, randomInt)], 24);
  assert.ok(chiSquare < 49.7, `${chiSquare} is beyond the 99.9% bound for 23 degrees of freedom`);
});

test('every ordered pair of eight, and of seven, is equally likely', () => {
  const randomInt = seededRandomInt(8);
  const few = chiSquareOf(() => drawPositions(8, 2, randomInt), 56);
  assert.ok(few < 93.2, `${few} is beyond the 99.9% bound for 55 degrees of freedom`);
  const many = chiSquareOf(() => drawPositions(7, 2, randomInt), 42);
  assert.ok(many < 74.7, `${many} is beyond the 99.9% bound for 41 degrees of freedom`);
});

test('draws the requested number of distinct positions, or all if there are fewer', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(60), fc.integer(), (size, count, seed) => {
      const positions = drawPositions(size, count, seededRandomInt(seed));
      assert.equal(new Set(positions).size, Math.min(size, count));
      assert.equal(positions.length, Math.min(size, count));
      assert.ok(positions.every((position) => position >= 0 && position < size));
    }),
  );
});

test('takes one draw for each position, however many there are', () => {
  let draws = 0;
  const randomInt = (below: number) => {
    draws++;
    return below - 1;
  };
  assert.equal(shuffledPositions(1e12, randomInt).take(10).toArray().length, 10);
  assert.equal(draws, 10);
});

test('returns the whole set when the sample is larger', () => {
  assert.deepEqual(sample(new RangeSet(2), 10, seededRandomInt(1)).sort(), [1, 2]);
});
