/** Reading while writing: an import becomes visible at once and whole, or not at all. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openWriter } from '../../src/server/engines.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, zukan } from '../support/zukan/program.ts';
import { startService } from '../support/zukan/service.ts';

await forEachEngine(async (engine) => {
  test('a running server shows an import once it is committed, and not before', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'category', name: 'cats' }, keyed(1, { categories: ['cats'] })]);
    const service = await startService(box.config);
    const counts = async () => (await service.get('/api/stats')).json.data.images.count;
    assert.equal(await counts(), 1);

    const writer = await openWriter(box.config);
    const row = {
      id: '40000000-0000-4000-8000-000000000002',
      key: 'k',
      eTag: 'e',
      mimetype: 'image/png' as const,
      perceptualHash: null,
      edited: '',
    };
    const place = { shelves: [writer.fixedShelves.catalogue], width: 1, height: 1 };
    await writer.saveImages([{ row: { ...row, document: '{}' }, ...place }]);
    assert.equal(await counts(), 1);
    await writer[Symbol.asyncDispose]();
    assert.equal(await counts(), 1);

    await box.import([keyed(2), keyed(3, { categories: ['cats'] })]);
    assert.equal(await counts(), 3);
    const random = await service.get('/api/image/random?categories=cats');
    assert.equal(random.json.data.length, 2);

    // A category that loses its last image is empty.
    await box.import([keyed(1), keyed(3)]);
    assert.deepEqual((await service.get('/api/image/random?categories=cats')).json.data, []);
    assert.equal((await service.get('/api/image/random')).json.data.length, 3);
  });

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
    const commands = atDepth(3, 6);
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
