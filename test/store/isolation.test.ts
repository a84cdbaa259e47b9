/** Reading while writing: an import becomes visible at once and whole, or not at all. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, zukan } from '../support/zukan/program.ts';

await forEachEngine(async (engine) => {
  if (engine === sqlite)
    test('a command creates the catalogue in a file that another one has only begun', async () => {
      const folder = temporaryFolder();
      using begun = new DatabaseSync(join(folder, 'zukan.db'));
      begun.exec('pragma journal_mode = wal');
      const { status, errors } = await runCommand(
        ['import', '--quiet', '-'],
        { DATA_DIR: folder },
        '{"type":"artist","name":"A"}',
      );
      assert.equal(status, 0, errors);
      assert.doesNotMatch(errors, /older version/);
    });

  test('several first commands may create the database at the same time', async () => {
    // SQLite blocks the thread, so only processes can meet.
    const run = engine === sqlite ? zukan : runCommand;
    const commands = atDepth(2, 6);
    for (let round = 0; round < atDepth(1, 4); round++) {
      const environment = { DATA_DIR: join(temporaryFolder(), 'data'), ...engine.withoutCatalogue() };
      const record = (index: number) => JSON.stringify({ type: 'artist', name: `Artist ${index}` });
      const results = await Promise.all(
        Array.from({ length: commands }, (_, index) =>
          run(['import', '--quiet', '-'], environment, record(index)),
        ),
      );
      for (const { status, errors } of results) assert.equal(status, 0, errors);
      const { output } = await runCommand(['stats', '--json'], environment);
      assert.equal(JSON.parse(output).artists.count, commands);
    }
  });
});
