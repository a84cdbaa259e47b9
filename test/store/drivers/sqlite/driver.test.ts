/** Calls of one tick share a transaction, a call that waits goes on in the same version, and a failure affects one call. */
import assert from 'node:assert/strict';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Block, listImages } from '../../../../src/catalogue/sets/blocks.ts';
import { openDriver, SqliteDriver } from '../../../../src/store/drivers/sqlite/store.ts';
import { openCatalogue } from '../../../../src/store/read/catalogue.ts';
import { type Call, get, type View } from '../../../../src/store/view.ts';
import { keyed, sandbox } from '../../../support/catalogues/import.ts';
import { databaseFile } from '../../../support/zukan/service.ts';

/** A catalogue of one image. Further imports go through `add`. */
async function open(t: { after: (clean: () => void) => void }) {
  const box = sandbox();
  await box.import([keyed(1)]);
  const database = new DatabaseSync(databaseFile(box.config), { readOnly: true });
  const driver = new SqliteDriver(database);
  t.after(() => driver[Symbol.dispose]());
  return { database, driver, add: (index: number) => box.import([keyed(index)]) };
}

const countImages = ({ snapshot }: View) => get(snapshot.all.size);
const openView = (view: View) => get(view);

test('calls of one tick share a transaction that begins after the last request', async (t) => {
  const { driver, database, add } = await open(t);
  await add(2);
  const seen: boolean[] = [];
  const look = (view: View) => {
    seen.push(database.isTransaction);
    return get(view);
  };
  const together = Promise.all([driver.run(look), driver.run(look)]);
  assert.deepEqual(seen, []);
  const [first, second] = await together;
  assert.equal(first, second);
  assert.deepEqual(seen, [true, true]);
  assert.equal(database.isTransaction, false);
  assert.equal(first.snapshot.all.size, 2);
});

test('a call after an import sees the new version', async (t) => {
  const { driver, add } = await open(t);
  const before = await driver.run(openView);
  assert.equal(await driver.run(openView), before);
  await add(2);
  const after = await driver.run(openView);
  assert.notEqual(after, before);
  assert.equal(after.snapshot.all.size, 2);
});

test('a call that waits holds no transaction, and goes on in one of the same version', async (t) => {
  const { driver, database } = await open(t);
  const waiting = Promise.withResolvers<string>();
  const seen: boolean[] = [];
  const result = driver.run(function* (view): Call<string> {
    const waited = yield* get(waiting.promise);
    seen.push(database.isTransaction);
    return `${waited} ${(view.list('shelfBlocks', view.snapshot.all.number, -1, 10) as Block[]).flatMap(listImages)}`;
  });
  await driver.run(countImages);
  assert.equal(database.isTransaction, false);
  waiting.resolve('waited');
  assert.equal(await result, 'waited 1');
  assert.deepEqual(seen, [true]);
});

test('a call starts again if the catalogue changes while it waits', async (t) => {
  const { driver, add } = await open(t);
  const seen: number[] = [];
  const result = await driver.run(function* (view): Call<number> {
    seen.push(view.snapshot.all.size);
    if (seen.length === 1) yield* get(add(2));
    return view.snapshot.all.size;
  });
  assert.deepEqual([result, seen], [2, [1, 2]]);
});

test('a failing call rejects alone, and the transaction ends', async (t) => {
  const { driver, database } = await open(t);
  const failing = driver.run((): Call<void> => {
    throw new Error('broken');
  });
  const waitingInVain = driver.run(() => get(Promise.reject(new Error('in vain'))));
  const succeeding = driver.run(countImages);
  await assert.rejects(failing, /broken/);
  await assert.rejects(waitingInVain, /in vain/);
  assert.equal(await succeeding, 1);
  assert.equal(database.isTransaction, false);
});

/** Makes the next query for several rows fail, as a disk may. */
function failNextQuery(): void {
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function fail() {
    StatementSync.prototype.all = all;
    throw new Error('disk I/O error');
  };
}

test('a transaction that cannot begin rejects all its calls, and the next one works', async (t) => {
  const { driver, database, add } = await open(t);
  assert.equal(await driver.run(countImages), 1);
  await add(2);
  failNextQuery();
  const both = await Promise.allSettled([driver.run(countImages), driver.run(countImages)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(database.isTransaction, false);
  assert.equal(await driver.run(countImages), 2);
});

test('the catalogue recovers from a failed read', async () => {
  const box = sandbox();
  await box.import([keyed(1)]);
  using driver = openDriver(databaseFile(box.config));
  const catalogue = openCatalogue(driver);
  const count = async () => (await catalogue.statistics()).images.count;
  assert.equal(await count(), 1);
  await box.import([keyed(2)]);
  failNextQuery();
  await assert.rejects(count(), /disk/);
  assert.equal(await count(), 2);
  await box.import([keyed(3)]);
  assert.equal(await count(), 3);
});

test('aliases are read from one key up to the next, each once', async () => {
  const box = sandbox();
  await box.import([{ type: 'artist', name: 'Ann', aliases: ['one', 'three', 'two'] }]);
  using driver = openDriver(databaseFile(box.config));
  const keysAfter = (key: string) =>
    driver.run(function* (view) {
      return (yield* get(view.list('aliases', 'artist', key, 2))).map(([found]) => found);
    });
  const first = await keysAfter('');
  assert.deepEqual([first.length, (await keysAfter(first.at(-1) ?? '')).length], [2, 1]);
});
