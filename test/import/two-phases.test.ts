/** Other commands change the catalogue while an import reads its pictures, or it fails. */
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSnapshot, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { importStream, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { writeLines } from '../support/catalogues/lines.ts';
import { image, importTwoImages } from '../support/catalogues/two-images.ts';
import { filesIn } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

/** An import that has read and stored the pictures of its records, and waits for more input. */
async function prepareImport({ config, folder }: Sandbox, records: object[]) {
  const [isPrepared, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* lines() {
    // A record of another type makes the import store the pictures before it.
    const all = [...records, { type: 'artist', name: 'Last' }, { type: 'category', name: 'last' }];
    for (const record of all) yield Buffer.from(`${JSON.stringify(record)}\n`);
    isPrepared.resolve();
    await goOn.promise;
  }
  const importing = importStream(config, folder, lines, () => openWriter(config));
  await Promise.race([isPrepared.promise, importing]);
  return async () => {
    goOn.resolve();
    await importing;
  };
}

/** Every file in the storage belongs to an image, and every image has its file. */
async function assertConsistent({ config, environment }: Sandbox, images: number): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const rows = await Array.fromAsync(snapshot.images());
  assert.equal(rows.length, images);
  const names = filesIn(filesFolder(config)).map((line) => line.split(' ')[0]);
  assert.deepEqual(names, [...new Set(rows.map(({ key }) => key))].sort());
  assert.equal((await runCommand(['check', '--quiet'], environment)).output, 'no problems found\n');
}

async function remove({ environment }: Sandbox, ...parameters: string[]): Promise<void> {
  const { status, errors } = await runCommand(['remove', '--yes', ...parameters], environment);
  assert.equal(status, 0, errors);
}

await forEachEngineInDepth(async (engine) => {
  test('a removal does not wait for an import that reads pictures, and leaves its files alone', async () => {
    const box = await importTwoImages(engine);
    const finish = await prepareImport(box, [image(3, 3)]);
    await remove(box, uuid(4, 1));
    await finish();
    await assertConsistent(box, 2);
  });

  test('a picture that is taken down while an import prepares it is not imported', async () => {
    const box = await importTwoImages(engine);
    const finish = await prepareImport(box, [image(3, 1)]);
    await remove(box, uuid(4, 1));
    await finish();
    await assertConsistent(box, 1);
  });

  test('stores a picture again whose bytes were removed after the import had found them', async () => {
    const box = await importTwoImages(engine);
    const finish = await prepareImport(box, [image(3, 1)]);
    await remove(box, '--allow-again', uuid(4, 1));
    assert.equal(filesIn(filesFolder(box.config)).filter((line) => line.includes('.png')).length, 1);
    await finish();
    await assertConsistent(box, 2);
  });

  test('two imports of the same picture at once add one image', async () => {
    const box = await importTwoImages(engine);
    const picture = { type: 'image', file: '3.png', nsfw: 'sfw' };
    const [first, second] = [await prepareImport(box, [picture]), await prepareImport(box, [picture])];
    await second();
    await first();
    await assertConsistent(box, 3);
  });

  if (atDepth(engine !== sqlite, false)) return;
  test('check --repair leaves the files of a running import alone', async () => {
    const box = await importTwoImages(engine);
    const finish = await prepareImport(box, [image(3, 3)]);
    assert.equal((await runCommand(['check', '--repair', '--quiet'], box.environment)).status, 0);
    await finish();
    await assertConsistent(box, 3);
  });

  test('fails if such a picture has changed meanwhile, and leaves nothing behind', async () => {
    const box = await importTwoImages(engine);
    const finish = await prepareImport(box, [image(3, 1)]);
    await remove(box, '--allow-again', uuid(4, 1));
    writeTiny(box.folder, '1.png', 77);
    await assert.rejects(finish(), /changed while it was imported/);
    await assertConsistent(box, 1);
  });

  test('an import that fails keeps the bytes that another one has used meanwhile', async () => {
    const box = await importTwoImages(engine);
    const failing = await prepareImport(box, [image(3, 3), { type: 'image', file: 'none.png', nsfw: 'sfw' }]);
    const other = await prepareImport(box, [image(4, 3), image(5, 4)]);
    await assert.rejects(failing(), /nothing was imported/);
    await other();
    await assertConsistent(box, 4);
  });

  test('--skip-bad leaves no bytes of a picture whose record is invalid', async () => {
    const box = await importTwoImages(engine);
    const path = join(box.folder, 'bad.ndjson');
    writeFileSync(path, JSON.stringify({ ...image(3, 3), categories: ['missing'] }));
    const { status, output } = await runCommand(['import', '--quiet', '--skip-bad', path], box.environment);
    assert.equal(status, 1);
    assert.match(
      output,
      /^0 added.*\nskipped \(invalid\):\n {2}.*bad\.ndjson:1: there is no category "missing"/,
    );
    await assertConsistent(box, 2);
  });
});

// A failed import removes the files that it stored, and only those.

/** A catalogue file with three pictures, and one with an invalid record after them. */
function pictures() {
  const box = sandbox();
  const records = [1, 2, 3].map((index) => {
    writeTiny(box.folder, `${index}.png`, index);
    return { type: 'image', file: `${index}.png`, nsfw: 'sfw' };
  });
  const write = (name: string, lines: object[]) => {
    return writeLines(box.folder, name, lines);
  };
  const valid = write('valid.ndjson', records);
  const invalidRecords = [...records, { type: 'image', file: 'none.png', nsfw: 'sfw' }];
  const stored = () => filesIn(filesFolder(box.config));
  return { ...box, stored, valid, invalid: write('invalid.ndjson', invalidRecords), invalidRecords };
}

test('a failed import keeps a damaged file of an existing image, and the next import replaces it', async () => {
  const { config, stored, valid, invalid } = pictures();
  await importFiles(config, [valid]);
  const [first = ''] = stored();
  truncateSync(join(filesFolder(config), first.split(' ')[0] ?? ''), 5);
  await assert.rejects(importFiles(config, [invalid]), /nothing was imported/);
  assert.equal(stored().length, 3);
  await importFiles(config, [valid]);
  assert.ok(stored().includes(first));
});
