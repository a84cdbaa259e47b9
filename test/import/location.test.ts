/** Importing pictures with a location: it is not stored, and the picture is recognised with and without it. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import {
  findCoordinates,
  geotagged,
  segment,
  withoutMetadata,
  withSegments,
} from '../support/pictures/geotagged.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { type Engine, forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

function newCatalogue(engine: Engine) {
  const { folder, config, pictures, ok: run } = openMaintained(engine);
  const images = async () => {
    await using snapshot = await openSnapshot(config);
    return await Array.fromAsync(snapshot.images());
  };
  const stored = () => filesIn(filesFolder(config)).map((line) => line.split(' ')[0] ?? '');
  const read = (key: string) => readFileSync(join(filesFolder(config), key));
  return { folder, pictures, run, images, stored, read };
}

test('stores pictures without their location, and recognises the original and the stored copy', async () => {
  const { pictures, folder, run, images, stored, read } = newCatalogue(sqlite);
  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const)
    writeFileSync(join(pictures, `a.${format}`), await geotagged(format));
  writeFileSync(join(pictures, 'plain.png'), tinyPicture(1));
  assert.match(await run('import', pictures), /^5 added, .*\nlocation removed from 4 pictures\n/);
  for (const { key, eTag, document } of await images()) {
    const bytes = read(key);
    assert.equal(findCoordinates(bytes), false);
    assert.deepEqual([eTag, readDocument(document).meta.size], [hash('sha256', bytes), bytes.length]);
  }
  assert.match(await run('import', pictures), /^0 added, 0 updated, \d+ unchanged\nlocation removed/);
  // Copies of both kinds in one folder are the same picture.
  const copies = join(folder, 'copies');
  mkdirSync(copies);
  for (const key of stored()) writeFileSync(join(copies, key.slice(3)), read(key));
  assert.match(await run('import', copies), /^0 added, 0 updated, \d+ unchanged\n$/);
  writeFileSync(join(copies, 'original.jpeg'), await geotagged('jpeg'));
  assert.match(await run('import', copies), /skipped \(duplicates\):\n {2}.*original\.jpeg has the same/);
  assert.equal(await run('check', '--quiet'), 'no problems found\n');
});

test('an export with files, imported again, removes the location', async () => {
  const { folder, pictures, run, images, stored, read } = newCatalogue(sqlite);
  writeFileSync(join(pictures, 'a.jpg'), await geotagged('jpeg'));
  await run('import', '--keep-location', pictures);
  const [before] = await images();
  const catalogue = join(folder, 'export/catalogue.ndjson');
  mkdirSync(join(folder, 'export'));
  await run('export', catalogue, '--files', join(folder, 'export/files'), '--quiet');
  assert.match(await run('import', catalogue), /^0 added, 1 updated, .*\nlocation removed from 1 picture\n/);
  assert.deepEqual(
    (await images()).map(({ id }) => id),
    [before?.id],
  );
  assert.equal(stored().length, 1);
  assert.equal(findCoordinates(read(stored()[0] ?? '')), false);
});

test('rejects a picture that would look different, and --keep-location accepts it', async () => {
  const { folder, environment } = sandbox(sqlite);
  // More entries than the cleaner reads, so that it cannot find the rotation.
  const exif = Buffer.alloc(8 + 2 + 12 * 2100 + 4);
  exif.write('MM\0*\0\0\0\b\x08\x34\x01\x12\0\x03\0\0\0\x01\0\x06', 'latin1');
  const plain = await withoutMetadata(await geotagged('png'), 'jpeg');
  writeFileSync(join(folder, 'a.jpg'), withSegments(plain, segment(0xe1, 'Exif\0\0', exif)));
  const refused = await runCommand(['import', '--strict', folder], environment);
  assert.equal(refused.status, 1);
  assert.match(
    refused.errors,
    /a\.jpg: the location cannot be removed: the picture would look different; .*--keep-location\n/,
  );
  const kept = await runCommand(['import', '--keep-location', folder], environment);
  assert.match(kept.output, /^1 added, 0 updated, 0 unchanged\n/);
});

await forEachEngineInDepth((engine) => {
  test('--keep-location stores it, and the next import without removes it', async () => {
    const { pictures, run, images, stored, read } = newCatalogue(engine);
    writeFileSync(join(pictures, 'a.jpg'), await geotagged('jpeg'));
    assert.match(await run('import', '--keep-location', pictures), /\nlocation kept in 1 picture\n/);
    const [before] = await images();
    assert.deepEqual(read(before?.key ?? ''), await geotagged('jpeg'));
    assert.match(await run('import', '--keep-location', pictures), /^0 added, 0 updated/);
    for (const flag of [[], ['--keep-location']]) {
      assert.match(await run('import', ...flag, pictures), /^0 added, 1 updated/);
      const [image, ...others] = await images();
      assert.deepEqual([image?.id, others, stored()], [before?.id, [], [image?.key]]);
      assert.equal(findCoordinates(read(image?.key ?? '')), flag.length > 0);
      assert.equal(await run('check', '--quiet'), 'no problems found\n');
    }
  });
});
