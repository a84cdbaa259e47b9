/** Pages of the newest images: like a plain array, with few look-ups. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitmapSet, emptyBits, ListSet, RangeSet, setBit } from '../../src/catalogue/sets/image-set.ts';
import { newestBelow } from '../../src/catalogue/sets/orders.ts';

const LAST = 400;
const below = fc.option(fc.nat(LAST + 40), { nil: undefined });
const limit = fc.integer({ min: 1, max: 25 });

/** The documented rule, as simple as possible. */
function expectedPage(images: number[], below = Number.POSITIVE_INFINITY, limit = 0) {
  const older = images.filter((image) => image < below).reverse();
  return {
    numbers: older.slice(0, limit),
    next: older.length > limit ? older[limit - 1] : undefined,
  };
}

test('every kind of set returns the page of a plain array', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: LAST })), below, limit, (unsorted, below, limit) => {
      const images = unsorted.toSorted((one, other) => one - other);
      const bits = emptyBits(LAST + 1);
      for (const image of images) setBit(bits, image);
      const expected = expectedPage(images, below, limit);
      assert.deepEqual(newestBelow(new ListSet(Uint32Array.from(images)), below, limit), expected);
      assert.deepEqual(newestBelow(new BitmapSet(bits), below, limit), expected);
      const range = Array.from({ length: images.length }, (_, index) => index + 1);
      assert.deepEqual(
        newestBelow(new RangeSet(images.length), below, limit),
        expectedPage(range, below, limit),
      );
    }),
  );
});

test('a page deep in a million images takes no more look-ups than one of its first', () => {
  const size = 1_000_000;
  for (const below of [undefined, size, size / 2, 30, 1, size + 1]) {
    let lookUps = 0;
    const at = (position: number) => {
      lookUps++;
      return position + 1;
    };
    newestBelow({ size, at }, below, 25);
    assert.ok(lookUps <= 25 + Math.ceil(Math.log2(size)), `${lookUps} look-ups below ${below}`);
  }
});
