/** Batches of independent records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, processInBatches } from '../../src/import/plan/existing.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

async function batches<T>(
  items: T[],
  identitiesOf: (item: T) => string[],
  process: (batch: T[]) => number,
): Promise<T[][]> {
  const all: T[][] = [];
  await processInBatches(items, identitiesOf, async (batch) => {
    all.push(batch);
    return process(batch);
  });
  return all;
}

test('passes independent items in one batch', async () => {
  const items = numbers(1000);
  assert.deepEqual(
    await batches(
      items,
      (item) => [String(item)],
      (batch) => batch.length,
    ),
    [items],
  );
});

test('starts a new batch at a repeated identity', async () => {
  const identities = [['a'], ['b', 'c'], ['c'], ['a'], ['d'], ['d']];
  const found = await batches(
    numbers(6),
    (item) => identities[item] ?? [],
    (batch) => batch.length,
  );
  assert.deepEqual(found, [[0, 1], [2, 3, 4], [5]]);
});

test('repeats what was not finished, in order', async () => {
  const done: number[] = [];
  await batches(
    numbers(100),
    (item) => [String(item)],
    (batch) => {
      const finished = batch.slice(0, 7);
      done.push(...finished);
      return finished.length;
    },
  );
  assert.deepEqual(done, numbers(100));
});

test('looks up a number of items that grows linearly, even if each depends on the one before', async () => {
  const found = await batches(
    numbers(3000),
    (item) => [String(item)],
    () => 1,
  );
  const lookups = found.reduce((sum, batch) => sum + batch.length, 0);
  assert.ok(lookups <= 3000 + 2 * 3000, `${lookups} lookups`);
});

test('grows the batches again after a dependent item', async () => {
  let isFirst = true;
  const found = await batches(
    numbers(1000),
    (item) => [String(item)],
    (batch) => {
      const done = isFirst ? 1 : batch.length;
      isFirst = false;
      return done;
    },
  );
  assert.deepEqual(
    found.map((batch) => batch.length),
    [1000, 2, 4, 8, 16, 32, 64, 128, 256, 489],
  );
});

test('a batch has at most a thousand items of one type, and 8 MiB', () => {
  const item = (type: string, size: number) => ({ record: { type }, size });
  const batch = new Batch<ReturnType<typeof item>>();
  assert.ok(!batch.isFullFor(item('artist', 9 * 2 ** 20)), 'a large item is a batch of its own');
  batch.add(item('artist', 2 ** 23 - 5));
  const full = [item('artist', 5), item('artist', 6), item('image', 5)].map((next) => batch.isFullFor(next));
  assert.deepEqual(full, [false, true, true]);
  batch.take();
  for (let count = 0; count < 1000; count++) {
    assert.ok(!batch.isFullFor(item('artist', 1)));
    batch.add(item('artist', 1));
  }
  assert.ok(batch.isFullFor(item('artist', 1)));
});
