import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { batchAtOnce, batchPerTick } from '../src/lib/concurrency.ts';

test('a batch has the items of one tick, and runs at its end', async () => {
  const batches: number[][] = [];
  const add = batchPerTick<number>((items) => batches.push(items));
  add(1);
  await null;
  add(2);
  process.nextTick(add, 3);
  assert.deepEqual(batches, []);
  await nextTick();
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('the first batch of a tick runs at once, when everything that runs has added its items', async () => {
  const batches: number[][] = [];
  const add = batchAtOnce<number>((items) => batches.push(items));
  const { promise, resolve } = Promise.withResolvers<void>();
  // In a callback of the event loop, as requests are.
  setImmediate(() => {
    for (const item of [1, 2, 3]) add(item);
    assert.deepEqual(batches, []);
    process.nextTick(resolve);
  });
  await promise;
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('calls that follow one another leave ticks to others', async () => {
  const add = batchAtOnce<() => void>((items) => {
    for (const item of items) item();
  });
  let ticks = 0;
  const counting = (async () => {
    for (; ticks < 20; ticks++) await nextTick();
  })();
  const seen: number[] = [];
  for (let call = 0; call < 5; call++)
    await new Promise<void>((resolve) =>
      add(() => {
        seen.push(ticks);
        resolve();
      }),
    );
  await counting;
  assert.ok(new Set(seen).size >= 4, seen.join());
});
