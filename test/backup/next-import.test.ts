/** A restored catalogue has its thumbnails, and knows the files that it came from: the next import reads nothing again. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { openSnapshot } from '../../src/server/engines.ts';
import { type Environment, succeed } from '../support/catalogues/backup.ts';
import { setClockAhead } from '../support/later.ts';
import { paint } from '../support/pictures/painting.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { type Engine, forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();

/** A folder with a picture that has a thumbnail, one that has none, a copy of it, and one that was removed. */
async function makeCatalogue(engine: Engine) {
  const folder = temporaryFolder();
  const pictures = join(folder, 'pictures');
  const target = (name: string): Environment => ({
    ...engine.environment(),
    DATA_DIR: join(folder, name),
    THUMBNAILS: '16',
  });
  mkdirSync(pictures);
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  await sharp({ create: { width: 40, height: 30, channels: 3, background: '#000', noise } })
    .png()
    .toFile(join(pictures, 'large.png'));
  for (const [name, index] of Object.entries({ 'a.png': 1, 'b/copy.png': 1, 'removed.png': 2 }))
    writeTiny(pictures, name, index);
  const environment = target('data');
  await succeed(['import', '--quiet', pictures], environment);
  const rows = async (each: Environment) => {
    await using snapshot = await openSnapshot(configFor(folder, each));
    return await Array.fromAsync(snapshot.images());
  };
  const removed = (await rows(environment)).find(({ key }) =>
    key.includes(hash('sha256', readFileSync(join(pictures, 'removed.png')))),
  );
  await succeed(['remove', '--yes', removed?.id ?? ''], environment);
  const backup = join(folder, 'backup');
  const backUp = async () => (await succeed(['backup', '--quiet', backup], environment)).output;
  return { folder, pictures, environment, target, rows, backup, backUp };
}

