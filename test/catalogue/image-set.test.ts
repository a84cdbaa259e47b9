/** Every representation of an image set behaves like a plain array of numbers. */
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
