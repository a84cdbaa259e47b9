/** A failed import removes the files that it stored, and only those. */
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandbox } from '../support/catalogues/import.ts';
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
