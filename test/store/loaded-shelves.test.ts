/** A shelf is loaded into memory when that saves statements, however often the catalogue changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImageSets } from '../../src/store/image-sets.ts';
import { LoadedShelves } from '../../src/store/loaded-shelves.ts';
import { until } from '../support/until.ts';
import { sliceReader } from './slices.ts';

const SIZE = 1000;
const shelf = { number: 7, size: SIZE };

/** Loading the shelf takes ten statements. */
function start() {
  let version = 1;
  let statements = 0;
  const reader = sliceReader({
    itemsPerSlice: 100,
    async readShelf(_shelf, from, to) {
      statements++;
      const items = Array.from({ length: to - from }, (_, index) => 2 * (from + index + 1));
      return { version, items: items.slice(0, Math.max(0, SIZE - from)) };
    },
  });
  const shelves = new LoadedShelves(new ImageSets(reader), reader.imagesPerSlice);
  return {
    get: () => shelves.get(shelf, { version, lastImage: 2 * SIZE }),
    change: () => version++,
    statements: () => statements,
  };
}

test('a shelf is loaded after more requests than loading it takes statements', async () => {
  const { get, statements } = start();
  for (let request = 0; request < 11; request++) assert.equal(get(), undefined);
  assert.equal(statements(), 0);
  assert.equal(get(), undefined);
  await until('the shelf is loaded', () => get() !== undefined);
  assert.equal(get()?.at(3), 8);
  assert.equal(get()?.size, SIZE);
});

test('a shelf is not loaded while the catalogue changes between a few requests', async () => {
  const { get, change, statements } = start();
  for (let round = 0; round < 20; round++) {
    for (let request = 0; request < 10; request++) assert.equal(get(), undefined);
    change();
  }
  assert.equal(statements(), 0);
});
