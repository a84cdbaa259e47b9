/** Backups keep the change log and the trash: what could be undone or restored before, can be afterwards. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeed } from '../support/catalogues/backup.ts';
import { image, makeHistory } from '../support/catalogues/history.ts';
import { forEachEngineInDepth, sqlite, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

await forEachEngineInDepth((engine) => {
  testOnOneStore(engine)('a backup after a take-down has nothing of the picture', async () => {
    const { folder, environment } = await makeHistory(engine.environment());
    const backup = join(folder, 'backup');
    await succeed(['backup', '--quiet', backup], environment);
    const files = () => globSync('files/*/*', { cwd: backup }).length;
    const listed = () =>
      globSync(join(backup, 'lists-*/*.ndjson'))
        .map((path) => readFileSync(path, 'utf8'))
        .join('');
    assert.equal(files(), 9);
    for (const address of ['org/6', 'org/7', 'org/new']) assert.ok(listed().includes(address), address);
    // One in the trash, and one that was edited.
    await succeed(['remove', '--yes', image(6), image(7)], environment);
    await succeed(['backup', '--quiet', backup], environment);
    assert.equal(files(), 7);
    for (const address of ['org/2', 'org/6', 'org/7', 'org/new'])
      assert.ok(!listed().includes(address), address);
    assert.ok(listed().includes('"kind":"taken-down"'));
  });
});

test('an emptied catalogue with a history is not empty', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  const target = { ...environment, DATA_DIR: join(folder, 'target') };
  await succeed(['backup', '--quiet', join(folder, 'backup')], environment);
  await succeed(['import', '--quiet', '-'], target, '{"type":"category","name":"x"}\n');
  await succeed(['undo', '1'], target);
  const { status, errors } = await runCommand(['restore', '--quiet', join(folder, 'backup')], target);
  assert.equal(status, 1);
  assert.match(errors, /the catalogue is not empty/);
});
