/** A reading that fails once does not fail for ever. */
import assert from 'node:assert/strict';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { test } from 'node:test';
import { SqliteMembers } from '../../src/store/sqlite-members.ts';
import { SqliteNames } from '../../src/store/sqlite-names.ts';
import { keyed, sandbox } from '../support/import.ts';

/** Makes the next reading of rows fail, as a disk would. */
function failOnce(): void {
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function fail() {
    StatementSync.prototype.all = all;
    throw new Error('disk I/O error');
  };
}

test('names and members are read anew after a failure', async () => {
  const box = sandbox();
  await box.import([{ type: 'artist', name: 'Ann' }, keyed(1)]);
  const database = new DatabaseSync(box.config.databasePath, { readOnly: true });
  const names = new SqliteNames(database, () => 1);
  failOnce();
  await assert.rejects(names.of('artist'), /disk/);
  assert.deepEqual((await names.of('artist')).folded, ['ann']);
  const members = new SqliteMembers(database);
  failOnce();
  await assert.rejects(members.ofAll([1], 1), /disk/);
  assert.deepEqual(await members.ofAll([1], 1), [1]);
  database.close();
});
