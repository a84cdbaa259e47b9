/** A failed import removes the files that it stored, and only those. */
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noLooks } from '../../src/import/plan/looks.ts';
import { runImport } from '../../src/import/run.ts';
import { catalogueFile } from '../../src/import/sources/source.ts';
import { newId } from '../../src/lib/random.ts';
import { createCatalogue, openFiles, openSnapshot, openWriter } from '../../src/server/engines.ts';
import { noReport, sandbox } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { filesFolder } from '../support/zukan/service.ts';

/** A catalogue file with three pictures, and one with an invalid record after them. */
function pictures() {
  const box = sandbox();
  const records = [1, 2, 3].map((index) => {
    writeTiny(box.folder, `${index}.png`, index);
    return { type: 'image', file: `${index}.png`, nsfw: 'sfw' };
  });
  const write = (name: string, lines: object[]) => {
    const path = join(box.folder, name);
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    return path;
  };
  const valid = write('valid.ndjson', records);
  const invalidRecords = [...records, { type: 'image', file: 'none.png', nsfw: 'sfw' }];
  const stored = () => filesIn(filesFolder(box.config));
  return { ...box, stored, valid, invalid: write('invalid.ndjson', invalidRecords), invalidRecords };
}

test('removes the files of a failed import', async () => {
  const { config, stored, invalid } = pictures();
  await assert.rejects(importFiles(config, [invalid]), /none\.png: no such file/);
  assert.deepEqual(stored(), []);
});

test('keeps files that another import uses by the time a failed one cleans up', async () => {
  const { config, folder, stored, valid, invalidRecords } = pictures();
  await createCatalogue(config);
  const lines = async function* () {
    for (const record of invalidRecords) yield Buffer.from(`${JSON.stringify(record)}\n`);
  };
  let openings = 0;
  const openSecondWriterLate = async () => {
    openings++;
    // The first writer is for the import, the second one for its cleanup.
    if (openings === 2) assert.equal((await importFiles(config, [valid])).added, 3);
    return openWriter(config);
  };
  const failing = runImport([catalogueFile('failing', folder, lines)], openSecondWriterLate, {
    files: openFiles(config),
    defaults: () => ({ now: '2026-01-01T00:00:00.000Z', newId: () => newId() }),
    concurrency: 2,
    thumbnailSizes: [],
    isDryRun: false,
    isFull: false,
    keepsLocation: false,
    onProgress: () => {},
    warn: assert.fail,
    stopsAt: 'any',
    run: { source: '' },
    report: noReport,
    looks: noLooks,
    choices: [],
    albumFolders: [],
    listsAll: false,
    signal: new AbortController().signal,
  });
  await assert.rejects(failing, /nothing was imported/);
  assert.equal(openings, 2);
  await using snapshot = await openSnapshot(config);
  const images = await Array.fromAsync(snapshot.images());
  const names = stored().map((line) => line.split(' ')[0]);
  assert.deepEqual(names, images.map(({ key }) => key).sort());
});

test('keeps a damaged file of an existing image, and the next import replaces it', async () => {
  const { config, stored, valid, invalid } = pictures();
  await importFiles(config, [valid]);
  const [first = ''] = stored();
  truncateSync(join(filesFolder(config), first.split(' ')[0] ?? ''), 5);
  await assert.rejects(importFiles(config, [invalid]), /nothing was imported/);
  assert.equal(stored().length, 3);
  await importFiles(config, [valid]);
  assert.ok(stored().includes(first));
});
