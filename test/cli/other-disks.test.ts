/** Folders on disks that treat files in another way than a healthy one of Linux. */
import assert from 'node:assert/strict';
import fs, { renameSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { ignoreCase } from '../support/ignore-case.ts';
import { setClockAhead } from '../support/later.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

await forEachEngineInDepth((engine) => {
  const testOnce = testOnOneStore(engine);
  test('on a disk that ignores case, a file is gone if it has another case by now', async (t) => {
    const { pictures, ok, find } = openMaintained(engine);
    t.after(ignoreCase(pictures));
    for (const path of ['IMG.png', 'Trip/1.png']) writeTiny(pictures, path, path.length);
    await ok('import', pictures);
    renameSync(join(pictures, 'IMG.png'), join(pictures, 'img.png'));
    writeTiny(pictures, 'img.png', 3);
    renameSync(join(pictures, 'Trip'), join(pictures, 'trip'));
    const output = await ok('import', '--prune', '--yes', pictures);
    assert.match(output, /^1 image whose files are gone:\n.*IMG\.png\n1 added/);
    assert.deepEqual((await find()).map(({ fileName }) => fileName).sort(), ['1.png', 'img.png']);
    assert.match(await ok('import', '--prune', '--yes', pictures), /^0 added.*, 0 removed/);
  });

  testOnce('files of a folder that a broken disk cannot list are not gone', async () => {
    const { pictures, ok, find } = openMaintained(engine);
    for (const path of ['1.png', 'trip/2.png']) writeTiny(pictures, path, path.length);
    await ok('import', pictures);
    const { readdir } = fs.promises;
    const broken = mock.method(fs.promises, 'readdir', (path: string, ...rest: never[]) =>
      path.endsWith('trip')
        ? Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))
        : readdir(path, ...rest),
    );
    syncBuiltinESMExports();
    try {
      assert.match(await ok('import', '--prune', '--yes', '--skip-bad', pictures), /, 0 removed\n/);
    } finally {
      broken.mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal((await find()).length, 2);
  });
});
