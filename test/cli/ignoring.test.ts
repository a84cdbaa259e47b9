/** What an import of a folder leaves alone: junk, rules, and thumbnails of pictures that are there. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { setClockAhead } from '../support/later.ts';
import { paint } from '../support/pictures/painting.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

await forEachEngineInDepth(async (engine) => {
  function newFolder() {
    const box = openMaintained(engine);
    /** The categories and the width of each image, in the order of imports. */
    const images = async () => {
      await using snapshot = await openSnapshot(box.config);
      const documents = (await Array.fromAsync(snapshot.images())).map(({ document }) =>
        readDocument(document),
      );
      return documents.map(({ categories, meta }) =>
        [...categories.map(({ name }) => name), meta.dimens.width].join(' '),
      );
    };
    return { ...box, images };
  }

  test('the files of the catalogue itself are not imported', async () => {
    const { pictures, environment, write } = newFolder();
    write('a.png', 1);
    const DATA_DIR = join(pictures, 'my *data?');
    const run = (path: string) => runCommand(['import', '--quiet', path], { ...environment, DATA_DIR });
    assert.match((await run(pictures)).output, /^1 added/m);
    const { output } = await run(pictures);
    assert.match(output, /^0 added, 0 updated, 1 unchanged/);
    assert.doesNotMatch(output, /created:/);
    const refused = await run(join(DATA_DIR, 'files'));
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /is inside the folder of the image files; choose another folder/);
  });

  test('junk is counted and not looked at', async () => {
    const { write, importFolder, images } = newFolder();
    write('a.png', 1);
    for (const folder of [
      '@eaDir/b.png',
      '#recycle',
      '$RECYCLE.BIN',
      'x/.thumbnails',
      'lost+found',
      '__MACOSX',
    ])
      write(`${folder}/c.png`, 2);
    write('x/._a.png', 'not a picture');
    write('x/Thumbs.db', 'not a picture');
    write('x/notes.doc', 'a file that nobody knows');
    const output = await importFolder();
    assert.match(output, /^1 added, 0 updated, 0 unchanged\n/);
    assert.match(
      output,
      /\nskipped \(not images\):\n.*notes\.doc\nignored files and folders: 8 hidden or of the system\n$/,
    );
    assert.deepEqual(await images(), ['4']);
  });

  test('--exclude and .zukanignore leave files and folders out, and --prune takes them for deleted', async () => {
    const { pictures, write, tryImport, importFolder, images } = newFolder();
    for (const [at, name] of ['a.png', 'b/c.png', 'b/raw/d.png', 'b/raw/e.png', 'f.png'].entries())
      write(name, at + 1);
    write('b/.zukanignore', '# my raw files\nraw/*\n!e.png\n');
    write('b/raw/e.txt', 'red, blue');
    const output = await importFolder('--exclude', 'f*', '--exclude=*.txt');
    assert.match(output, /\nignored files and folders: 3 by --exclude or \.zukanignore\n/);
    assert.deepEqual(await images(), ['4', 'b 4', 'b raw 4'], 'an excluded sidecar is not read');
    write('b/raw/.zukanignore', 'e.png');
    const refused = await tryImport('--prune', '--strict', '--exclude', 'f*');
    assert.match(refused.errors, /would remove 1 of 3 images/);
    assert.match(refused.output, /e\.png\n$/);
    assert.match(
      await importFolder('--prune', '--yes', '--exclude', 'f*'),
      /0 updated, 2 unchanged, 1 removed\n/,
    );
    write('b/.zukanignore', '*\n'.repeat(1001));
    const { status, errors } = await tryImport('--strict', '--exclude', 'f*');
    assert.equal(status, 1);
    assert.ok(errors.includes(`${join(pictures, 'b/.zukanignore')}: more than 1000 rules\n`), errors);
    assert.match((await tryImport('--prune')).output, /^0 added, 0 updated, 1 unchanged, 0 removed\n/);
    assert.equal((await tryImport('--exclude', 'a'.repeat(1001))).status, 2);
  });

  test('a thumbnail of a picture is skipped, and not read again', async () => {
    const { pictures, write, importFolder, images } = newFolder();
    const fox = paint(3, 300, 200);
    write('trip/fox.png', await fox().png().toBuffer());
    write('trip/small/fox.jpg', await fox().resize(120).jpeg().toBuffer());
    write('trip/fox-150x100.jpg', await fox().resize(150).jpeg().toBuffer());
    write('cache/fox.jpg', await fox().resize(100).jpeg().toBuffer());
    write('cache/other.jpg', await paint(4, 100, 100)().jpeg().toBuffer());
    write('nsfw/thumbs/fox.jpg', await fox().resize(90).jpeg().toBuffer());
    const skipped =
      /\nskipped \(thumbnails\):\n {2}.*cache\/fox\.jpg is a thumbnail of .*\/fox\.png\n {2}.*fox-150x100\.jpg is .*\n(?! )/;
    const output = await importFolder();
    assert.match(output, skipped);
    const expected = ['trip 300', 'small trip 120', 'cache 100', 'nsfw thumbs 90'];
    assert.deepEqual(await images(), expected, 'no name of a thumbnail, another look, a stricter rating');
    assert.match(
      output,
      /\nimported, but look alike:\n {2}.*small\/fox\.jpg .*\n {2}.*nsfw\/thumbs\/fox\.jpg /,
    );
    const again = await importFolder();
    assert.match(again, skipped);
    assert.match(again, /^0 added, 0 updated, 4 unchanged\nnot read again, .*: 4 files/);
    rmSync(join(pictures, 'trip/fox.png'));
    await importFolder('--prune', '--yes');
    await importFolder('--exclude', 'small');
    assert.deepEqual((await images()).length, 5, 'a thumbnail whose original is gone is all that there is');
  });

  test('a thumbnail never shows what was removed, nor is it rated less strictly than its original was', async () => {
    const { pictures, write, importFolder, find, ok, run } = newFolder();
    for (const [index, name] of ['pruned', 'removed', 'trashed'].entries()) {
      const picture = paint(3 + index, 300, 200);
      write(`${name}.png`, await picture().png().toBuffer());
      write(`${name}-150x100.jpg`, await picture().resize(150).jpeg().toBuffer());
    }
    await importFolder('--default-rating', 'nsfw');
    const idOf = async (name: string) => (await find('--file', `${name}.png`))[0]?.id ?? '';
    await ok('remove', '--yes', await idOf('removed'));
    await ok('trash', await idOf('trashed'));
    rmSync(join(pictures, 'pruned.png'));
    await importFolder('--prune', '--yes', '--default-rating', 'sfw');
    for (const flags of [[], ['--full']]) {
      await importFolder(...flags);
      const left = (await find()).map(({ fileName, rating }) => [fileName, rating]);
      assert.deepEqual(left, [['pruned-150x100.jpg', 'nsfw']]);
    }
    assert.equal((await run('check')).output, 'no problems found\n');
  });

  test('a copy of a thumbnail is a thumbnail, too', async () => {
    const { write, importFolder } = newFolder();
    const fox = paint(3, 300, 200);
    write('fox.png', await fox().png().toBuffer());
    const small = await fox().resize(90).jpeg().toBuffer();
    write('cache/fox.jpg', small);
    write('thumbs/fox.jpg', small);
    await importFolder();
    const again = await importFolder();
    assert.match(again, /did not change: 1 file /);
    assert.match(
      again,
      /skipped \(thumbnails\):\n {2}.*cache\/fox.jpg is .*\n {2}.*thumbs\/fox.jpg is a thumbnail of .*fox\.png\n/,
    );
  });

  test('the original of a thumbnail may be in a later folder of the command', async () => {
    const { pictures, environment, write, images } = newFolder();
    const fox = paint(3, 300, 200);
    write('a/thumbs/fox.jpg', await fox().resize(100).jpeg().toBuffer());
    write('a/cache/same.png', 7);
    // What comes before it is saved first.
    write('between.ndjson', '{"type":"category","name":"sea"}');
    write('b/fox.png', await fox().png().toBuffer());
    write('b/trip/same.png', 7);
    const sources = ['a', 'between.ndjson', 'b'].map((name) => join(pictures, name));
    const { status, output, errors } = await runCommand(['import', '--quiet', ...sources], environment);
    assert.equal(status, 0, errors);
    assert.match(
      output,
      /skipped \(duplicates\):\n {2}.*a\/cache\/same\.png has the same bytes as .*b\/trip\/same/,
    );
    assert.match(output, /skipped \(thumbnails\):\n {2}.*thumbs\/fox\.jpg is a thumbnail of .*b\/fox\.png\n/);
    assert.deepEqual((await images()).sort(), ['300', 'trip 4']);
  });

  test('of the same bytes, a copy that is not in a folder for thumbnails counts', async () => {
    const { write, importFolder, images } = newFolder();
    write('cache/a.png', 1);
    write('trip/a.png', 1);
    assert.match(await importFolder(), /cache\/a\.png has the same bytes as .*trip\/a\.png\n/);
    write('cache/b.png', 2);
    await importFolder();
    assert.deepEqual(await images(), ['trip 4', 'cache 4']);
    write('trip/b.png', 2);
    await importFolder();
    assert.deepEqual(await images(), ['trip 4', 'trip 4'], 'also if it is added later');
    assert.match(await importFolder(), /^0 added, 0 updated, 2 unchanged\n/);
  });
});
