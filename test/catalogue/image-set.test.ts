/** Sets of images, whichever way they are kept, against plain arrays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { emptyBits, setBit } from '../../src/catalogue/bits.ts';
import {
  BitmapBuilder,
  BitmapSet,
  type ImageSet,
  imagesFrom,
  ListSet,
  picked,
  RangeSet,
} from '../../src/catalogue/image-set.ts';

const LAST = 3000;
const everything = Array.from({ length: LAST }, (_, index) => index + 1);

const listed = (images: number[]) => new ListSet(Uint32Array.from(images));
function flagged(images: number[]): BitmapSet {
  const bits = emptyBits(LAST + 1);
  for (const image of images) setBit(bits, image);
  return new BitmapSet(bits);
}

/** Few or many, all over or in one place. */
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
  assert.deepEqual(imagesFrom(set, { offset: 0, limit: LAST }), images);
  const wanted = new Set(images);
  for (let image = 0; image <= LAST + 40; image++)
    assert.equal(set.has(image), wanted.has(image), `${image}`);
  assert.ok(!set.has(2 ** 24 - 1) && !set.has(2 ** 32 - 1));
}

describe('a set', () => {
  test('as a list and as bits has what it was made of, in order', () => {
    fc.assert(
      fc.property(someImages, (images) => {
        assertSame(listed(images), images);
        assertSame(flagged(images), images);
      }),
    );
  });

  test('of all images has all of them', () => {
    assertSame(new RangeSet(LAST), everything);
    assertSame(new RangeSet(0), []);
  });

  test('gives a window of its images, and none past its end', () => {
    const set = flagged([2, 3, 5, 7, 11, 1300, 2999]);
    assert.deepEqual(imagesFrom(set, { offset: 4, limit: 2 }), [11, 1300]);
    assert.deepEqual(imagesFrom(set, { offset: 6, limit: 25 }), [2999]);
    assert.deepEqual(imagesFrom(set, { offset: 7, limit: 25 }), []);
    assert.deepEqual(imagesFrom(set, { offset: Number.MAX_SAFE_INTEGER, limit: 25 }), []);
  });
});

function makerOf(sets: ImageSet[]): BitmapBuilder {
  const maker = new BitmapBuilder(LAST);
  for (const set of sets) maker.add(set);
  return maker;
}

test('what sets have in common, without what is excluded, is what a filter of all images finds', () => {
  const someSet = fc.oneof(
    someImages.map((images) => ({ images, set: images.length > 90 ? flagged(images) : listed(images) })),
    fc.constant({ images: everything, set: new RangeSet(LAST) }),
  );
  const someSets = fc.array(someSet, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(someSets, { minLength: 1, maxLength: 4 }),
      fc.array(someSet, { maxLength: 2 }),
      (choices, none) => {
        const expected = everything.filter(
          (image) =>
            choices.every((sets) => sets.some(({ images }) => images.includes(image))) &&
            !none.some(({ images }) => images.includes(image)),
        );
        const [first = [], ...others] = choices.map((sets) => sets.map(({ set }) => set));
        const unwanted = none.map(({ set }) => set);
        assertSame(picked(first, others, unwanted), expected);
        const made = makerOf(first);
        for (const sets of others) made.keep(makerOf(sets));
        for (const set of unwanted) made.drop(set);
        const found = made.done();
        assertSame(found, expected);
        assert.equal(found instanceof ListSet, expected.length * 32 <= LAST);
      },
    ),
    { numRuns: 60 },
  );
});
