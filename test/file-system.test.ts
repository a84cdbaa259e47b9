/** What the file system modules of Node lack. */
import assert from 'node:assert/strict';
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, win32 } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { globMatcher } from '../src/changes/images.ts';
import { flush, portablePath } from '../src/lib/file-system.ts';
import { temporaryFolder } from './support/workspace.ts';

test('a portable path has no name that Windows reserves or changes', () => {
  const paths = {
    'ab/cd-1 (2).png': 'ab/cd-1 (2).png',
    'コン/con1.png': 'コン/con1.png',
    'CON/nul.tar.gz': '%43ON/%6Eul.tar.gz',
    'lpt9 .txt/COM¹': '%6Cpt9 .txt/%43OM¹',
    'a:b/c?.png': 'a%3Ab/c%3F.png',
    'dot./space /..x': 'dot%2E/space%20/..x',
    '100%.png': '100%25.png',
  };
  for (const [path, portable] of Object.entries(paths)) assert.equal(portablePath(path), portable);
});

test('no two paths become the same portable path', () => {
  const path = fc.string({ unit: fc.constantFrom(...'conNUL1:?%. /3A') });
  fc.assert(fc.property(path, (path) => assert.equal(decodeURIComponent(portablePath(path)), path)));
});

test('a folder is flushed where its disk can, a file must be', async (t) => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { open } = fs.promises;
  for (const code of ['EINVAL', 'ENOTSUP', 'EPERM', 'EIO']) {
    const broken = t.mock.method(fs.promises, 'open', async (path: string, flags: string) => {
      const handle = await open(path, flags);
      handle.sync = () => Promise.reject(Object.assign(new Error(code), { code }));
      return handle;
    });
    syncBuiltinESMExports();
    try {
      await assert.rejects(flush(file), { code });
      await (code === 'EIO' ? assert.rejects(flush(folder), { code }) : flush(folder));
    } finally {
      broken.mock.restore();
      syncBuiltinESMExports();
    }
  }
});

test('on Windows, a backslash in a glob separates folders', () => {
  const file = { folder: 'C:\\pictures', path: 'Foxes\\1.jpg' };
  for (const glob of [
    'Foxes\\*.jpg',
    'Foxes/*.jpg',
    '*.jpg',
    'C:\\pictures\\**\\*.jpg',
    'C:/pictures/*/1.jpg',
  ])
    assert.ok(globMatcher(glob, win32)(file), glob);
  assert.ok(!globMatcher('Cats\\*.jpg', win32)(file));
});
