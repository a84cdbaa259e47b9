/** A reading that fails once, or that the catalogue changes under, does not fail for ever. */
import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ImageSet, sliceImages } from '../../src/catalogue/image-set.ts';
import { Unavailable } from '../../src/errors.ts';
import { Members } from '../../src/store/shared/image-sets.ts';
import { Names } from '../../src/store/shared/names.ts';
import type { Selection } from '../../src/store/shared/selection.ts';
import type { Shelf } from '../../src/store/shared/shelves.ts';
import { openCatalogue } from '../../src/store/sqlite/catalogue.ts';
import { keyed, sandbox } from '../support/import.ts';
import { databaseFile } from '../support/service.ts';

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

/** The selection of what stands on a shelf. */
const allOn = (shelf: Shelf): Selection => ({
  choices: [{ shelves: [shelf], size: shelf.size, mayOverlap: false }],
  none: [],
});

const imagesIn = (set: ImageSet | undefined) => set && sliceImages(set, { offset: 0, limit: 100 });

test('members are read anew after a failure', async () => {
  const read = flaky([1, 3], () => 1);
  const members = new Members(10, (_shelf, from, to) => read(from, to));
  const moment = { version: 1, lastImage: 3 };
  await assert.rejects(members.of(allOn({ number: 1, size: 2 }), moment), /broken/);
  assert.deepEqual(imagesIn(await members.of(allOn({ number: 1, size: 2 }), moment)), [1, 3]);
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
  const moment = { version: 1, lastImage: 3 };
  assert.equal(await members.of(allOn({ number: 7, size: 1 }), moment), undefined);
  version = 1;
  assert.deepEqual(imagesIn(await members.of(allOn({ number: 7, size: 1 }), moment)), [1]);
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

/** Makes the next reading of rows fail, as a disk would. */
function failOnce(): void {
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function fail() {
    StatementSync.prototype.all = all;
    throw new Error('disk I/O error');
  };
}

test('a moment that cannot be read is not held on to: the next call sees the catalogue as it is then', async () => {
  const box = sandbox();
  await box.import([keyed(1)]);
  using catalogue = openCatalogue(databaseFile(box.config));
  const count = async () => (await catalogue.statistics()).images.count;
  assert.equal(await count(), 1);
  await setImmediate();
  await box.import([keyed(2)]);
  failOnce();
  await assert.rejects(count(), /disk/);
  assert.equal(await count(), 2);
  await setImmediate();
  await box.import([keyed(3)]);
  assert.equal(await count(), 3);
});
