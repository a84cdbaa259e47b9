/** Drawing: no repeats, all reached, every order as likely as another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RangeSet } from '../../src/catalogue/image-set.ts';
import { drawPositions, sample, shuffledPositions } from '../../src/catalogue/sampling.ts';
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

/** How far the counts of what is drawn are from equal, by chi-square; there must be `outcomes` of them. */
function inequality(draw: () => number[], outcomes: number): number {
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
  const randomInt = seededChance(7);
  const chiSquare = inequality(() => [...shuffledPositions(4, randomInt)], 24);
  assert.ok(chiSquare < 49.7, `${chiSquare} is beyond the 99.9% bound for 23 degrees of freedom`);
});

test('every two of eight, in every order, are equally likely, and so are every two of seven', () => {
  const randomInt = seededChance(8);
  const few = inequality(() => drawPositions(8, 2, randomInt), 56);
  assert.ok(few < 93.2, `${few} is beyond the 99.9% bound for 55 degrees of freedom`);
  const many = inequality(() => drawPositions(7, 2, randomInt), 42);
  assert.ok(many < 74.7, `${many} is beyond the 99.9% bound for 41 degrees of freedom`);
});

test('as many positions are drawn as are wanted, or as there are, and none twice', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(60), fc.integer(), (size, count, seed) => {
      const positions = drawPositions(size, count, seededChance(seed));
      assert.equal(new Set(positions).size, Math.min(size, count));
      assert.equal(positions.length, Math.min(size, count));
      assert.ok(positions.every((position) => position >= 0 && position < size));
    }),
  );
});

test('a few of very many cost a few draws', () => {
  let draws = 0;
  const randomInt = (below: number) => {
    draws++;
    return below - 1;
  };
  assert.equal(shuffledPositions(1e12, randomInt).take(10).toArray().length, 10);
  assert.equal(draws, 10);
});

test('a sample larger than its source is all of it', () => {
  assert.deepEqual(sample(new RangeSet(2), 10, seededChance(1)).sort(), [1, 2]);
});
