/** What folders, and the operator, say about the pictures of a folder: .zukan.json, --folder-categories, DEFAULT_RATING. */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { setClockAhead } from '../support/later.ts';
import { type Engine, forEachEngine, forEachEngineInDepth, tamper } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

function newFolder(engine: Engine) {
  const box = openMaintained(engine);
  const run = (flags: string[], more: Record<string, string> = {}) =>
    runCommand(['import', '--quiet', ...flags, box.pictures], { ...box.environment, ...more });
  /** The file name, the rating, the artist and the categories of each image. */
  const images = async () => {
    const records = await box.records();
    const names = new Map(records.map(({ id, name }) => [id, name]));
    return records
      .filter(({ type }) => type === 'image')
      .map(({ fileName, nsfw, artist, categories }) =>
        [fileName, nsfw, names.get(artist), ...categories.map((id: string) => names.get(id)).sort()].join(
          ' ',
        ),
      )
      .sort();
  };
  return { ...box, run, images };
}

await forEachEngine(async (engine) => {
  test('what was chosen for a folder stays chosen', async () => {
    const { pictures, write, importFolder, images } = newFolder(engine);
    write('a/b/1.png', 1);
    write('a/b/2.tmp.png', 2);
    await importFolder('--folder-categories', 'last', '--exclude', '*.tmp.png', '--default-rating', 'nsfw');
    assert.deepEqual(await images(), ['1.png nsfw Unknown b']);
    write('a/b/3.png', 3);
    const again = await importFolder();
    assert.match(
      again,
      /\nas chosen before:\n {2}.*pictures: --folder-categories last --exclude '\*\.tmp\.png' --default-rating nsfw\n/,
    );
    assert.match(again, /not read again, .*: 1 file /);
    assert.deepEqual(await images(), ['1.png nsfw Unknown b', '3.png nsfw Unknown b']);
    // A dry run chooses nothing.
    await importFolder('--dry-run', '--folder-categories', '1');
    const other = await importFolder(
      '--folder-categories',
      'none',
      '--no-exclude',
      '--default-rating',
      'sfw',
    );
    assert.doesNotMatch(other, /chosen/);
    const plain = ['1.png nsfw Unknown', '2.tmp.png sfw Unknown', '3.png nsfw Unknown'];
    assert.deepEqual(await images(), plain, 'names of folders that are not used any more are left out');
    rmSync(pictures, { recursive: true });
    write('x/4.png', 4);
    await importFolder();
    assert.deepEqual(await images(), [...plain, '4.png sfw Unknown']);
  });

  test('what was chosen for a folder holds in the folders in it, until something is chosen for these', async () => {
    const { pictures, write, importFolder, ok, images } = newFolder(engine);
    const inside = join(pictures, 'new/in');
    const importInside = (...flags: string[]) => ok('import', '--quiet', ...flags, inside);
    write('1.png', 1);
    const exclude = ['*raw*', 'new/in/tmp*', '/new/in/deep/x.png', 'new'].flatMap((glob) => [
      '--exclude',
      glob,
    ]);
    await importFolder('--default-rating', 'nsfw', ...exclude);
    const names = ['2.png', 'raw3.png', 'tmp4.png', 'deep/x.png', 'deep/tmp5.png'];
    for (const [at, name] of names.entries()) write(`new/in/${name}`, 2 + at);
    assert.match(await importInside(), /\nas chosen before:\n {2}.*in: --exclude .* --default-rating nsfw\n/);
    const first = ['1.png nsfw Unknown', '2.png nsfw Unknown', 'tmp5.png nsfw Unknown deep'];
    assert.deepEqual(await images(), first);
    // It has no choice of its own so far.
    await importFolder('--default-rating', 'questionable');
    write('new/in/7.png', 7);
    await importInside();
    assert.deepEqual(await images(), [...first, '7.png questionable Unknown'].sort());
    write('new/in/8.png', 8);
    await importInside('--default-rating', 'questionable');
    await importFolder('--default-rating', 'nsfw');
    write('new/in/9.png', 9);
    await importInside();
    const own = ['7', '8', '9'].map((name) => `${name}.png questionable Unknown`);
    assert.deepEqual(await images(), [...first, ...own].sort());
  });
});

