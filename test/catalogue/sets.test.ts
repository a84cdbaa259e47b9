/** Sets of images, and the order of a seed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  BitmapBuilder,
  BitmapSet,
  emptyBits,
  type ImageSet,
  ListSet,
  RangeSet,
  setBit,
  sliceImages,
} from '../../src/catalogue/sets/image-set.ts';
import { pageInSeedOrder, SeedOrder, type SeedPosition } from '../../src/catalogue/sets/orders.ts';
import { codePoint } from '../support/characters.ts';
import { atDepth } from '../support/depth.ts';

const LAST = 3000;
const everything = Array.from({ length: LAST }, (_, index) => index + 1);

const listSet = (images: number[]) => new ListSet(Uint32Array.from(images));
function bitmapSet(images: number[]): BitmapSet {
  const bits = emptyBits(LAST + 1);
  for (const image of images) setBit(bits, image);
  return new BitmapSet(bits);
}

/** A bitmap of a catalogue that had fewer images. */
function shortSet(images: number[]): BitmapSet {
  const bits = emptyBits(1000);
  for (const image of images) setBit(bits, image);
  return new BitmapSet(bits);
}

/** Sparse or dense, spread out or in one range. */
const someImages = fc
  .tuple(fc.nat(LAST), fc.nat(LAST), fc.integer({ min: 1, max: 200 }), fc.nat(199))
  .map(([one, other, step, rest]) =>
    everything.filter(
      (image) =>
        image >= Math.min(one, other) && image <= Math.max(one, other) && image % step === rest % step,
    ),
  );

function assertSame(set: ImageSet, images: number[]): void {
  assert.equal(set.size, images.length);
  const each: number[] = [];
  set.each((image) => each.push(image));
  assert.deepEqual(each, images);
  assert.deepEqual(sliceImages(set, { offset: 0, limit: LAST }), images);
  const expected = new Set(images);
  for (let image = 0; image <= LAST + 40; image++)
    assert.equal(set.has(image), expected.has(image), `${image}`);
  assert.ok(!set.has(2 ** 24 - 1) && !set.has(2 ** 32 - 1));
}

describe('an image set', () => {
  test('contains its images in order, as a list and as a bitmap', () => {
    fc.assert(
      fc.property(someImages, (images) => {
        assertSame(listSet(images), images);
        assertSame(bitmapSet(images), images);
        const short = images.filter((image) => image < 1000);
        assertSame(builderOf([bitmapSet(images), shortSet(short)]).build(), images);
        const rest = builderOf([bitmapSet(images)]);
        rest.subtract(shortSet(short));
        assertSame(rest.build(), images.slice(short.length));
      }),
    );
  });

  test('contains every image of its range', () => {
    assertSame(new RangeSet(LAST), everything);
    assertSame(new RangeSet(0), []);
  });

  test('returns a page of its images, and none past its end', () => {
    const set = bitmapSet([2, 3, 5, 7, 11, 1300, 2999]);
    assert.deepEqual(sliceImages(set, { offset: 4, limit: 2 }), [11, 1300]);
    assert.deepEqual(sliceImages(set, { offset: 6, limit: 25 }), [2999]);
    assert.deepEqual(sliceImages(set, { offset: 7, limit: 25 }), []);
    assert.deepEqual(sliceImages(set, { offset: Number.MAX_SAFE_INTEGER, limit: 25 }), []);
  });
});

function builderOf(sets: ImageSet[]): BitmapBuilder {
  const builder = new BitmapBuilder(LAST);
  for (const set of sets) builder.add(set);
  return builder;
}

test('combined sets have the images that a filter of plain arrays finds', () => {
  const someSet = fc.oneof(
    someImages.map((images) => ({ images, set: images.length > 90 ? bitmapSet(images) : listSet(images) })),
    fc.constant({ images: everything, set: new RangeSet(LAST) }),
  );
  const someSets = fc.array(someSet, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(someSets, { minLength: 1, maxLength: 4 }),
      fc.array(someSet, { maxLength: 2 }),
      (choices, excluded) => {
        let expected = everything.filter(
          (image) =>
            choices.every((sets) => sets.some(({ images }) => images.includes(image))) &&
            !excluded.some(({ images }) => images.includes(image)),
        );
        const [first = [], ...others] = choices.map((sets) => sets.map(({ set }) => set));
        const excludedSets = excluded.map(({ set }) => set);
        const builder = builderOf(first);
        for (const sets of others) builder.intersect(builderOf(sets));
        for (const set of excludedSets) builder.subtract(set);
        if (excluded.length === 2) {
          // Words of 32 images from 64 on, and single images.
          builder.retain(64, 2 * LAST, (image) => image % 3 === 0);
          expected = expected.filter((image) => image < 64 || image % 3 === 0);
        }
        const found = builder.build();
        assertSame(found, expected);
        assert.equal(found instanceof ListSet, expected.length * 32 <= LAST);
      },
    ),
    { numRuns: atDepth(20, 60) },
  );
});

