/** Whoever names hundreds of categories gets the right answer, and holds nobody else up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { sliceImages } from '../../src/catalogue/image-set.ts';
import { drawFrom } from '../../src/store/shared/draws.ts';
import { Members } from '../../src/store/shared/image-sets.ts';
import { LruCache } from '../../src/store/shared/lru-cache.ts';
import { forEachEngine } from '../support/engines.ts';
import { keyed, sandbox } from '../support/import.ts';
import { startService } from '../support/service.ts';

const CATEGORIES = 600;
const IMAGES = 6000;
const name = (index: number) => `c${index}`;
const names = Array.from({ length: CATEGORIES }, (_, index) => name(index));

await forEachEngine(async (engine) => {
  const box = sandbox(engine);
  await box.import([
    ...names.map((name) => ({ type: 'category', name })),
    // Every image is in ten of them, but the first sixty are in none.
    ...Array.from({ length: IMAGES }, (_, index) =>
      keyed(index, {
        categories:
          index < 60 ? [] : Array.from({ length: 10 }, (_, turn) => name((index + turn * 60) % CATEGORIES)),
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

  test('any of all categories leaves only those without one', async () => {
    for (let round = 0; round < 5; round++) {
      const found = await tags(`match=any&categories=${names.join()}`);
      assert.equal(new Set(found).size, 25);
      assert.ok(found.every((tag) => tag >= 60));
    }
  });

  test('none of all categories gives only those without one', async () => {
    for (let round = 0; round < 5; round++) {
      const found = await tags(`exclude=${names.join()}`);
      assert.equal(new Set(found).size, 25);
      assert.ok(found.every((tag) => tag < 60));
    }
  });

  test('all of all categories is nothing', async () => {
    assert.deepEqual(await tags(`categories=${names.join()}`), []);
  });
});

test('shelves that nobody waits for are read one after the other', async () => {
  let open = 0;
  const most: number[] = [];
  const members = new Members(10, async (_shelf, from) => {
    most.push(++open);
    await setTimeout(1);
    open--;
    return { version: 1, items: from === 0 ? [1] : [] };
  });
  const moment = { version: 1, lastImage: 5 };
  const shelves = names.map((_, number) => ({ number, size: 1 }));
  const known = () => shelves.filter((shelf) => members.shelf(shelf, moment)).length;
  assert.equal(known(), 0);
  await setTimeout(50);
  assert.equal(known(), 1);
  await setTimeout(50);
  assert.equal(known(), 2);
  assert.equal(Math.max(...most), 1);
});

test('no draw looks at hundreds of shelves: who names them has to wait for the selection', () => {
  const none = names.map((_, number) => ({ number, size: 1 }));
  const look = () => assert.fail('it looked');
  const all = { shelves: [{ number: 1000, size: 5 }], size: 5, mayOverlap: false };
  assert.equal(
    drawFrom({ choices: [all], none }, 1, () => 0, { finder: look, tester: look }),
    undefined,
  );
});

test('a selection of hundreds of shelves is worked out in short turns', async () => {
  const lastImage = 1_000_000;
  const excluded = Array.from({ length: 300 }, (_, index) => ({ number: index + 1, size: 5000 }));
  const first = { number: 0, size: 31_000 };
  // The images of a shelf lie a few numbers apart, and those of the first one all over.
  const imageOf = (shelf: number, position: number) =>
    shelf === 0 ? position * 32 + 1 : shelf * 3000 + position * 2 + 1;
  const members = new Members(8000, async (shelf, from, to) => {
    const { size } = excluded[shelf - 1] ?? first;
    const count = Math.max(0, Math.min(to, size) - from);
    return { version: 1, items: Array.from({ length: count }, (_, index) => imageOf(shelf, from + index)) };
  });
  const choice = { shelves: [first], size: first.size, mayOverlap: false };
  let longest = 0;
  let [before, isDone] = [performance.now(), false];
  const watching = (async () => {
    while (!isDone) {
      await setImmediate();
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
    }
  })();
  const set = await members.of({ choices: [choice], none: excluded }, { version: 1, lastImage });
  isDone = true;
  await watching;
  const isDropped = (image: number) =>
    excluded.some(({ number, size }) => image >= imageOf(number, 0) && image <= imageOf(number, size - 1));
  const expected = Array.from({ length: first.size }, (_, at) => imageOf(0, at)).filter(
    (image) => !isDropped(image),
  );
  assert.ok(set && expected.length > 0 && expected.length < first.size);
  assert.deepEqual(sliceImages(set, { offset: 0, limit: lastImage }), expected);
  // Looking at each image in each shelf took 700 ms in one piece.
  assert.ok(longest < 200, `${longest} ms`);
});

test('what is nothing in itself takes room too: the oldest of very many goes', () => {
  const bounded = new LruCache<string, { bytes: number }>(1_000_000);
  for (let index = 0; index < 10_000; index++) bounded.set(`key ${index}`, { bytes: 0 });
  assert.equal(bounded.get('key 0'), undefined);
  assert.ok(bounded.get('key 9999'));
  const long = new LruCache<string, { bytes: number }>(1_000_000);
  for (let index = 0; index < 200; index++) long.set(`${index} ${'x'.repeat(10_000)}`, { bytes: 0 });
  assert.equal(long.get(`0 ${'x'.repeat(10_000)}`), undefined);
});