await forEachEngineInDepth((engine) => {
  test('thumbnails, hashes and source files are restored', async () => {
    const { pictures, environment, target, rows, backup, backUp } = await makeCatalogue(engine);
    assert.match(await backUp(), /\(3 new files, 0 removed\)/);
    const restored = target('restored');
    const { output } = await succeed(['restore', '--quiet', backup], restored);
    assert.doesNotMatch(output, /zukan thumbnails/);
    const [before, after] = [await rows(environment), await rows(restored)];
    assert.deepEqual(after, before);
    assert.match(before.map(({ document }) => document).join('\n\n'), /\n16 [^\n]+/);
    await succeed(['check', '--quiet'], restored);
    const again = await succeed(['import', '--quiet', '--prune', pictures], restored);
    assert.match(again.output, /^0 added, 0 updated, 2 unchanged, 0 removed\n/);
    assert.match(again.output, /did not change: 3 files/);
    assert.match(again.output, /skipped \(removed;/);
  });
});

test('what was chosen for a folder is restored, and so are its thumbnails', async () => {
  const { folder, pictures, environment, target, backup, backUp } = await makeCatalogue(sqlite);
  const fox = paint(3, 300, 200);
  mkdirSync(join(pictures, 'thumbs'));
  await fox().png().toFile(join(pictures, 'fox.png'));
  await fox().resize(60).png().toFile(join(pictures, 'thumbs/fox.png'));
  const chosen = [
    '--default-rating',
    'nsfw',
    '--exclude',
    '*.tmp.png',
    '--folder-categories',
    'last',
    '--albums-from',
    'none',
  ];
  const first = await succeed(['import', '--quiet', ...chosen, pictures], environment);
  assert.match(first.output, /skipped \(thumbnails\)/);
  await backUp();
  await succeed(['restore', '--check', '--quiet', backup], {});
  const restored = target('restored');
  await succeed(['restore', '--quiet', backup], restored);
  writeTiny(pictures, 'new.png', 50);
  const { output } = await succeed(['import', '--quiet', pictures], restored);
  assert.match(
    output,
    /as chosen before:\n {2}.*: --folder-categories last --exclude '\*\.tmp\.png' --default-rating nsfw --albums-from none\n/,
  );
  assert.match(output, /1 picture without a rating imported as nsfw/);
  assert.match(output, /did not change: \d+ files.*\n(?:.*\n)*skipped \(thumbnails\)/);
  const snapshots = [environment, restored].map((each) => openSnapshot(configFor(folder, each)));
  const choices = await Promise.all(
    snapshots.map(async (opening) => {
      await using snapshot = await opening;
      return await Array.fromAsync(snapshot.chosenFolders());
    }),
  );
  assert.deepEqual(choices[1], choices[0]);
});

test('a second backup does not read thumbnails again, and one that is lost is left out', async () => {
  const { environment, target, backup, backUp } = await makeCatalogue(sqlite);
  await backUp();
  const [thumbnail = ''] = globSync(join(backup, 'files/*/*.webp'));
  const inode = statSync(thumbnail).ino;
  const [original = ''] = globSync(join(environment.DATA_DIR ?? '', 'files/thumbnails/**/*.webp'));
  rmSync(original);
  assert.match(await backUp(), /\(0 new files, 0 removed\)/);
  assert.equal(statSync(thumbnail).ino, inode);
  rmSync(thumbnail);
  await backUp();
  await succeed(['restore', '--check', '--quiet', backup], {});
  const restored = target('without');
  const { output } = await succeed(['restore', '--quiet', backup], restored);
  assert.match(output, /run "zukan thumbnails" to make those of 1 image, which the backup lacks/);
  await succeed(['thumbnails', '--quiet'], restored);
  await succeed(['check', '--quiet'], restored);
});

test('a damaged thumbnail is reported, and a restore works without it', async () => {
  const { target, backup, backUp } = await makeCatalogue(sqlite);
  await backUp();
  const [thumbnail = ''] = globSync(join(backup, 'files/*/*.webp'));
  const bytes = readFileSync(thumbnail);
  rmSync(thumbnail);
  writeFileSync(thumbnail, bytes.fill(0, 20));
  const { status, errors } = await runCommand(['restore', '--check', backup], {});
  assert.equal(status, 1);
  assert.match(errors, /\.webp: is damaged; delete it and back up again/);
  const restored = target('damaged');
  assert.match((await succeed(['restore', '--quiet', backup], restored)).output, /run "zukan thumbnails"/);
  await succeed(['check', '--quiet'], restored);
});

test('source files of a backup are checked', async () => {
  const { target, backup, backUp } = await makeCatalogue(sqlite);
  await backUp();
  const [list = ''] = globSync(join(backup, 'lists-*/sources.ndjson'));
  const original = readFileSync(list, 'utf8');
  const manifestPath = join(backup, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
  for (const [text, message] of [
    [original.replace('"state":"first"', '"state":"other"'), /sources\.ndjson:2: the source file: state/],
    [`{"folder":"/x","choice":{"defaultRating":"any"}}\n`, /sources\.ndjson:1: the source folder: choice/],
    [`{"folder":"/x","choice":{"exclude":["${'a'.repeat(1001)}"]}}\n`, /:1: a rule has more than 1000 char/],
    [original.split('\n').slice(1).join('\n'), /names 5 source files and folders, but the backup has 4/],
  ] as const) {
    writeFileSync(list, text);
    manifest.lists['sources.ndjson'] = { size: text.length, sha256: hash('sha256', text) };
    writeFileSync(manifestPath, JSON.stringify(manifest));
    for (const flags of [['--check'], []])
      assert.match(
        (await runCommand(['restore', '--quiet', ...flags, backup], target('forged'))).errors,
        message,
      );
  }
});

test('a backup without thumbnails can be restored', async () => {
  const { pictures, target, backup, backUp } = await makeCatalogue(sqlite);
  await backUp();
  const manifestPath = join(backup, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
  const list = join(backup, manifest.folder, 'catalogue.ndjson');
  const text = readFileSync(list, 'utf8').replaceAll(/,"thumbnails":\[\{[^\]]*\]/g, '');
  writeFileSync(list, text);
  manifest.lists['catalogue.ndjson'] = { size: text.length, sha256: hash('sha256', text) };
  writeFileSync(manifestPath, JSON.stringify(manifest));
  const restored = target('older');
  assert.match((await succeed(['restore', '--quiet', backup], restored)).output, /run "zukan thumbnails"/);
  assert.match((await succeed(['import', '--quiet', pictures], restored)).output, /^0 added, /);
  assert.match(await backUp(), /new files?, 0 removed/);
});