await forEachEngineInDepth(async (engine) => {
  test('names of folders that mean nothing are left out in folders that are new', async () => {
    const { config, write, importFolder, images } = newFolder(engine);
    write('Takeout/foxes/New Folder (2)/1.png', 1);
    const plan = await importFolder('--dry-run');
    assert.match(
      plan,
      /\n {2}New Folder \(2\): 1 picture\n {2}Takeout: 1 picture\n|\n {2}Takeout: 1 picture\n {2}New Folder/,
    );
    assert.match(plan, /\ncreated \(for fewer categories: .*\):\n {2}category foxes\n/);
    await importFolder();
    assert.deepEqual(await images(), ['1.png sfw Unknown foxes']);
    write('old/2.png', 2);
    const again = await importFolder();
    assert.match(again, /\n {2}old: 1 picture\n/);
    assert.doesNotMatch(again, /as chosen before/);
    await importFolder('--folder-categories', 'all');
    assert.deepEqual(await images(), [
      '1.png sfw Unknown New Folder (2) Takeout foxes',
      '2.png sfw Unknown old',
    ]);
    // A folder that an older version imported has no choice.
    write('Camera/3.png', 3);
    tamper(config, 'delete from source_folder');
    await importFolder();
    assert.ok((await images()).includes('3.png sfw Unknown Camera'));
  });

  test('a folder from a Mac is no category any more if that is chosen', async () => {
    const { write, importFolder, images } = newFolder(engine);
    write('cafe\u0301/1.png', 1);
    await importFolder();
    assert.deepEqual(await images(), ['1.png sfw Unknown caf\u00e9']);
    await importFolder('--folder-categories', 'none');
    assert.deepEqual(await images(), ['1.png sfw Unknown']);
  });

  test('.zukan.json is about everything below its folder', async () => {
    const { write, importFolder, images } = newFolder(engine);
    for (const [at, name] of ['a/1.png', 'a/b/2.png', 'a/b/c/3.png', 'a/b/c/4.png', 'd/5.png'].entries())
      write(name, at + 1);
    write('a/.zukan.json', '{"rating":"nsfw","categories":["holiday"],"artist":"Ann"}');
    write('a/b/c/.zukan.json', '\ufeff{"rating":"sfw","categories":["sea"]}');
    write('a/b/c/4.png.json', '{"rating":"explicit","artist":"Bob","categories":["own"]}');
    write('d/.zukan.json', '{"categories":["R-18"]}');
    assert.match(await importFolder(), /^5 added, 0 updated, 0 unchanged; entries: 10 added/);
    const first = [
      '1.png nsfw Ann a holiday',
      '2.png nsfw Ann a b holiday',
      '3.png sfw Ann a b c holiday sea',
      '4.png nsfw Bob a b c holiday own sea',
      '5.png nsfw Unknown R-18 d',
    ];
    assert.deepEqual(await images(), first);
    assert.match(await importFolder(), /^0 added, 0 updated, 5 unchanged\nnot read again, .*: 5 files/);
    write('a/b/.zukan.json', '{"artist":"Cid"}');
    assert.match(
      await importFolder(),
      /^0 added, 2 updated, 3 unchanged; entries: 1 added.*\nnot read again, .*: 2 files/,
    );
    assert.deepEqual((await images()).slice(1, 3), [
      '2.png nsfw Cid a b holiday',
      '3.png sfw Cid a b c holiday sea',
    ]);
  });

  test('a .zukan.json that is wrong stops the import, or skips its folder', async () => {
    const { write, run, images } = newFolder(engine);
    write('1.png', 1);
    write('a/2.png', 2);
    write('a/.zukan.json', '{"raiting":"nsfw"}');
    const { status, errors } = await run(['--strict']);
    assert.equal(status, 1);
    assert.match(errors, /pictures\/a\/\.zukan\.json: unknown field "raiting"\n/);
    assert.match((await run([])).output, /skipped \(invalid\):\n {2}.*unknown field "raiting"\n/);
    assert.deepEqual(await images(), ['1.png sfw Unknown']);
    assert.equal((await run(['--folder-categories', 'first'])).status, 2);
  });

  test('--prune removes nothing that may be in a folder with a wrong .zukan.json or .zukanignore', async () => {
    const { pictures, write, run, importFolder, images } = newFolder(engine);
    for (let index = 1; index <= 11; index++) write(`${index}.png`, index);
    await importFolder();
    for (const [name, content] of [
      ['.zukan.json', '{"raiting":"nsfw"}'],
      ['.zukanignore', '*\n'.repeat(1001)],
    ] as const) {
      write(`a/${name}`, content);
      rmSync(join(pictures, '1.png'), { force: true });
      write('a/1.png', 1);
      const { errors } = await run(['--prune']);
      assert.match(
        errors,
        /removed nothing: .*a\/\.zukan\S+ cannot be read, so some of them may still be there\./,
      );
      assert.equal((await images()).length, 11);
      rmSync(join(pictures, `a/${name}`));
    }
    assert.match(
      await importFolder('--prune'),
      /^0 added, 1 updated, 10 unchanged, 0 removed; entries: 1 added/,
    );
  });

  test('DEFAULT_RATING is the rating of pictures without a marker, and --verbose lists them', async () => {
    const { write, run, images } = newFolder(engine);
    for (let index = 1; index <= 22; index++) write(`${String(index).padStart(2, '0')}.png`, index);
    const nsfw = await run(['--exclude', '22.png', '--verbose'], { DEFAULT_RATING: 'nsfw' });
    const rated =
      /\n21 pictures without a rating imported as nsfw \(--default-rating\):\n( {2}.*\.png\n){21}/;
    assert.match(nsfw.output, rated);
    const one = await run(['--no-exclude', '--default-rating', 'questionable'], { DEFAULT_RATING: 'nsfw' });
    assert.match(one.output, /\n1 picture without a rating imported as questionable \(--default-rating\)\n$/);
    assert.deepEqual((await images()).slice(20), ['21.png nsfw Unknown', '22.png questionable Unknown']);
    const wrong = await run([], { DEFAULT_RATING: 'safe' });
    assert.equal(wrong.status, 2);
    assert.match(wrong.errors, /DEFAULT_RATING: must be one of sfw, questionable, nsfw/);
  });

  test('sidecars behind a link are read inside the folder only, and not ignored elsewhere', async () => {
    const { pictures, write, run, images } = newFolder(engine);
    write('a/1.png', 1);
    write('b/2.png', 2);
    write('sidecars/2.yml', 'UID: x\nType: image\nPrivate: true\n');
    write('../outside/1.yml', 'UID: x\nType: image\nPrivate: true\n');
    symlinkSync('../../outside', join(pictures, 'a/.photoprism'));
    symlinkSync('../sidecars', join(pictures, 'b/.photoprism'));
    assert.match(
      (await run(['--strict'])).errors,
      /a\/\.photoprism\/1\.yml: is outside the catalogue's folder/,
    );
    assert.match((await run([])).output, /skipped \(private\):\n {2}.*2\.png: private in PhotoPrism\n/);
    assert.deepEqual(await images(), []);
  });

  test('a picture that is private elsewhere is skipped, and --prune removes one that became private', async () => {
    const { write, importFolder, images } = newFolder(engine);
    for (const [at, name] of ['1.png', '2.png', '3.png', '4.png'].entries()) write(name, at + 1);
    const takeout = { title: '1.png', photoTakenTime: { timestamp: '1589635662' } };
    write('1.png.supplemental-meta.json', JSON.stringify({ ...takeout, trashed: true }));
    write('.photoprism/2.yml', 'UID: x\nType: image\nPrivate: true\n');
    const output = await importFolder();
    assert.match(output, /^2 added/);
    assert.match(
      output,
      /\nskipped \(private\):\n {2}.*1\.png: in the trash of Google Photos\n {2}.*2\.png: private in PhotoPrism\n/,
    );
    write('3.yml', 'UID: x\nType: image\nPrivate: true\n');
    const later = await importFolder();
    assert.match(later, /3\.png: private in PhotoPrism; its image stays until --prune\n/);
    assert.equal((await images()).length, 2);
    assert.match(await importFolder('--prune', '--yes'), /1 removed\n/);
    assert.deepEqual(await images(), ['4.png sfw Unknown']);
  });
});