// Seed order: ranks are a permutation, both ways to find a page agree, and all orders are equally likely.

const anySeed = fc.string({ minLength: 1, maxLength: 64, unit: codePoint });

/** Pages through the whole set. */
function readAll(set: ImageSet, order: SeedOrder, limit: number): number[] {
  const images: number[] = [];
  let position: SeedPosition | undefined;
  do {
    const page = pageInSeedOrder(set, order, position, limit);
    images.push(...(page?.images ?? []));
    position = page?.next;
  } while (position);
  return images;
}

describe('ranks', () => {
  for (const last of [0, 1, 5000, 2 ** 22 - 1, 2 ** 22, 2 ** 31])
    test(`can be inverted for numbers up to ${last}`, () => {
      fc.assert(
        fc.property(anySeed, fc.nat(last), (seed, number) => {
          const order = new SeedOrder(seed, last);
          const rank = order.rankOf(number);
          assert.ok(Number.isInteger(rank) && rank >= 0 && rank < order.size);
          assert.equal(order.numberAt(rank), number);
        }),
      );
    });

  test('do not depend on the number of images below four million', () => {
    const [one, other] = [new SeedOrder('a', 10), new SeedOrder('a', 2 ** 22 - 1)];
    for (let number = 1; number < 1000; number++) assert.equal(one.rankOf(number), other.rankOf(number));
  });

  test('differ between seeds', () => {
    const ranks = ['a', 'b', 'A', 'a '].map((seed) => new SeedOrder(seed, 10).rankOf(1));
    assert.equal(new Set(ranks).size, 4);
  });
});

describe('paging in seed order', () => {
  test('returns every image once, in rank order, for any page size', () => {
    fc.assert(
      fc.property(
        anySeed,
        fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 25 }),
        (seed, images, limit) => {
          const order = new SeedOrder(seed, 100_000);
          const expected = images.toSorted((a, b) => order.rankOf(a) - order.rankOf(b));
          assert.deepEqual(readAll(listSet(images.toSorted((a, b) => a - b)), order, limit), expected);
        },
      ),
    );
  });

  test('scanning the ranks gives the same pages as computing the rank of every image', () => {
    // A set this large is scanned. The expected order comes from the ranks of all images.
    const size = 60_000;
    const order = new SeedOrder('2026-11-14', size);
    const all = Array.from({ length: size }, (_, index) => index + 1);
    const byRank = all.toSorted((a, b) => order.rankOf(a) - order.rankOf(b));
    let position: SeedPosition | undefined;
    for (let offset = 0; offset < 250; offset += 25) {
      const page = pageInSeedOrder(new RangeSet(size), order, position, 25);
      assert.deepEqual(page?.images, byRank.slice(offset, offset + 25));
      position = page?.next;
    }
    const rank = order.rankOf(byRank[size - 3] as number);
    const last = pageInSeedOrder(new RangeSet(size), order, { bits: order.bits, rank }, 25);
    assert.deepEqual(last, { images: byRank.slice(-3), next: undefined });
  });

  test('returns no images for an empty set', () => {
    for (const set of [new RangeSet(0), listSet([])])
      assert.deepEqual(pageInSeedOrder(set, new SeedOrder('a', 10), undefined, 10), {
        images: [],
        next: undefined,
      });
  });

  test('rejects a position from before the catalogue outgrew four million images', () => {
    const [few, many] = [new SeedOrder('a', 2 ** 22 - 1), new SeedOrder('a', 2 ** 22)];
    const position = pageInSeedOrder(new RangeSet(100), few, undefined, 10)?.next;
    assert.ok(pageInSeedOrder(new RangeSet(100), few, position, 10));
    assert.equal(pageInSeedOrder(new RangeSet(100), many, position, 10), undefined);
  });
});

test('over many seeds, every ordered pair of nine images is equally likely to come first', () => {
  const counts = new Map<string, number>();
  const expected = atDepth(100, 1000);
  const rounds = 72 * expected;
  for (let round = 0; round < rounds; round++) {
    const order =
      pageInSeedOrder(new RangeSet(9), new SeedOrder(`2026-${round}`, 9), undefined, 2)?.images.join() ?? '';
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 72);
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  assert.ok(chiSquare < 113.6, `${chiSquare} is beyond the 99.9% bound for 71 degrees of freedom`);
});
