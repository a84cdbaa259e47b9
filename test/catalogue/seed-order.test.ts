/** The order of a seed: a permutation, the same however it is found, and as good as chance. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ImageSet, ListSet, RangeSet } from '../../src/catalogue/image-set.ts';
import type { SeedPosition } from '../../src/catalogue/seed-order.ts';
import { SeedOrder, seededNumbers } from '../../src/catalogue/seed-order.ts';

const anySeed = fc.string({ minLength: 1, maxLength: 64, unit: 'binary' });
const listed = (images: number[]) => new ListSet(Uint32Array.from(images));

/** What comes when all that follows is asked for, so many at a time. */
function walk(set: ImageSet, order: SeedOrder, limit: number): number[] {
  const images: number[] = [];
  let mark: SeedPosition | undefined;
  do {
    const page = seededNumbers(set, order, mark, limit);
    images.push(...(page?.images ?? []));
    mark = page?.next;
  } while (mark);
  return images;
}

describe('ranks', () => {
  for (const last of [0, 1, 5000, 2 ** 22 - 1, 2 ** 22, 2 ** 31])
    test(`of numbers up to ${last} lead back to their numbers`, () => {
      fc.assert(
        fc.property(anySeed, fc.nat(last), (seed, number) => {
          const order = new SeedOrder(seed, last);
          const rank = order.rankOf(number);
          assert.ok(Number.isInteger(rank) && rank >= 0 && rank < order.size);
          assert.equal(order.numberAt(rank), number);
        }),
      );
    });

  test('do not depend on how many images there are, as long as there are fewer than four million', () => {
    const [one, other] = [new SeedOrder('a', 10), new SeedOrder('a', 2 ** 22 - 1)];
    for (let number = 1; number < 1000; number++) assert.equal(one.rankOf(number), other.rankOf(number));
  });

  test('are other ones for another seed', () => {
    const ranks = ['a', 'b', 'A', 'a '].map((seed) => new SeedOrder(seed, 10).rankOf(1));
    assert.equal(new Set(ranks).size, 4);
  });
});

describe('a walk', () => {
  test('is every image once, in the order of ranks, whatever the steps', () => {
    fc.assert(
      fc.property(
        anySeed,
        fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 25 }),
        (seed, images, limit) => {
          const order = new SeedOrder(seed, 100_000);
          const expected = images.toSorted((a, b) => order.rankOf(a) - order.rankOf(b));
          assert.deepEqual(walk(listed(images.toSorted((a, b) => a - b)), order, limit), expected);
        },
      ),
    );
  });

  test('along the ranks finds what looking at every image finds', () => {
    // So many that walking is the shorter way, and as a reference the ranks of all.
    const size = 60_000;
    const order = new SeedOrder('2026-11-14', size);
    const all = Array.from({ length: size }, (_, index) => index + 1);
    const byRank = all.toSorted((a, b) => order.rankOf(a) - order.rankOf(b));
    let mark: SeedPosition | undefined;
    for (let shown = 0; shown < 250; shown += 25) {
      const page = seededNumbers(new RangeSet(size), order, mark, 25);
      assert.deepEqual(page?.images, byRank.slice(shown, shown + 25));
      mark = page?.next;
    }
    const rank = order.rankOf(byRank[size - 3] as number);
    const last = seededNumbers(new RangeSet(size), order, { bits: order.bits, rank }, 25);
    assert.deepEqual(last, { images: byRank.slice(-3), next: undefined });
  });

  test('through nothing is nothing', () => {
    for (const set of [new RangeSet(0), listed([])])
      assert.deepEqual(seededNumbers(set, new SeedOrder('a', 10), undefined, 10), {
        images: [],
        next: undefined,
      });
  });

  test('does not go on in another order, as after the catalogue has outgrown its own', () => {
    const [few, many] = [new SeedOrder('a', 2 ** 22 - 1), new SeedOrder('a', 2 ** 22)];
    const mark = seededNumbers(new RangeSet(100), few, undefined, 10)?.next;
    assert.ok(seededNumbers(new RangeSet(100), few, mark, 10));
    assert.equal(seededNumbers(new RangeSet(100), many, mark, 10), undefined);
  });
});

test('over many seeds, every two of nine images in every order are equally likely to be the first', () => {
  const counts = new Map<string, number>();
  const rounds = 72 * 500;
  for (let round = 0; round < rounds; round++) {
    const order =
      seededNumbers(new RangeSet(9), new SeedOrder(`2026-${round}`, 9), undefined, 2)?.images.join() ?? '';
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 72);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0);
  assert.ok(chiSquare < 113.6, `${chiSquare} is beyond the 99.9% bound for 71 degrees of freedom`);
});
