/** Importing a picture again repairs its damaged bytes. */
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sandbox } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

const damages: [string, (path: string) => void][] = [
  [
    'at equal size',
    (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
  ],
  ['by a truncation', (path) => truncateSync(path, 5)],
];

for (const [how, damage] of damages) {
  test(`repairs bytes damaged ${how}`, async () => {
    const box = sandbox();
    writeTiny(box.folder, '1.png', 1);
    const records = [{ type: 'image', file: '1.png', nsfw: 'sfw' }];
    await box.import(records);
    const before = filesIn(filesFolder(box.config));
    damage(join(filesFolder(box.config), before[0]?.split(' ')[0] ?? ''));
    assert.notDeepEqual(filesIn(filesFolder(box.config)), before);
    assert.equal((await runCommand(['check'], box.environment)).status, 1);
    await box.import(records);
    assert.deepEqual(filesIn(filesFolder(box.config)), before);
    assert.equal((await runCommand(['check'], box.environment)).status, 0);
  });
}
