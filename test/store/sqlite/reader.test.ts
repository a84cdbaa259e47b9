/** Reads of one tick share a transaction, and a failure affects only the read that caused it. */
import assert from 'node:assert/strict';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { test } from 'node:test';
import { SqliteCatalogue } from '../../../src/store/sqlite/catalogue.ts';
import { type ReadTransaction, SqliteReader } from '../../../src/store/sqlite/reader.ts';
import { keyed, sandbox } from '../../support/catalogues/import.ts';
import { databaseFile } from '../../support/zukan/service.ts';

/** A catalogue of one image. Further imports go through `add`. */
async function open(t: { after: (clean: () => void) => void }) {
  const box = sandbox();
  await box.import([keyed(1)]);
  const database = new DatabaseSync(databaseFile(box.config), { readOnly: true });
  const reader = new SqliteReader(database);
  t.after(() => reader[Symbol.dispose]());
  return { database, reader, add: (index: number) => box.import([keyed(index)]) };
}

const countImages = ({ snapshot }: ReadTransaction) => snapshot.all.size;

test('reads of one tick share a transaction that begins after the last request', async (t) => {
  const { reader, database, add } = await open(t);
  await add(2);
  const seen: boolean[] = [];
  const count = (transaction: ReadTransaction) => {
    seen.push(database.isTransaction);
    return transaction;
  };
  const together = Promise.all([reader.read(count), reader.read(count)]);
  assert.deepEqual(seen, []);
  const [first, second] = await together;
  assert.equal(first, second);
  assert.deepEqual(seen, [true, true]);
  assert.equal(database.isTransaction, false);
  assert.equal(countImages(first), 2);
});

test('a read after an import sees the new version, and the caches of the old one are gone', async (t) => {
  const { reader, add } = await open(t);
  const before = await reader.read((transaction) => transaction);
  assert.equal(await reader.read((transaction) => transaction), before);
  await add(2);
  const after = await reader.read((transaction) => transaction);
  assert.notEqual(after, before);
  assert.equal(countImages(after), 2);
  assert.equal(after.pages.size, 0);
});

test('a failing read rejects alone, and the transaction ends', async (t) => {
  const { reader, database } = await open(t);
  const failing = reader.read(() => {
    throw new Error('broken');
  });
  const succeeding = reader.read(countImages);
  await assert.rejects(failing, /broken/);
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

test('a transaction that cannot begin rejects all its reads, and the next one works', async (t) => {
  const { reader, database, add } = await open(t);
  assert.equal(await reader.read(countImages), 1);
  await add(2);
  failNextQuery();
  const both = await Promise.allSettled([reader.read(countImages), reader.read(countImages)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(database.isTransaction, false);
  assert.equal(await reader.read(countImages), 2);
});

test('the catalogue recovers from a failed read', async () => {
  const box = sandbox();
  await box.import([keyed(1)]);
  using catalogue = new SqliteCatalogue(databaseFile(box.config));
  const count = async () => (await catalogue.statistics()).images.count;
  assert.equal(await count(), 1);
  await box.import([keyed(2)]);
  failNextQuery();
  await assert.rejects(count(), /disk/);
  assert.equal(await count(), 2);
  await box.import([keyed(3)]);
  assert.equal(await count(), 3);
});
