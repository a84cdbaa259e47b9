/** Drawing: no repeats, all reached, every order as likely as another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sample, shuffledPositions } from '../../src/catalogue/sampling.ts';
import { seededChance } from '../support/service.ts';

test('the positions are all those below the size, each once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer(), (size, seed) => {
      const positions = [...shuffledPositions(size, seededChance(seed))];
      assert.deepEqual(
        positions.toSorted((a, b) => a - b),
        Array.from({ length: size }, (_, index) => index),
      );
    }),
  );
});

test('every order of four is equally likely', () => {
  const chance = seededChance(7);
  const counts = new Map<string, number>();
  const rounds = 24_000;
  for (let round = 0; round < rounds; round++) {
    const order = [...shuffledPositions(4, chance)].join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 24);
  const chiSquare = [...counts.values()].reduce(
    (sum, count) => sum + (count - rounds / 24) ** 2 / (rounds / 24),
    0,
  );
  assert.ok(chiSquare < 49.7, `${chiSquare} is beyond the 99.9% bound for 23 degrees of freedom`);
});

test('a few of very many cost a few draws', () => {
  let draws = 0;
  const chance = (below: number) => {
    draws++;
    return below - 1;
  };
  assert.equal(shuffledPositions(1e12, chance).take(10).toArray().length, 10);
  assert.equal(draws, 10);
});

test('a sample larger than its source is all of it', () => {
  assert.deepEqual(sample(['a', 'b'], 10, seededChance(1)).sort(), ['a', 'b']);
});
