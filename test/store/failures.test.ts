/** A reading that fails once, or that the catalogue changes under, does not fail for ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../src/model.ts';
import { Members } from '../../src/store/members.ts';
import { Names } from '../../src/store/names.ts';

/** Fails once, as a disk or a network would, and then gives items in slices. */
function flaky<T>(items: T[], version: () => number) {
  let hasFailed = false;
  return async (from: number, to: number) => {
    if (!hasFailed) {
      hasFailed = true;
      throw new Error('broken');
    }
    return { version: version(), items: items.slice(from, to) };
  };
}

test('names are read anew after a failure', async () => {
  const read = flaky(['Ann'], () => 1);
  const names = new Names(
    200,
    (_kind, from, to) => read(from, to),
    () => 1,
  );
  await assert.rejects(names.of('artist'), /broken/);
  assert.deepEqual((await names.of('artist')).folded, ['ann']);
});

test('members are read anew after a failure', async () => {
  const read = flaky([1, 3], () => 1);
  const members = new Members(10, (_shelf, from, to) => read(from, to));
  await assert.rejects(members.ofAll([{ number: 1, size: 2 }], { version: 1, lastImage: 3 }), /broken/);
  assert.deepEqual(await members.ofAll([{ number: 1, size: 2 }], { version: 1, lastImage: 3 }), [1, 3]);
});

test('names that change while they are read are read from the beginning', async () => {
  const generations = [Array(450).fill('old'), Array(450).fill('new')];
  let reads = 0;
  const names = new Names(
    200,
    async (_kind, from, to) => {
      const version = reads++ < 2 ? 0 : 1;
      return { version, items: generations[version]?.slice(from, to) as string[] };
    },
    () => 1,
  );
  assert.deepEqual(new Set((await names.of('artist')).folded), new Set(['new']));
});

test('members of another version than was asked for are none at all, and are not kept', async () => {
  let version = 2;
  const members = new Members(10, async () => ({ version, items: [1] }));
  assert.equal(await members.ofAll([{ number: 7, size: 1 }], { version: 1, lastImage: 3 }), undefined);
  version = 1;
  assert.deepEqual(await members.ofAll([{ number: 7, size: 1 }], { version: 1, lastImage: 3 }), [1]);
});

test('what changes all the time is given up, and not for ever read anew', async () => {
  let version = 0;
  const names = new Names(
    200,
    async () => ({ version: version++, items: [] }),
    () => Number.NaN,
  );
  await assert.rejects(names.of('artist'), Unavailable);
});
