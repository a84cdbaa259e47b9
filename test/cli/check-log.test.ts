/** `zukan check` verifies the change log and the trash. */
import assert from 'node:assert/strict';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeed } from '../support/catalogues/backup.ts';
import { historyOf, image, makeHistory } from '../support/catalogues/history.ts';
import { forEachEngineInDepth, rowsIn, sqlite, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

await forEachEngineInDepth((engine) => {
  test('check finds a broken log, and --repair drops what cannot be used', async () => {
    const { folder, environment } = await makeHistory(engine.environment());
    const config = configFor(folder, environment);
    assert.equal((await succeed(['check'], environment)).output, 'no problems found\n');
    const before = await historyOf(environment);
    const add = (change: number, id: string, fields: string) =>
      `insert into change_item (change, kind, id, before, after) values (${change}, 'image', '${id}', '${fields}', null);`;
    tamper(config, `${add(1, 'x', '{"rating"')} ${add(1, 'y', '[]')} ${add(99, 'z', '{}')}`);
    tamper(config, 'update change set items = items - 1 where number = 7');
    const { status, output } = await runCommand(['check', '--quiet'], environment);
    assert.equal(status, 1);
    assert.deepEqual(output.trim().split('\n'), [
      'change 1: what it did to image x cannot be read',
      'change 1: what it did to image y cannot be read',
      'change 7: has 1 items instead of 0',
      'change 99: the log has its items, but not the change',
    ]);
    assert.match(
      (await runCommand(['backup', '--quiet', join(folder, 'backup')], environment)).errors,
      /--repair/,
    );
    await succeed(['check', '--quiet', '--repair'], environment);
    assert.deepEqual(await historyOf(environment), before);
  });

  testOnOneStore(engine)(
    'an image in the trash without its change is fine, and one without its file is not',
    async () => {
      const { folder, environment } = await makeHistory(engine.environment());
      const config = configFor(folder, environment);
      tamper(config, 'delete from change where number <= 6; delete from change_item where change <= 6');
      const count = () => globSync('files/*/*', { cwd: environment.DATA_DIR ?? '' }).length;
      assert.equal(count(), 9);
      await succeed(['check', '--quiet', '--repair'], environment);
      assert.equal(count(), 9);
      const [row] = rowsIn(config, `select key from trash where id = '${image(6)}'`) as { key: string }[];
      rmSync(join(folder, 'data/files', row?.key ?? ''));
      const { status, output } = await runCommand(['check', '--quiet', '--repair'], environment);
      assert.equal(status, 1);
      assert.equal(output, `image ${image(6)} in the trash: the file ${row?.key} is missing\n`);
      await succeed(['trash', '--empty', '--yes'], environment);
      await succeed(['check', '--quiet'], environment);
    },
  );
});

test('check reports an unreadable document in the trash', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  tamper(configFor(folder, environment), `update trash set document = 'x' where id = '${image(6)}'`);
  const { status, output } = await runCommand(['check', '--quiet'], environment);
  assert.equal(status, 1);
  assert.match(output, /^image \S+ in the trash: the document cannot be read\n/);
});
