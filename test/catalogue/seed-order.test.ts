/** The order of a seed: a permutation, the same however it is found, and as good as chance. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ImageSet, ListedSet, WholeSet } from '../../src/catalogue/image-set.ts';
import { Shuffle, stretchOf } from '../../src/catalogue/seed-order.ts';
import type { Mark } from '../../src/model.ts';

const anySeed = fc.string({ minLength: 1, maxLength: 64, unit: 'binary' });
const listed = (images: number[]) => new ListedSet(Uint32Array.from(images));

/** What comes when all that follows is asked for, so many at a time. */
function walk(set: ImageSet, shuffle: Shuffle, limit: number): number[] {
  const images: number[] = [];
  let mark: Mark | undefined;
  do {
    const stretch = stretchOf(set, shuffle, mark, limit);
    images.push(...(stretch?.images ?? []));
    mark = stretch?.next;
  } while (mark);
  return images;
}

describe('ranks', () => {
  for (const last of [0, 1, 5000, 2 ** 22 - 1, 2 ** 22, 2 ** 31])
    test(`of numbers up to ${last} lead back to their numbers`, () => {
      fc.assert(
        fc.property(anySeed, fc.nat(last), (seed, number) => {
          const shuffle = new Shuffle(seed, last);
          const rank = shuffle.rankOf(number);
          assert.ok(Number.isInteger(rank) && rank >= 0 && rank < shuffle.size);
          assert.equal(shuffle.numberAt(rank), number);
        }),
      );
    });

  test('do not depend on how many images there are, as long as there are fewer than four million', () => {
    const [one, other] = [new Shuffle('a', 10), new Shuffle('a', 2 ** 22 - 1)];
    for (let number = 1; number < 1000; number++) assert.equal(one.rankOf(number), other.rankOf(number));
  });

  test('are other ones for another seed', () => {
    const ranks = ['a', 'b', 'A', 'a '].map((seed) => new Shuffle(seed, 10).rankOf(1));
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
          const shuffle = new Shuffle(seed, 100_000);
          const expected = images.toSorted((a, b) => shuffle.rankOf(a) - shuffle.rankOf(b));
          assert.deepEqual(walk(listed(images.toSorted((a, b) => a - b)), shuffle, limit), expected);
        },
      ),
    );
  });

  test('along the ranks finds what looking at every image finds', () => {
    // So many that walking is the shorter way, and as a reference the ranks of all.
    const size = 60_000;
    const shuffle = new Shuffle('2026-11-14', size);
    const all = Array.from({ length: size }, (_, index) => index + 1);
    const byRank = all.toSorted((a, b) => shuffle.rankOf(a) - shuffle.rankOf(b));
    let mark: Mark | undefined;
    for (let shown = 0; shown < 250; shown += 25) {
      const stretch = stretchOf(new WholeSet(size), shuffle, mark, 25);
      assert.deepEqual(stretch?.images, byRank.slice(shown, shown + 25));
      mark = stretch?.next;
    }
    const rank = shuffle.rankOf(byRank[size - 3] as number);
    const last = stretchOf(new WholeSet(size), shuffle, { bits: shuffle.bits, rank }, 25);
    assert.deepEqual(last, { images: byRank.slice(-3), next: undefined });
  });

  test('through nothing is nothing', () => {
    for (const set of [new WholeSet(0), listed([])])
      assert.deepEqual(stretchOf(set, new Shuffle('a', 10), undefined, 10), { images: [], next: undefined });
  });

  test('does not go on in another order, as after the catalogue has outgrown its own', () => {
    const [few, many] = [new Shuffle('a', 2 ** 22 - 1), new Shuffle('a', 2 ** 22)];
    const mark = stretchOf(new WholeSet(100), few, undefined, 10)?.next;
    assert.ok(stretchOf(new WholeSet(100), few, mark, 10));
    assert.equal(stretchOf(new WholeSet(100), many, mark, 10), undefined);
  });
});

test('over many seeds, every two of nine images in every order are equally likely to be the first', () => {
  const counts = new Map<string, number>();
  const rounds = 72 * 500;
  for (let round = 0; round < rounds; round++) {
    const order =
      stretchOf(new WholeSet(9), new Shuffle(`2026-${round}`, 9), undefined, 2)?.images.join() ?? '';
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 72);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0);
  assert.ok(chiSquare < 113.6, `${chiSquare} is beyond the 99.9% bound for 71 degrees of freedom`);
});
