/** Many clients that each name hundreds of categories: the waiting work is bounded, and others come first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sliceImages } from '../../src/catalogue/sets/image-set.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import { choose, type Selection } from '../../src/store/read/selection.ts';
import { atDepth } from '../support/depth.ts';
import { blocksOf, sliceReader } from './slices.ts';

const SHELVES = 300;
const LAST_IMAGE = 100_000;
const SHELF_SIZE = atDepth(1000, 5000);

/** The images of a shelf are spread over all numbers. */
const imageAt = (shelf: number, position: number) => position * 20 + (shelf % 20) + 1;
const imagesOn = (shelf = 0) => Array.from({ length: SHELF_SIZE }, (_, position) => imageAt(shelf, position));
const shelves = Array.from({ length: SHELVES }, (_, number) => ({ number, size: SHELF_SIZE }));

/** Any of the shelves, except for the first ones. A different selection for every number. */
function select(count: number, skipped: number): Selection {
  const chosen = shelves.slice(skipped, skipped + count);
  const choice = choose(chosen);
  const other = choose(shelves.slice(0, 1));
  return {
    catalogue: { version: 1, lastImage: LAST_IMAGE, documentRevision: 1 },
    choices: [other, choice],
    excluded: [],
    sizes: new Map(),
  };
}

function openSets(onRead = () => {}): ImageSets {
  return new ImageSets(
    sliceReader({
      async shelfBlocks(shelf, after, limit) {
        if (after < 0) onRead();
        return { version: 1, items: blocksOf(imagesOn(shelf), after, limit) };
      },
    }),
  );
}

const callerOf = (client: string, signal = new AbortController().signal) => ({ client, signal });

test('300 clients that name hundreds of categories neither delay nor displace others', async () => {
  const sets = openSets();
  let done = 0;
  const hostile = Array.from({ length: 300 }, async (_, number) => {
    try {
      await sets.load(select(SHELVES - number / 10, number % 100), callerOf(`hostile ${number}`));
      done++;
      return 'done';
    } catch (error) {
      assert.ok(error instanceof Unavailable);
      return 'rejected';
    }
  });
  const found = await sets.load(select(1, 20), callerOf('other'));
  assert.ok(found && sliceImages(found, { offset: 0, limit: 1 })[0] === 1);
  assert.equal(done, 0);
  const rejected = (await Promise.all(hostile)).filter((outcome) => outcome === 'rejected');
  assert.ok(rejected.length >= 300 - 128, `${rejected.length} rejected`);
});

test('in a large catalogue, the shelves of a few calls are in memory together', async () => {
  let reads = 0;
  const lastImage = 60_000_000;
  const sets = new ImageSets(
    sliceReader({
      async shelfBlocks(_shelf, after) {
        if (after < 0) reads++;
        return { version: 1, items: [] };
      },
    }),
  );
  const numbers = Array.from({ length: 8 }, (_, number) => number);
  for (const number of [...numbers, ...numbers]) {
    const selection: Selection = {
      catalogue: { version: 1, lastImage, documentRevision: 1 },
      choices: [choose([{ number, size: lastImage / 2 }])],
      excluded: [],
      sizes: new Map(),
    };
    await sets.load(selection, callerOf('client'));
  }
  assert.equal(reads, numbers.length);
});

test('a selection is computed once for those who wait for the same one', async () => {
  let reads = 0;
  const sets = openSets(() => reads++);
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, number) => sets.load(select(30, 1), callerOf(`client ${number}`))),
  );
  assert.equal(new Set(found.map((set) => set?.size)).size, 1);
  assert.equal(reads, 31, 'each shelf once');
});

test('a client that disconnects stops computing', async () => {
  const sets = openSets();
  const controller = new AbortController();
  const gone = new Error('gone');
  const loading = sets.load(select(SHELVES, 0), callerOf('client', controller.signal));
  await new Promise(setImmediate);
  controller.abort(gone);
  await assert.rejects(loading, gone);
});
