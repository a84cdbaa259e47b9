/** Importing a folder again: files that did not change are not read, and `--prune` removes what is gone. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { setClockAhead } from '../support/later.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { type Engine, forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { runAnswering } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();
const later = () => mock.timers.setTime(Date.now() + 60_000);

function newFolder(engine: Engine) {
  const box = openMaintained(engine);
  /** Each image by its bytes, with its categories. */
  const images = async () => {
    await using snapshot = await openSnapshot(box.config);
    const rows = await Array.fromAsync(snapshot.images());
    return rows
      .map(({ key, document }) =>
        [key, ...readDocument(document).categories.map(({ name }) => name)].join(' '),
      )
      .map((line) => line.replace(/^\S+/, (key) => `picture ${pictureOf(key)}`))
      .sort();
  };
  const ratings = async () => {
    await using snapshot = await openSnapshot(box.config);
    return (await Array.fromAsync(snapshot.images())).map(({ document }) => readDocument(document).nsfw);
  };
  return { ...box, images, ratings };
}

/** The number of the tiny picture with the key. */
function pictureOf(key: string): number {
  return Array.from({ length: 20 }, (_, index) => hash('sha256', tinyPicture(index))).indexOf(
    key.slice(3, 67),
  );
}

const UNREAD = /not read again, because they did not change: (\d+) file/;
const unread = (output: string) => Number(UNREAD.exec(output)?.[1] ?? 0);

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);
  test('does not read files again that did not change', async () => {
    const { config, importFolder, write } = newFolder(engine);
    for (const index of [1, 2, 3]) write(`cats/${index}.png`, index);
    write('cats/1.json', '{"artist":"Ann"}');
    assert.match(await importFolder(), /^3 added, 0 updated, 0 unchanged; entries: 2 added/);
    // A picture that is read is stored again if its bytes are gone.
    const stored = filesFolder(config);
    rmSync(stored, { recursive: true });
    const again = await importFolder();
    assert.match(again, /^0 added, 0 updated, 3 unchanged\n/);
    assert.equal(unread(again), 3);
    assert.ok(!existsSync(stored) || filesIn(stored).length === 0);
    const full = await importFolder('--full');
    assert.match(full, /^0 added, 0 updated, 3 unchanged\n/);
    assert.equal(unread(full), 0);
    assert.equal(filesIn(stored).length, 3);
    assert.equal(unread(await importFolder()), 3, 'a full import counts too');
  });

  testOnce('reads a file again if it, its sidecars or the options changed', async () => {
    const { pictures, importFolder, images, write } = newFolder(engine);
    for (const index of [1, 2, 3]) write(`${index}.png`, index);
    await importFolder();
    assert.equal(unread(await importFolder()), 3);
    write('1.png.json', '{"categories":["new"]}');
    later();
    const first = await importFolder();
    assert.match(first, /^0 added, 1 updated, 2 unchanged; entries: 1 added/);
    assert.match(first, /\nchanged:\n {2}image 1\.png: categories: \(none\) → new\n/);
    write('1.png.json', '{"categories":["old"]}');
    unlinkSync(join(pictures, '2.png'));
    renameSync(join(pictures, '3.png'), join(pictures, '2.png'));
    later();
    assert.equal(unread(await importFolder()), 0);
    assert.deepEqual(await images(), ['picture 1 old', 'picture 2', 'picture 3']);
    assert.equal(unread(await importFolder()), 2);
    assert.equal(unread(await importFolder('--keep-location')), 0);
  });

  testOnce('reads a file again that was written just before it was imported', async () => {
    const { pictures, importFolder, write } = newFolder(engine);
    write('1.png', 1);
    const ctimeMs = Math.floor(statSync(join(pictures, '1.png')).ctimeMs);
    mock.timers.setTime(ctimeMs + 2000);
    await importFolder();
    assert.equal(unread(await importFolder()), 0);
    mock.timers.setTime(ctimeMs + 60_000);
    await importFolder();
    assert.equal(unread(await importFolder()), 1);
  });

  testOnce('the first of several copies counts, whether it is read or not', async () => {
    const { pictures, importFolder, images, ratings, write } = newFolder(engine);
    write('b/1.png', 1);
    write('c/1.png', 1);
    await importFolder();
    const again = await importFolder();
    assert.match(again, /^0 added, 0 updated, 1 unchanged\n/);
    assert.match(again, /c\/1\.png has the same bytes as .*b\/1\.png/);
    write('d/1.png', 1);
    later();
    assert.match(await importFolder(), /d\/1\.png has the same bytes as .*b\/1\.png/);
    assert.deepEqual(await images(), ['picture 1 b']);
    write('a/1.png', 1);
    write('a/1.json', '{"nsfw":"nsfw"}');
    later();
    assert.match(await importFolder(), /a\/1\.png has the same bytes as .*b\/1\.png/);
    assert.deepEqual(await images(), ['picture 1 b'], 'a new copy gives its image no details');
    assert.deepEqual(await ratings(), ['nsfw'], 'but a stricter rating');
    write('b/1.json', '{"nsfw":"sfw"}');
    later();
    const reread = await importFolder();
    assert.deepEqual(await ratings(), ['nsfw'], 'copies are read together with the file that counts');
    assert.doesNotMatch(reread, /rating lowered|nsfw: /);
    assert.match(await importFolder('--full'), /^0 added, 0 updated, 1 unchanged\n/);
    rmSync(join(pictures, 'a'), { recursive: true });
    rmSync(join(pictures, 'b'), { recursive: true });
    await importFolder();
    assert.deepEqual(await images(), ['picture 1 c'], 'the next copy counts when the first one is gone');
    assert.match(await importFolder(), /^0 added, 0 updated, 1 unchanged\n/);
  });

  test('--prune removes images whose files are gone or have other bytes', async () => {
    const { pictures, config, run, importFolder, images, write, tryImport } = newFolder(engine);
    for (let index = 0; index < 20; index++) write(`${index % 2}/${index}.png`, index);
    await importFolder();
    unlinkSync(join(pictures, '0/0.png'));
    mkdirSync(join(pictures, 'moved'));
    renameSync(join(pictures, '0/2.png'), join(pictures, 'moved/2.png'));
    write('0/4.png', tinyPicture(99));
    later();
    assert.match(
      await importFolder(),
      /^1 added, 1 updated, 17 unchanged; entries: 1 added/,
      'nothing is removed without --prune',
    );
    const dry = await importFolder('--prune', '--dry-run');
    assert.match(dry, /^2 images whose files are gone:\n {2}\S+ {2}.*0\/0\.png\n {2}\S+ {2}.*0\/4\.png\n/);
    assert.equal((await images()).length, 21);
    const output = await importFolder('--prune');
    assert.match(output, /^2 images whose files are gone:\n/);
    assert.match(output, /0 added, 0 updated, 19 unchanged, 2 removed\n/);
    const left = await images();
    assert.equal(left.length, 19);
    assert.ok(
      left.includes('picture 2 moved') && !left.includes('picture 0 0') && !left.includes('picture 4 0'),
    );
    assert.equal(filesIn(filesFolder(config)).length, 21, 'they are in the trash');
    assert.match((await run('trash', '--empty', '--yes')).output, /^deleted 2 images and 2 files for good\n/);
    assert.equal(filesIn(filesFolder(config)).length, 19);
    assert.equal((await tryImport('--prune')).output.includes('are gone'), false);
    // The bytes may come back.
    write('0/0.png', 0);
    assert.match(await importFolder(), /^1 added/);
  });

  testOnce('--prune keeps images that another folder provides, and asks before it removes much', async () => {
    const { folder, pictures, run, importFolder, images, write, tryImport } = newFolder(engine);
    const other = join(folder, 'other');
    for (let index = 0; index < 10; index++) write(`${index}.png`, index);
    writeTiny(other, '0.png', 0);
    await importFolder();
    assert.equal((await run('import', '--quiet', other)).status, 0);
    for (const index of [0, 1]) unlinkSync(join(pictures, `${index}.png`));
    assert.match(await importFolder('--prune'), /^1 image /);
    assert.equal((await images()).length, 9);
    for (const index of [2, 3]) unlinkSync(join(pictures, `${index}.png`));
    const refused = await tryImport('--prune', '--strict');
    assert.equal(refused.status, 1);
    assert.match(refused.output, /2\.png\n.*3\.png\n$/);
    assert.match(
      refused.errors,
      /nothing was changed: --prune would remove 2 of 9 images, more than a tenth\. Use --yes/,
    );
    assert.equal((await images()).length, 9);
    write('new.png', 20);
    const unasked = await tryImport('--prune');
    assert.equal(unasked.status, 1);
    assert.match(unasked.errors, /removed nothing: .* import with --prune --yes\.\n/);
    assert.match(unasked.output, /\n1 added, .*, 0 removed\n/);
    for (const flags of [['--yes'], ['--yes', '--watch']]) {
      const useless = await tryImport(...flags);
      assert.equal(useless.status, 2);
      assert.match(useless.errors, /--yes confirms what --prune removes; add --prune/);
    }
    assert.match(await importFolder('--prune', '--yes'), /2 removed\n/);
  });

  testOnce('--prune does not take an empty folder for one whose pictures were deleted', async () => {
    const { folder, pictures, run, importFolder, images, write, tryImport } = newFolder(engine);
    const many = join(folder, 'many');
    for (let index = 0; index < 12; index++) writeTiny(many, `${index}.png`, index);
    assert.equal((await run('import', '--quiet', many)).status, 0);
    write('a/13.png', 13);
    await importFolder();
    renameSync(join(pictures, 'a'), join(folder, 'unmounted'));
    const { status, errors } = await tryImport('--prune', '--strict');
    assert.equal(status, 1);
    assert.match(errors, /pictures contains no pictures\. Is its disk mounted\?/);
    assert.equal((await images()).length, 13);
    assert.match(await importFolder('--prune', '--yes'), /1 removed\n/);
  });

  testOnce('--prune keeps images whose files are skipped', async () => {
    const { pictures, run, importFolder, images, write, tryImport } = newFolder(engine);
    write('a.png', 1);
    await importFolder();
    const [id = ''] = (await run('find')).output.split('\n');
    await run('edit', id, '--rating', 'nsfw');
    mkdirSync(join(pictures, 'moved'));
    renameSync(join(pictures, 'a.png'), join(pictures, 'moved/b.png'));
    write('moved/b.json', '{"artist":');
    later();
    assert.match((await tryImport('--prune', '--yes')).output, /^0 added, 0 updated, 0 unchanged, 0 removed/);
    unlinkSync(join(pictures, 'moved/b.json'));
    assert.match(
      await importFolder('--prune'),
      /^0 added, 1 updated, 0 unchanged, 0 removed; entries: 1 added/,
    );
    // Its bytes are damaged at its place.
    write('moved/b.png', tinyPicture(1).subarray(0, 60));
    later();
    assert.match((await tryImport('--prune', '--yes')).output, /, 0 removed/);
    assert.deepEqual(await images(), ['picture 1 moved']);
    assert.match((await run('find', '--edited')).output, new RegExp(`^${id}\n`));
  });

  testOnce('--prune asks on a terminal', async () => {
    const { pictures, environment, importFolder, images, write } = newFolder(engine);
    for (const index of [1, 2, 3]) write(`${index}.png`, index);
    await importFolder();
    for (const index of [1, 2]) unlinkSync(join(pictures, `${index}.png`));
    const importAnswering = (answer: string) =>
      runAnswering(answer, ['import', '--prune', '--quiet', pictures], environment);
    for (const answer of ['\n', 'no\n', '\u0004'])
      assert.match((await importAnswering(answer)).errors, /nothing was changed: .* 2 of 3 images/);
    assert.match((await importAnswering('\u0003')).errors, /interrupted; nothing was imported/);
    assert.equal((await images()).length, 3);
    assert.match((await importAnswering('y\n')).output, /2 removed\n/);
  });
});
