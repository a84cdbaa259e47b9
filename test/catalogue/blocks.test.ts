/** Blocks of images and of sizes, compared with plain lists; and images drawn from sets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addImages,
  addSizes,
  type Block,
  blockOf,
  changeImages,
  changeSizes,
  emptyBlocks,
  IMAGES_PER_BLOCK,
  lastOf,
  listImages,
} from '../../src/catalogue/sets/blocks.ts';
import { BitmapSet, ImageSizes, ListSet } from '../../src/catalogue/sets/image-set.ts';
import { drawImages } from '../../src/store/read/image-numbers.ts';
import { atDepth } from '../support/depth.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

/** Of any block, and in many of them. No image has the number 0. */
const someBlock = fc.integer({ min: 1, max: 3 });
const someImages = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: IMAGES_PER_BLOCK - 1 }), { maxLength: 30 }),
  // Around the number at which a bitmap is shorter, and all of them.
  fc
    .constantFrom(1, 2, 8, 15, 16, 17, 4096)
    .map((step) => Array.from({ length: IMAGES_PER_BLOCK / step }, (_, index) => Math.floor(index * step))),
);

test('a block has the images that entered and did not leave', () => {
  fc.assert(
    fc.property(
      someBlock,
      fc.array(fc.tuple(someImages, someImages), { maxLength: 4 }),
      (number, changes) => {
        const [first, model] = [number * IMAGES_PER_BLOCK, new Set<number>()];
        let content = '';
        for (const [entered, left] of changes) {
          const numbers = (offsets: number[]) => offsets.map((offset) => first + offset);
          const changed = changeImages(content, [
            ...numbers(entered),
            ...numbers(left).map((image) => -image),
          ]);
          const before = model.size;
          for (const image of numbers(entered)) model.add(image);
          for (const image of numbers(left)) model.delete(image);
          assert.equal(changed.growth, model.size - before);
          content = changed.content;
        }
        const expected = [...model].sort((a, b) => a - b);
        const block: Block = [number, content];
        assert.deepEqual(listImages(block), expected);
        assert.ok(content.length <= 684, 'a row is short');
        assert.equal(content === '', expected.length === 0);
        const bits = emptyBlocks(lastOf(3));
        addImages(bits, block);
        const found: number[] = [];
        new BitmapSet(bits).each((image) => found.push(image));
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: atDepth(40, 500) },
  );
});

test('a block of sizes has the latest size of each image', () => {
  const someSize = fc.record({
    offset: fc.integer({ min: 0, max: IMAGES_PER_BLOCK - 1 }),
    width: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    height: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  });
  fc.assert(
    fc.property(
      someBlock,
      fc.array(fc.array(someSize, { minLength: 1, maxLength: 9 })),
      (number, changes) => {
        const model = new Map<number, [number, number]>();
        let content = '';
        for (const change of changes) {
          const placed = change.map(({ offset, ...size }) => ({
            ...{ image: number * IMAGES_PER_BLOCK + offset, shelves: [] },
            ...size,
          }));
          content = changeSizes(content, placed);
          for (const { image, width, height } of placed) model.set(image, [width, height]);
        }
        const sizes = new ImageSizes(lastOf(3));
        addSizes(sizes, [number, content]);
        for (let image = 0; image <= lastOf(3); image++) {
          const [width, height] = model.get(image) ?? [];
          const isSame = sizes.passes((...size) => size[0] === width && size[1] === height, image);
          assert.equal(isSame, width !== undefined);
        }
      },
    ),
    { numRuns: atDepth(10, 100) },
  );
});

test('blocks meet without gaps', () => {
  for (const image of [0, 1, 4095, 4096, 4097, 2 ** 31 - 1]) {
    const block = blockOf(image);
    assert.ok(image <= lastOf(block) && (block === 0 || image > lastOf(block - 1)));
  }
});

// test/http/random/distribution.test.ts counts how often each image is drawn.
test('images are drawn from choices of sets, until too many positions were tested', () => {
  const set = (...images: number[]) => new ListSet(Uint32Array.from(images));
  const demands = {
    choices: [[set(1, 2, 3), set(3, 4), set(1, 3, 5)], [set(1, 2, 3, 4, 5, 6)]],
    excluded: [set(2)],
    ...{ sizes: undefined, tests: [] },
  };
  const randomInt = seededRandomInt(5);
  assert.deepEqual((drawImages(demands, 9, 100, randomInt) ?? []).sort(), [1, 3, 4, 5]);
  assert.equal(drawImages(demands, 9, 7, randomInt), undefined, 'after seven of eight positions');
});
