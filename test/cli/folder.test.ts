/** Importing folders of pictures. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { draw } from '../support/pictures/pictures.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { filesFolder } from '../support/zukan/service.ts';

test('reads categories from folders and other fields from sidecars, and creates missing entries', async () => {
  const { pictures, run, records, write } = openMaintained();
  write('top.png', 1);
  write('cats/night sky/a.png', 2);
  write('cats/b.png', 3);
  write('cats/c.png', 4);
  write('cats/b.png.json', {
    artist: 'Ann',
    nsfw: 'nsfw',
    characters: ['Cleo'],
    source: { name: 's', url: 'https://example.org/' },
  });
  write('cats/c.json', {
    id: 'p4711',
    tags_general: [],
    tags: '1girl blue_hair',
    artist: [],
    tags_artist: ['Ann', 'Bob'],
    tags_character: 'cleo_(a) dora',
    rating: 'q',
    source: 'https://example.com/posts/1',
    created_at: '2024-02-03 04:05:06',
    md5: 'whatever',
  });
  const { status, output, errors } = await run('import', pictures);
  assert.equal(status, 0, errors);
  assert.match(
    output,
    /^4 added, 0 updated, 0 unchanged; entries: 8 added, 0 updated, 0 unchanged\n2 pictures without a rating imported as sfw \(--default-rating\)\ncreated:\n/,
  );
  for (const name of [
    'category cats',
    'category night sky',
    'category blue_hair',
    'artist Ann',
    'character dora',
  ])
    assert.ok(output.includes(`  ${name}\n`), `${name} in ${output}`);

  const all = await records();
  const named = new Map(all.filter(({ name }) => name).map(({ id, name }) => [id, name]));
  const names = (ids: string[]) => ids.map((id) => named.get(id)).join();
  const images = all
    .filter(({ type }) => type === 'image')
    .map(({ artist, categories, characters, nsfw, source, takenAt = '' }) =>
      [named.get(artist), names(categories), names(characters), nsfw, source.name, source.url]
        .concat(takenAt.slice(0, 4))
        .join(' | '),
    );
  assert.deepEqual(images.sort(), [
    'Ann | 1girl,blue_hair,cats | cleo_(a),dora | questionable | example.com | https://example.com/posts/1 | 2024',
    'Ann | cats | Cleo | nsfw | s | https://example.org/ | ',
    'Unknown |  |  | sfw |  |  | ',
    'Unknown | cats,night sky |  | sfw |  |  | ',
  ]);
  assert.match((await run('import', pictures)).output, /^0 added, 0 updated, 4 unchanged\n/);
});

test('refuses a single picture, and says how to import it', async () => {
  const { pictures, run, write } = openMaintained();
  write('a.png', 1);
  const { status, errors } = await run('import', join(pictures, 'a.png'));
  assert.equal(status, 1);
  assert.match(errors, /a\.png: is a picture; import its folder, or a catalogue file that names it\n$/);
});

test('lists files that are not images, and ignores hidden files', async () => {
  const { pictures, run, write } = openMaintained();
  write('a.png', 1);
  write('notes.txt', 'notes');
  write('IMG_1.HEIC', 'x');
  symlinkSync('.', join(pictures, 'loop'));
  write('.DS_Store', 'x');
  mkdirSync(join(pictures, '.thumbnails'));
  write('.thumbnails/t.png', 'x');
  const { status, output } = await run('import', pictures);
  assert.equal(status, 0);
  assert.match(
    output,
    /\(links are not followed\):\n {2}.*loop\nskipped \(not supported; convert .*\):\n {2}.*HEIC\n/,
  );
  assert.match(output, /skipped \(not images\):\n {2}.*notes\.txt\nignored files and folders: 2 hidden/);
});

test('accepts any file name, and detects the type by the bytes', async () => {
  const { pictures, run, records, write } = openMaintained();
  write('a\nb 😀.png', 1);
  write('X.png', 2);
  write('x.PNG', 3);
  write('jpeg.png', await draw({ file: '', format: 'jpeg', width: 9, height: 9, colour: '#123456' }));
  const { status, output, errors } = await run('import', pictures);
  assert.equal(status, 0, errors);
  assert.match(output, /^4 added/);
  const types = (await records()).flatMap(({ meta }) => meta?.mimetype ?? []).sort();
  assert.deepEqual(types, ['image/jpeg', 'image/png', 'image/png', 'image/png']);
});

describe('imports nothing and names the file if the folder contains', () => {
  const broken = tinyPicture(5).subarray(0, 40);
  type Box = ReturnType<typeof openMaintained>;
  const linkTo = (target: string) => (box: Box) => symlinkSync(target, join(box.pictures, 'bad.png'));
  const cases: [what: string, spoil: (box: Box) => void, reason: RegExp][] = [
    ['a broken picture', ({ write }) => write('bad.jpg', broken), /bad\.jpg: .*cannot be decoded/],
    ['an empty file', ({ write }) => write('bad.png', ''), /bad\.png: .*the file is empty/],
    ['text', ({ write }) => write('bad.webp', 'text'), /bad\.webp: .*not a JPEG/],
    ['a link out of the folder', linkTo('../outside.png'), /bad\.png: .*is outside the catalogue's folder/],
    ['a link to itself', linkTo('bad.png'), /bad\.png: .*ELOOP/],
    ['a sidecar that is not JSON', ({ write }) => write('a.json', '{'), /a\.png: a\.json: not valid JSON/],
    ['no XMP', ({ write }) => write('a.png.xmp', '<a>'), /a\.png: a\.png\.xmp: not valid XMP/],
  ];
  for (const [what, spoil, reason] of cases)
    test(what, async () => {
      const box = openMaintained();
      box.write('a.png', 1);
      box.write('../outside.png', 9);
      spoil(box);
      const { status, errors } = await box.tryImport('--strict');
      assert.equal(status, 1);
      assert.match(errors, reason);
      assert.deepEqual(await box.records(), []);
      assert.deepEqual(filesIn(filesFolder(box.config)), []);
    });

  // Root can read every file.
  if (process.getuid?.() !== 0) {
    test('a file without read permission', async () => {
      const { pictures, run, write } = openMaintained();
      write('bad.png', 1);
      chmodSync(join(pictures, 'bad.png'), 0);
      assert.match((await run('import', '--strict', pictures)).errors, /bad\.png: .*permission denied/);
    });
  }
});

test('--dry-run prints what would change, and changes nothing', async () => {
  const { pictures, run, records, write, config } = openMaintained();
  write('cats/a.png', 1);
  const { status, output } = await run('import', '--dry-run', pictures);
  assert.equal(status, 0);
  assert.match(
    output,
    /^added {6}category {3}cats\nadded {6}image {6}cats\/a\.png\ndry run, nothing was changed; this import would result in:\n1 added, 0 updated, 0 unchanged; entries: 1 added, 0 updated, 0 unchanged\n/,
  );
  assert.ok(!existsSync(config.dataDir));
  await run('import', pictures);
  write('cats/b.png', 2);
  const again = (await run('import', '--dry-run', pictures)).output;
  assert.match(again, /^added {6}image {6}cats\/b\.png\ndry run.*\n1 added, 0 updated, 1 unchanged\n/);
  const all = (await run('import', '--dry-run', '--verbose', pictures)).output;
  assert.match(all, /^unchanged {2}image {6}cats\/a\.png\n/m);
  assert.deepEqual(
    (await records()).map(({ type }) => type),
    ['category', 'artist', 'image'],
  );
});
