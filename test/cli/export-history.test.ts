/** `zukan export --history | zukan import -` moves the change log and the trash, too. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeed } from '../support/catalogues/backup.ts';
import { historyOf, image, makeHistory } from '../support/catalogues/history.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

await forEachEngineInDepth((engine) => {
  test('a moved catalogue has the same history, and undoes the same', async () => {
    const { folder, environment } = await makeHistory(engine.environment());
    const there = { ...environment, FILES_URL: join(folder, 'data/files') };
    const moved = { ...there, ...engine.environment(), DATA_DIR: join(folder, 'moved') };
    const { output } = await succeed(['export', '--history'], environment);
    assert.ok(output.endsWith((await succeed(['export'], environment)).output));
    await succeed(['adopt'], moved);
    await succeed(['import', '--quiet', '-'], moved, output);
    assert.deepEqual(await historyOf(moved), await historyOf(environment));
    assert.equal((await succeed(['export', '--history'], moved)).output, output);
    await succeed(['check', '--quiet'], moved);
    const find = async () => (await succeed(['find'], moved)).output.split('\n').filter(Boolean).sort();
    await succeed(['trash', '--restore', image(6)], moved);
    await succeed(['undo', '6'], moved);
    await succeed(['undo', '1'], moved);
    assert.deepEqual(await find(), [5, 6, 7, 8, 9, 10].map(image).sort());
    await succeed(['check', '--quiet'], moved);
  });
});

test('a history is refused where its numbers would be wrong', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  const { output } = await succeed(['export', '--history'], environment);
  const target = (name: string) => ({ ...environment, DATA_DIR: join(folder, name) });
  const imported = await runCommand(['import', '--quiet', '-'], environment, output);
  assert.equal(imported.status, 1);
  assert.match(imported.errors, /:1: a history needs an empty catalogue; export it without --history/);
  for (const type of ['image', 'trash']) {
    const lines = output.split('\n');
    lines.splice(
      lines.findIndex((line) => line.startsWith(`{"type":"${type}"`)),
      1,
    );
    const { status, errors } = await runCommand(
      ['import', '--quiet', '--skip-bad', '-'],
      target(type),
      lines.join('\n'),
    );
    assert.equal(status, 1);
    assert.match(errors, /:1: the history needs 6 images and 3 in the trash, but there are [56] and [23]/);
    assert.equal((await succeed(['export'], target(type))).output, '');
  }
  assert.equal((await runCommand(['export', '--history', '--files', folder], environment)).status, 2);
});
