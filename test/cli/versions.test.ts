/** Pictures of a folder that another program edits where they are: a file with other bytes is another version, or another picture. */
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn, shelfProblems } from '../support/checks/dump.ts';
import { setClockAhead } from '../support/later.ts';
import { paint } from '../support/pictures/painting.ts';
import { type Engine, forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

const [width, height] = [96, 64];
const painting = paint(1, width, height);
const jpeg = await painting().jpeg().toBuffer();
const comment = (text: string, bytes = jpeg) =>
  Buffer.concat([
    bytes.subarray(0, 2),
    Buffer.from([0xff, 0xfe, 0, text.length + 2]),
    Buffer.from(text),
    bytes.subarray(2),
  ]);
const bar = { create: { width: 30, height: 8, channels: 3, background: 'black' } } as const;
const versions: Record<string, Buffer> = {
  'a caption': comment('a fox'),
  'less quality': await painting().jpeg({ quality: 40 }).toBuffer(),
  'a crop': await painting().extract({ left: 2, top: 2, width: 92, height: 60 }).jpeg().toBuffer(),
  'a black bar': await painting()
    .composite([{ input: bar, left: 40, top: 30 }])
    .jpeg()
    .toBuffer(),
};
const different = await paint(2, width, height)().jpeg().toBuffer();
const others: Record<string, Buffer> = {
  'a rotation': await painting().rotate(90).jpeg().toBuffer(),
  'a third cropped away': await painting().extract({ left: 32, top: 0, width: 64, height }).jpeg().toBuffer(),
  'another picture': different,
};
const marked = await painting().withXmp(xmp('nsfw')).jpeg().toBuffer();

function xmp(keyword: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>${keyword}</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`;
}

function openFolder(engine: Engine) {
  const box = openMaintained(engine);
  const only = async () => {
    const [image, ...more] = await box.find();
    assert.ok(image && more.length === 0);
    return image;
  };
  const history = async (): Promise<{ number: number; summary: string }[]> =>
    JSON.parse(await box.ok('history', '--json'));
  return { ...box, only, history };
}

/** With one picture that was rated and titled by hand. */
async function openRated(engine: Engine) {
  const box = openFolder(engine);
  box.write('a.jpg', jpeg);
  await box.importFolder('--albums-from', 'folders');
  const { id } = await box.only();
  await box.ok('edit', id, '--rating', 'nsfw', '--title', 'A fox', '--add-category', 'cats', '--create');
  return { ...box, id };
}

await forEachEngineInDepth((engine) => {
  test('a version that looks alike is the same image, and everything decided stays', async () => {
    const { write, importFolder, only, ok, id, history, config } = await openRated(engine);
    const before = await only();
    assert.equal(await ok('find', '--changed-since-rated'), '');
    assert.equal(await ok('find', '--not-rated'), '');
    await ok('edit', id, '--reset', 'rating');
    assert.equal((await ok('find', '--not-rated')).trim(), id);
    await ok('edit', id, '--rating', 'nsfw');
    for (const [name, bytes] of Object.entries(versions)) {
      write('a.jpg', bytes);
      const dry = await importFolder('--dry-run', '--prune');
      assert.match(dry, /: 0 added, 1 updated|0 added, 1 updated, 0 unchanged, 0 removed\n/, name);
      assert.match(dry, /image a\.jpg: .*file: /);
      assert.match(await importFolder('--prune'), /^0 added, 1 updated, 0 unchanged, 0 removed\n/, name);
      assert.deepEqual(await only(), { ...before, edited: [...before.edited, 'file-changed'] }, name);
      assert.match((await history())[0]?.summary ?? '', /1 image changed/);
      assert.match(await importFolder('--full', '--prune'), /^0 added, 0 updated, 1 unchanged, 0 removed\n/);
    }
    assert.equal(JSON.parse(await ok('find', '--album', 'pictures', '--json')).length, 1);
    assert.equal((await ok('find', '--changed-since-rated')).trim(), id);
    await ok('edit', id, '--rating', 'sfw');
    assert.equal(await ok('find', '--changed-since-rated'), '');
    assert.deepEqual(shelfProblems(config), []);
    assert.equal(await ok('check'), 'no problems found\n');
  });

  test('another picture at the same path is a new image with the stricter rating', async () => {
    for (const [name, bytes] of Object.entries(others)) {
      const { write, importFolder, find, id } = await openRated(engine);
      write('a.jpg', bytes);
      assert.match(await importFolder(), /^1 added, /, name);
      const [added, former] = await find();
      assert.equal(former?.id, id);
      assert.deepEqual([added?.rating, added?.title, added?.categories], ['nsfw', 'a', []], name);
      assert.match(await importFolder('--full', '--prune', '--yes'), /, 1 removed\n/, name);
      assert.deepEqual(
        (await find('--changed-since-rated')).map(({ id }) => id),
        [added?.id],
        name,
      );
    }
  });

  test('no rating becomes milder than what the file had before and what it states itself', async () => {
    const { write, importFolder, find, ok } = openFolder(engine);
    const cases = [true, false].flatMap((isByHand) =>
      [jpeg, different].flatMap((bytes) => [
        { isByHand, before: 'nsfw', stated: 'sfw', bytes, after: 'nsfw' },
        { isByHand, before: 'sfw', stated: 'questionable', bytes, after: 'questionable' },
        { isByHand, before: 'sfw', stated: undefined, bytes: marked, after: 'nsfw' },
      ]),
    );
    const state = (index: number, nsfw?: string) => write(`${index}.json`, { nsfw });
    for (const [index, { isByHand, before }] of cases.entries()) {
      write(`${index}.jpg`, comment(`${index} before`));
      state(index, isByHand ? undefined : before);
    }
    await importFolder();
    const named = async (index: number) => (await find()).find(({ fileName }) => fileName === `${index}.jpg`);
    for (const [index, { isByHand, before }] of cases.entries())
      if (isByHand) await ok('edit', (await named(index))?.id ?? '', '--rating', before);
    for (const [index, { bytes, stated }] of cases.entries()) {
      write(`${index}.jpg`, comment(`${index} after`, bytes));
      state(index, stated);
    }
    for (const flag of ['--prune', '--full']) {
      await importFolder(flag, ...(flag === '--prune' ? ['--yes'] : []));
      const images = await find();
      assert.deepEqual(
        cases.map((_, index) => images.find(({ fileName }) => fileName === `${index}.jpg`)?.rating),
        cases.map(({ after }) => after),
      );
    }
  });

  test('a library that is converted keeps its images', async () => {
    const { write, pictures, importFolder, find, ok } = openFolder(engine);
    write('a.PNG', await painting().png().toBuffer());
    write('b.png', await paint(2, width, height)().png().toBuffer());
    write('c.png', await paint(3, width, height)().png().toBuffer());
    await importFolder();
    const before = await find();
    await ok('edit', before.find(({ fileName }) => fileName === 'a.PNG')?.id ?? '', '--rating', 'nsfw');
    write('a.webp', await painting().webp().toBuffer());
    write('b.webp', await paint(4, width, height)().webp().toBuffer());
    // Its original is still there.
    write('c.webp', await paint(3, width, height)().webp().toBuffer());
    for (const name of ['a.PNG', 'b.png']) rmSync(join(pictures, name));
    assert.match(
      await importFolder('--prune', '--yes'),
      /^1 image whose files are gone:\n.*b\.png\n2 added, 1 updated, 1 unchanged, 1 removed/,
    );
    const after = new Map((await find()).map((image) => [image.fileName, image]));
    for (const [name, former] of [
      ['a.webp', 'a.PNG'],
      ['c.png', 'c.png'],
    ] as const)
      assert.equal(after.get(name)?.id, before.find(({ fileName }) => fileName === former)?.id);
    assert.deepEqual(
      ['a.webp', 'b.webp', 'c.webp'].map((name) => after.get(name)?.rating),
      ['nsfw', 'sfw', 'sfw'],
    );
    assert.match(await importFolder('--prune', '--yes'), /^0 added, 0 updated, 4 unchanged, 0 removed/);
  });

  test('pictures of other types that do not look alike are new images with the stricter rating', async () => {
    const { write, importFolder, pictures, find, ok, only } = openFolder(engine);
    write('a.png', await painting().png().toBuffer());
    await importFolder();
    const { id } = await only();
    await ok('edit', id, '--rating', 'nsfw');
    rmSync(join(pictures, 'a.png'));
    write('a.jpg', others['a third cropped away'] as Buffer);
    write('a.webp', await paint(2, width, height)().webp().toBuffer());
    assert.match(await importFolder(), /^2 added, 0 updated/);
    assert.deepEqual(
      (await find()).map(({ rating }) => rating),
      ['nsfw', 'nsfw', 'nsfw'],
    );
    await importFolder('--full');
    assert.equal((await find('--rating', 'nsfw')).length, 3);
  });

  test('files that changed places, and those that have copies, are recognised by their bytes', async () => {
    const { write, pictures, importFolder, find, ok } = openFolder(engine);
    write('a.jpg', jpeg);
    write('b.jpg', versions['a black bar'] as Buffer);
    await importFolder();
    const idOf = async (name: string) => (await find()).find(({ fileName }) => fileName === name)?.id ?? '';
    const [a, b] = [await idOf('a.jpg'), await idOf('b.jpg')];
    await ok('edit', a, '--rating', 'nsfw');
    for (const [from, to] of [
      ['a', 'c'],
      ['b', 'a'],
      ['c', 'b'],
    ])
      renameSync(join(pictures, `${from}.jpg`), join(pictures, `${to}.jpg`));
    assert.match(await importFolder('--prune', '--yes'), /^0 added, 2 updated, 0 unchanged, 0 removed/);
    assert.deepEqual([await idOf('b.jpg'), await idOf('a.jpg')], [a, b]);
    assert.deepEqual((await find()).map(({ rating }) => rating).sort(), ['nsfw', 'sfw']);
    // The original is kept under another name: it is the image, and what is in its place is another one.
    renameSync(join(pictures, 'b.jpg'), join(pictures, 'original.jpg'));
    write('b.jpg', comment('edited'));
    assert.match(await importFolder('--prune', '--yes'), /^1 added, 1 updated, 1 unchanged, 0 removed/);
    assert.equal(await idOf('original.jpg'), a);
    assert.equal((await find()).find(({ fileName }) => fileName === 'b.jpg')?.rating, 'nsfw');
    // New bytes at several places are as explicit as any that they replace.
    for (const name of ['a.jpg', 'b.jpg']) write(name, different);
    assert.match(await importFolder('--prune', '--yes'), /1 added, .*, 2 removed/);
    assert.deepEqual(
      (await find()).map(({ rating }) => rating),
      ['nsfw', 'nsfw'],
    );
    // What looks like a version, but is another image to the byte, replaces nothing.
    write('b.jpg', comment('edited', different));
    assert.match(await importFolder('--prune'), /^1 added, .*, 0 removed\n/);
    write('b.jpg', different);
    assert.match(await importFolder('--prune', '--yes'), /, 1 removed\n/);
  });

  test('the first file of an image continues it, whatever becomes of its copies, and no copy does', async () => {
    const { write, pictures, importFolder, only } = openFolder(engine);
    for (const name of ['a.jpg', 'b.jpg']) write(name, jpeg);
    await importFolder();
    const { id } = await only();
    write('a.jpg', comment('edited'));
    rmSync(join(pictures, 'b.jpg'));
    assert.match(await importFolder('--prune'), /^0 added, 1 updated, 0 unchanged, 0 removed/);
    assert.equal((await only()).id, id);
    write('c.jpg', comment('edited'));
    await importFolder();
    rmSync(join(pictures, 'a.jpg'));
    write('c.jpg', comment('edited again'));
    assert.match(await importFolder('--prune', '--yes'), /\n1 added, 0 updated, 0 unchanged, 1 removed/);
    assert.notEqual((await only()).id, id);
  });

  test('a picture that is converted twice is as explicit as the one that it was, whichever copy counts', async () => {
    const { write, pictures, importFolder, only, find, ok } = openFolder(engine);
    write('y.png', await painting().png().toBuffer());
    await importFolder();
    await ok('edit', (await only()).id, '--rating', 'nsfw');
    rmSync(join(pictures, 'y.png'));
    for (const name of ['x.webp', 'y.webp']) write(name, await painting().webp().toBuffer());
    await importFolder();
    assert.deepEqual(
      (await find()).map(({ fileName, rating }) => [fileName, rating]),
      [
        ['x.webp', 'nsfw'],
        ['y.png', 'nsfw'],
      ],
    );
  });

  test('after an undo, the next import rates the picture that replaced another one as strictly again', async () => {
    const { write, importFolder, find, ok, history } = await openRated(engine);
    const third = await paint(3, width, height)().jpeg().toBuffer();
    write('a.jpg', different);
    for (const bytes of [different, third]) {
      await importFolder();
      await ok('undo', String((await history())[0]?.number));
      write('a.jpg', bytes);
      await importFolder();
      const ratings = (await find()).map(({ rating, edited }) => [rating, edited.includes('file-changed')]);
      assert.deepEqual(ratings, [
        ['nsfw', true],
        ['nsfw', false],
      ]);
      await ok('undo', String((await history())[0]?.number));
    }
  });

  test('a picture is known whichever folder around it is imported', async () => {
    const { write, importFolder, find, ok, pictures } = openFolder(engine);
    const third = await paint(3, width, height)().jpeg().toBuffer();
    for (const name of ['sub/a.jpg', 'sub/b.jpg']) write(name, name === 'sub/a.jpg' ? jpeg : different);
    await importFolder();
    const ids = (await find()).map(({ id }) => id);
    await ok('edit', ...ids, '--rating', 'nsfw');
    write('sub/a.jpg', comment('a fox'));
    write('sub/b.jpg', third);
    await ok('import', '--quiet', join(pictures, 'sub'));
    assert.deepEqual(
      (await find()).map(({ id, rating }) => [ids.includes(id), rating]),
      [
        [false, 'nsfw'],
        [true, 'nsfw'],
        [true, 'nsfw'],
      ],
    );
    assert.match(await importFolder('--prune', '--yes'), /, 1 removed\n/);
    write('sub/b.jpg', await paint(4, width, height)().jpeg().toBuffer());
    await importFolder();
    assert.deepEqual([...new Set((await find()).map(({ rating }) => rating))], ['nsfw']);
  });

  test('a picture that was pruned comes back as strictly as it was rated by hand, whatever its sidecar says', async () => {
    const { write, importFolder, only, pictures } = await openRated(engine);
    rmSync(join(pictures, 'a.jpg'));
    await importFolder('--prune', '--yes');
    write('b.jpg', jpeg);
    assert.match(await importFolder(), /^1 added, /);
    const { rating, edited } = await only();
    assert.deepEqual([rating, edited], ['nsfw', ['file-changed']]);
    write('b.json', { nsfw: 'sfw' });
    await importFolder();
    assert.equal((await only()).rating, 'nsfw');
  });

  test('a former file is in the trash, comes back with an undo, and goes with a take-down', async () => {
    const { write, importFolder, ok, history, config, run, folder } = await openRated(engine);
    const stored = () => filesIn(filesFolder(config)).length;
    const edits = [comment('one'), comment('two'), versions['a crop'] as Buffer];
    for (const bytes of edits) {
      write('a.jpg', bytes);
      await importFolder();
    }
    assert.equal(stored(), 4);
    const [last, second] = await history();
    assert.match(await ok('undo', String(last?.number)), /1 image changed back/);
    assert.match(await ok('undo', String(second?.number)), /1 image changed back/);
    const backup = join(folder, 'backup');
    await ok('backup', '--quiet', backup);
    const restored = openMaintained(engine);
    const copy = { ...restored.environment, ...engine.withoutCatalogue, DATA_DIR: join(folder, 'restored') };
    assert.equal((await runCommand(['restore', '--quiet', backup], copy)).status, 0);
    const exported = (await runCommand(['export'], copy)).output;
    assert.equal(exported, await ok('export'));
    assert.match(exported, /"edited":\["categories","rating","title","file-changed"\]/);
    // The original comes back under another name: what it was rated counts.
    write('original.jpg', jpeg);
    write('a.jpg', comment('one'));
    await importFolder();
    const images = JSON.parse(await ok('find', '--json'));
    assert.deepEqual(
      images.map(({ rating }: { rating: string }) => rating),
      ['nsfw', 'nsfw'],
    );
    const first = (await history()).find(({ number }) => number === 3)?.number;
    assert.match(
      (await run('undo', String(first), '--strict')).errors,
      /its former picture was imported again/,
    );
    for (const image of images) await ok('remove', '--yes', image.id);
    assert.equal(stored(), 0);
    for (const bytes of [jpeg, ...edits]) {
      write('a.jpg', bytes);
      assert.match(await importFolder(), /^0 added/);
    }
    assert.equal(stored(), 0);
    assert.equal(await ok('check'), 'no problems found\n');
  });
});
