/** `zukan import --albums-from folders`. */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { testDeep } from '../support/depth.ts';
import { setClockAhead } from '../support/later.ts';
import { type Engine, forEachEngineInDepth } from '../support/servers/engines.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

function newFolder(engine: Engine) {
  const box = openMaintained(engine);
  /** The names of the files of each album. */
  const albums = async () => {
    const all = await box.records();
    const names = new Map(all.map(({ id, fileName }) => [id, fileName]));
    const ofType = all.filter(({ type }) => type === 'album');
    return Object.fromEntries(
      ofType.map(({ name, images = [] }) => [name, images.map((id: string) => names.get(id)).join(' ')]),
    );
  };
  const idOf = async (file: string) => (await box.records()).find(({ fileName }) => fileName === file).id;
  return { ...box, albums, idOf };
}

await forEachEngineInDepth(async (engine) => {
  test('folders become albums, and what an operator does to an album stays', async () => {
    const { write, ok, importFolder, albums, idOf } = newFolder(engine);
    for (const [at, name] of ['0.png', 'a/10.png', 'a/9.png', 'a/b/1.png', 'a/b/2.png', 'c/3.png'].entries())
      write(name, at);
    const made = { pictures: '0.png', a: '9.png 10.png', b: '1.png 2.png', c: '3.png' };
    assert.match(await importFolder('--dry-run', '--albums-from', 'folders'), /^added +album +b\n/m);
    assert.match(await importFolder('--albums-from', 'folders'), /\ncreated:\n(.*\n)* {2}album b\n/);
    assert.deepEqual(await albums(), made);
    // Removed, ordered, renamed, and removed as a whole.
    await ok('edit', await idOf('9.png'), '--remove-album', 'a');
    await ok('entry', 'album', 'b', '--images', await idOf('2.png'), await idOf('1.png'));
    await ok('entry', 'album', 'b', '--name', 'Beach');
    await ok('entry', 'album', 'c', '--remove');
    const decided = { pictures: '0.png', a: '10.png', Beach: '2.png 1.png' };
    await importFolder('--full');
    assert.deepEqual(await albums(), decided);
    for (const [at, name] of ['a/8.png', 'a/b/0.jpg.png', 'c/4.png', 'd/5.png'].entries())
      write(name, 10 + at);
    const again = await importFolder();
    assert.match(again, /\nas chosen before:\n {2}.*pictures: --albums-from folders\n/);
    assert.match(again, /\n {2}album Beach: images: \d+ → \d+ \(1 added\)\n/);
    assert.match(again, /\nalbums that lack images:\n {2}c: it was removed; .*\n/);
    assert.deepEqual(await albums(), {
      ...{ pictures: '0.png', a: '10.png 8.png', Beach: '2.png 1.png 0.jpg.png', d: '5.png' },
    });
    const [last] = JSON.parse(await ok('history', '--json'));
    await ok('undo', String(last.number));
    assert.deepEqual(await albums(), decided);
  });

  testDeep('folders that were imported before become albums', async () => {
    const { write, importFolder, albums } = newFolder(engine);
    for (const [at, name] of ['a/2.png', 'a/1.png', 'x/a/3.png', 'b/4.png'].entries()) write(name, at);
    await importFolder();
    assert.deepEqual(await albums(), {});
    assert.match(
      await importFolder('--dry-run', '--albums-from', 'folders'),
      /^0 added, 0 updated, 4 unchanged; entries: 2 added, 0 updated, 0 unchanged\n/m,
    );
    assert.deepEqual(await albums(), {});
    await importFolder('--albums-from', 'folders');
    const made = { a: '1.png 2.png 3.png', b: '4.png' };
    assert.deepEqual(await albums(), made, 'folders with the same name share an album');
    await importFolder('--albums-from', 'none');
    write('a/5.png', 5);
    write('c/6.png', 6);
    await importFolder();
    assert.deepEqual(await albums(), made);
    await importFolder('--albums-from', 'folders');
    assert.deepEqual(await albums(), { ...made, c: '6.png' });
  });

  testDeep('moved pictures and copies are in the albums of their folders', async () => {
    const { pictures, write, ok, importFolder, albums, idOf } = newFolder(engine);
    write('a/1.png', 1);
    write('a/2.png', 2);
    await importFolder('--albums-from', 'folders');
    write('b/copy of 2.png', 2);
    renameSync(join(pictures, 'a/1.png'), join(pictures, 'b/1.png'));
    await importFolder();
    assert.deepEqual(await albums(), { a: '1.png 2.png', b: '1.png 2.png' });
    // A file with another name is the same picture.
    await ok('edit', await idOf('2.png'), '--remove-album', 'b');
    renameSync(join(pictures, 'b/copy of 2.png'), join(pictures, 'b/another copy.png'));
    await importFolder();
    assert.deepEqual(await albums(), { a: '1.png 2.png', b: '1.png' });
  });

  testDeep('an album that cannot be made does not stop an import', async () => {
    const { write, ok, importFolder, albums } = newFolder(engine);
    write('0198c5a2-6c1b-7d1e-9a7f-0d5c8b2e4f61/1.png', 1);
    await importFolder('--albums-from', 'folders', '--folder-categories', 'none');
    write('blocked/2.png', 2);
    await ok('entry', 'album', 'blocked', '--block');
    assert.match(await importFolder('--albums-from', 'none', '--full'), /^1 added/m);
    const output = await importFolder('--albums-from', 'folders');
    assert.match(output, /\n {2}0198c5a2-.*: no album can have this name; rename the folder\n/);
    assert.match(output, /\n {2}blocked: the name is blocked\n/);
    assert.deepEqual(await albums(), {});
  });
});
