/** Requests that name as many categories as they may get the right answer without making others wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../src/catalogue/sets/blocks.ts';
import { sliceImages } from '../../src/catalogue/sets/image-set.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import { choose } from '../../src/store/read/selection.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';
import { startService } from '../support/zukan/service.ts';
import { blocksOf, sliceReader } from './slices.ts';

const CATEGORIES = 100;
const IMAGES = 300;
const name = (index: number) => `c${index}`;
const names = Array.from({ length: CATEGORIES }, (_, index) => name(index));

await forEachEngine(async (engine) => {
  const box = sandbox(engine);
  await box.import([
    ...names.map((name) => ({ type: 'category', name })),
    // Every image is in ten of them, except the first sixty, which are in none.
    ...Array.from({ length: IMAGES }, (_, index) =>
      keyed(index, {
        categories:
          index < 60 ? [] : Array.from({ length: 10 }, (_, turn) => name((index + turn * 10) % CATEGORIES)),
      }),
    ),
  ]);
  const service = await startService(box.config);
  const tags = async (query: string) => {
    const { status, json } = await service.get(`/api/image/random?limit=25&${query}`);
    assert.equal(status, 200, json.message);
    return (json.data as { meta: { eTag: string } }[]).map(({ meta }) =>
      Number(meta.eTag.replace('tag-', '')),
    );
  };

  test('any of all categories returns only images with a category', async () => {
    for (let round = 0; round < atDepth(1, 5); round++) {
      const found = await tags(`match=any&categories=${names.join()}`);
      assert.equal(new Set(found).size, 25);
      assert.ok(found.every((tag) => tag >= 60));
    }
  });

  test('excluding all categories returns only images without one', async () => {
    for (let round = 0; round < atDepth(1, 5); round++) {
      const found = await tags(`exclude=${names.join()}`);
      assert.equal(new Set(found).size, 25);
      assert.ok(found.every((tag) => tag < 60));
    }
  });

  test('all of all categories returns nothing', async () => {
    assert.deepEqual(await tags(`categories=${names.join()}`), []);
  });
});

test('a selection of hundreds of shelves is computed a shelf at a time, between other work', async () => {
  const lastImage = 1_000_000;
  const excluded = Array.from({ length: 300 }, (_, index) => ({ number: index + 1, size: 5000 }));
  const first = { number: 0, size: 31_000 };
  // The images of a shelf are a few numbers apart, those of the first one are spread over all numbers.
  const imageAt = (shelf: number, position: number) =>
    shelf === 0 ? position * 32 + 1 : shelf * 3000 + position * 2 + 1;
  let blocks: Block[] = [];
  const sets = new ImageSets(
    sliceReader({
      async shelfBlocks(shelf, from, to) {
        const { size } = excluded[shelf - 1] ?? first;
        if (from === 0)
          blocks = blocksOf(Array.from({ length: size }, (_, position) => imageAt(shelf, position)));
        return { version: 1, items: blocks.filter(([block]) => block >= from && block < to) };
      },
    }),
  );
  let ticks = 0;
  let isDone = false;
  const count = () => {
    ticks++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const choice = choose([first]);
  const catalogue = { version: 1, lastImage, documentRevision: 1 };
  const loading = sets.load(
    { catalogue, choices: [choice], excluded: [choose(excluded)], sizes: new Map() },
    caller,
  );
  // Counting would go on for ever after a failure.
  const set = await loading.finally(() => {
    isDone = true;
  });
  assert.ok(ticks > excluded.length, `only ${ticks} ticks for ${excluded.length} shelves`);
  const isExcluded = (image: number) =>
    excluded.some(({ number, size }) => image >= imageAt(number, 0) && image <= imageAt(number, size - 1));
  const expected = Array.from({ length: first.size }, (_, position) => imageAt(0, position)).filter(
    (image) => !isExcluded(image),
  );
  assert.ok(set && expected.length > 0 && expected.length < first.size);
  assert.deepEqual(sliceImages(set, { offset: 0, limit: lastImage }), expected);
});
