/** Folders on disks that treat files in another way than a healthy one of Linux. */
import assert from 'node:assert/strict';
import fs, { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { ignoreCase } from '../support/ignore-case.ts';
import { setClockAhead } from '../support/later.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';

const FORMS = ['NFC', 'NFD'] as const;
const otherForm = (form: (typeof FORMS)[number]) => (form === 'NFC' ? 'NFD' : 'NFC');

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
    const { pictures, ok, run, find } = openMaintained(engine);
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
      assert.match((await run('import', '--prune', '--yes', pictures)).output, /, 0 removed\n/);
    } finally {
      broken.mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal((await find()).length, 2);
  });

  test('a sidecar counts, whatever the form of its name', async () => {
    const { pictures, ok, find } = openMaintained(engine);
    const long = `${'é'.repeat(50)}.png`;
    let index = 0;
    for (const form of FORMS) {
      const other = otherForm(form);
      const add = (name: string, sidecar: string, content = '{"nsfw":"nsfw"}') => {
        const folder = join(pictures, String(index++), 'é'.normalize(form));
        writeTiny(folder, name.normalize(form), index);
        mkdirSync(join(folder, '.photoprism'));
        writeFileSync(join(folder, sidecar.normalize(other)), content);
      };
      for (const sidecar of ['é.json', 'é.png.json', 'É.JSON', 'é.png.supplemental-metadata.json'])
        add('é.png', sidecar);
      add('é.png', 'é.txt', 'rating:explicit');
      add('é.png', '.photoprism/é.yml', 'UID: p\nType: image\nDetails:\n  Keywords: nsfw\n');
      for (const cut of FORMS) add(long, `${long.normalize(cut).slice(0, 46)}.json`);
      // Both forms of a sidecar are about the picture, and so is the stricter one.
      add('é.png', 'é.json', '{"nsfw":"sfw"}');
      writeFileSync(
        join(pictures, String(index - 1), 'é'.normalize(form), 'é.json'.normalize(form)),
        '{"nsfw":"nsfw"}',
      );
    }
    await ok('import', pictures);
    assert.deepEqual(
      (await find()).flatMap(({ rating, path }) => (rating === 'nsfw' ? [] : path)),
      [],
    );
  });

  test('a folder that is copied to a disk with the other form is the same one', async () => {
    const { pictures, folder, ok, find } = openMaintained(engine);
    const root = (form: string) => join(pictures, 'Küche'.normalize(form));
    for (const form of FORMS) {
      writeTiny(root('NFD'), `${form}/é.png`.normalize('NFD'), FORMS.indexOf(form));
      writeTiny(root('NFD'), `${form}/à.png`.normalize('NFD'), 10 + FORMS.indexOf(form));
    }
    await ok('import', '--exclude', 'NFC/é.png', '--default-rating', 'nsfw', root('NFD'));
    const before = await find();
    assert.equal(before.length, 3);
    const copy = join(folder, 'copy');
    renameSync(root('NFD'), copy);
    for (const form of FORMS)
      for (const name of ['é.png', 'à.png'])
        renameSync(join(copy, form, name.normalize('NFD')), join(copy, form, name));
    renameSync(copy, root('NFC'));
    writeTiny(root('NFC'), 'new.png', 20);
    const output = await ok('import', '--prune', '--yes', root('NFC'));
    assert.match(output, /^1 added, 0 updated, 3 unchanged, 0 removed\n/);
    assert.deepEqual(
      (await find()).map(({ rating }) => rating),
      Array(4).fill('nsfw'),
      'choices stay, too',
    );
    assert.match(await ok('import', root('NFC')), /did not change: 4 files/);
    assert.match(
      await ok('import', '--full', '--exclude', 'NFD/à.png', '--prune', '--yes', root('NFC')),
      /1 removed/,
    );
    assert.equal((await find('--file', 'NFC/à.png'.normalize('NFD'))).length, 1);
  });

  test('a catalogue file names files in either form', async () => {
    const { folder, pictures, ok, find } = openMaintained(engine);
    const lines = FORMS.flatMap((form, index) => {
      writeTiny(pictures, `${index}/é.png`.normalize(form), index);
      const file = `pictures/${index}/é.png`;
      return [
        { type: 'image', file: file.normalize(otherForm(form)), nsfw: 'sfw' },
        { type: 'album', name: `${index}`, images: [file.normalize(form)] },
      ];
    });
    const path = join(folder, 'catalogue.ndjson');
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    await ok('import', path);
    assert.equal((await find('--album', '0')).length + (await find('--album', '1')).length, 2);
  });

  test('two files with one name are no pictures, because nobody knows which one is meant', async () => {
    const { pictures, ok, run, find } = openMaintained(engine);
    writeTiny(pictures, 'é.png'.normalize('NFD'), 1);
    writeTiny(pictures, 'à/1.png', 2);
    writeTiny(pictures, '3.png', 3);
    await ok('import', pictures);
    writeTiny(pictures, 'é.png', 4);
    writeTiny(pictures, 'à/1.png'.normalize('NFD'), 5);
    const { status, errors } = await run('import', '--strict', pictures);
    assert.equal(status, 1);
    assert.equal(
      errors.match(/: has the name of another file or folder here, in another form of Unicode/g)?.length,
      4,
    );
    const before = await find();
    rmSync(join(pictures, '3.png'));
    const { errors: doubt } = await run('import', '--prune', pictures);
    assert.match(doubt, /removed nothing: .* cannot be read, so some of them may still be there/);
    assert.deepEqual(await find(), before);
    rmSync(join(pictures, 'é.png'.normalize('NFD')));
    rmSync(join(pictures, 'à'.normalize('NFD')), { recursive: true });
    assert.match(
      await ok('import', '--prune', '--yes', pictures),
      /^2 images .*1 added, 0 updated, 1 unchanged, 2 removed\n/s,
    );
  });
});
