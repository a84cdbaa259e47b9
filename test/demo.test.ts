/** demo/: a catalogue to try zukan with. Every site may restore it, so it has nothing of the one that it was made on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { fileName, type Stored } from '../src/backup/format.ts';
import { fillWithDemo } from '../src/cli/serving/serve.ts';
import type { ImageLine } from '../src/import/records/record.ts';
import { createCatalogue, openSnapshot } from '../src/server/engines.ts';
import { makeCatalogue, succeed } from './support/catalogues/backup.ts';
import { restoreDemo } from './support/catalogues/demo.ts';
import { parseLines } from './support/catalogues/lines.ts';
import { testDeep } from './support/depth.ts';
import { environmentOf, forEachEngineInDepth } from './support/servers/engines.ts';
import { startS3 } from './support/servers/s3.ts';
import { temporaryFolder } from './support/workspace.ts';
import { serve, start } from './support/zukan/program.ts';
import { configFor, filesFolder, startService } from './support/zukan/service.ts';

const demo = join(import.meta.dirname, '../demo');

interface Entry {
  type: 'category' | 'artist' | 'character' | 'album';
  id: string;
  name: string;
  createdAt: string;
  nsfw?: boolean;
  ages?: number[];
}
type DemoImage = Required<Pick<ImageLine, 'id' | 'key' | 'meta' | 'nsfw' | 'source' | 'title'>> &
  Record<'categories' | 'characters', string[]> & {
    type: 'image';
    createdAt: string;
    artist: string;
    stored: Stored;
  };

function readRecords(folder: string): (Entry | DemoImage)[] {
  const { folder: lists } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const text = readFileSync(join(folder, lists, 'catalogue.ndjson'), 'utf8');
  return parseLines(text);
}

const isImage = (record: Entry | DemoImage): record is DemoImage => record.type === 'image';
const records = readRecords(demo);
const images = records.filter(isImage);
const entries = records.filter((record) => !isImage(record)) as Entry[];
const idsOf = (type: string) => entries.filter((entry) => entry.type === type).map(({ id }) => id);
const count = (isCounted: (image: DemoImage) => boolean) => images.filter(isCounted).length;

test('has pictures of every type, shape and rating, and entries of every kind', () => {
  assert.equal(images.length, 68);
  const lengths = ['artist', 'category', 'character', 'album'].map((type) => idsOf(type).length);
  assert.deepEqual(lengths, [10, 28, 18, 1]);
  assert.ok(entries.some(({ type, nsfw }) => type === 'category' && nsfw));
  for (const type of ['webp', 'jpeg', 'png', 'gif', 'avif'])
    assert.ok(count(({ meta }) => meta.mimetype === `image/${type}`) >= 4, type);
  for (const shape of [-1, 0, 1])
    assert.ok(count(({ meta: { dimens } }) => Math.sign(dimens.width - dimens.height) === shape) > 10);
  for (const rating of ['questionable', 'nsfw']) assert.ok(count(({ nsfw }) => nsfw === rating) >= 5);
  assert.ok(count(({ nsfw }) => nsfw === 'sfw') > images.length * 0.75);
  assert.equal(
    count(({ stored: { isAnimated } }) => isAnimated === true),
    count(({ meta }) => meta.mimetype === 'image/gif'),
  );
});

test('ids are of version 5 and unique, and times are in 2025', () => {
  assert.equal(new Set(records.map(({ id }) => id)).size, records.length);
  for (const { id, createdAt } of records) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(createdAt, /^2025-/);
  }
  assert.equal(new Set(records.map(({ createdAt }) => createdAt)).size, records.length);
});

test('pictures have categories and characters, who are adults; a few have no title or source; one category is empty', () => {
  const used = new Set(images.flatMap(({ categories }) => categories));
  assert.equal(idsOf('category').filter((id) => !used.has(id)).length, 1);
  assert.deepEqual(new Set(images.map(({ artist }) => artist)), new Set(idsOf('artist')));
  for (const { id, categories, characters } of images)
    assert.ok(characters.length >= 1 && categories.length >= 2 && categories.length <= 5, id);
  // So that programs meet what they will meet elsewhere.
  assert.equal(images.filter(({ title }) => title === '').length, 2);
  assert.equal(images.filter(({ source }) => source?.url === '').length, 2);
  assert.equal(images.filter(({ source }) => source?.name === '').length, 1);
  assert.equal(records.filter((record) => 'url' in record && record.url === '').length, 1);
  for (const { name, ages = [] } of entries) for (const age of ages) assert.ok(age >= 18, name);
});

/** Reads every file of a backup. Fails on what belongs to the site that made it, and on a file that no record names. */
async function requireNothingPrivate(folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { format, version, zukan, createdAt, keep, folder: lists } = manifest;
  const { images, artists, categories, characters } = manifest.counts;
  assert.deepEqual(manifest, {
    ...{ format, version, zukan, createdAt, keep, folder: lists, lists: manifest.lists },
    counts: { images, artists, categories, characters, tokens: 0, changes: 0, trash: 0, sources: 0 },
  });
  const empty = ['history.ndjson', 'sources.ndjson', 'tokens.ndjson', 'link.keys'];
  assert.deepEqual(Object.keys(manifest.lists), ['catalogue.ndjson', ...empty]);
  for (const name of empty) assert.equal(readFileSync(join(folder, lists, name), 'utf8'), '');
  const records = readRecords(folder);
  for (const { type } of records)
    assert.match(type, /^(category|artist|character|image|album)$/, 'blocks and removed files are of a site');
  const pictures = records
    .filter(isImage)
    .flatMap(({ meta, stored: { hash, thumbnails = [] } }) => [
      fileName(hash, meta.mimetype),
      ...thumbnails.map(({ hash }) => fileName(hash, 'image/webp')),
    ]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.deepEqual(
    files.map(({ parentPath, name }) => join(parentPath, name)).sort(),
    [...new Set(pictures), 'manifest.json', ...Object.keys(manifest.lists).map((name) => join(lists, name))]
      .map((name) => join(folder, name))
      .sort(),
  );
  await succeed(['restore', '--check', '--quiet', folder], {});
}

test('has nothing of the site that it was made on, and at most 7 MB', async () => {
  await requireNothingPrivate(demo);
  for (const { key } of images) {
    const { exif, xmp, iptc, comments } = await sharp(join(demo, 'files', key)).metadata();
    assert.deepEqual([exif, xmp, iptc, comments], Array(4).fill(undefined), key);
  }
  const sizes = readdirSync(demo, { recursive: true, encoding: 'utf8' }).map((name) =>
    statSync(join(demo, name)),
  );
  const total = sizes.reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  assert.ok(total <= 7_000_000, `${total} bytes`);
});

test('strip-demo.ts takes out of a backup what belongs to a site', async () => {
  const { folder, environment } = await makeCatalogue();
  const backup = join(folder, 'new demo');
  await succeed(['backup', '--quiet', backup], environment);
  await assert.rejects(requireNothingPrivate(backup));
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/strip-demo.ts'), backup]);
  await requireNothingPrivate(backup);
  // The next version of the demo is a backup into the same folder.
  await succeed(['backup', '--quiet', backup], environment);
});

await forEachEngineInDepth((engine) => {
  test('two instances fill an empty catalogue once, which keeps its own identity and keys', async () => {
    const config = configFor(temporaryFolder(), engine.withoutCatalogue());
    await createCatalogue(config);
    const environment = environmentOf(config);
    const { get } = await startService(config);
    await Promise.all([fillWithDemo(config), fillWithDemo(config)]);
    assert.equal((await get('/api/stats')).json.data.images.count, 68);
    assert.equal((await succeed(['check'], environment)).output, 'no problems found\n');
    assert.deepEqual(JSON.parse((await succeed(['history', '--json'], environment)).output), []);
    assert.equal(readFileSync(join(config.dataDir, 'link.keys'), 'utf8').match(/^\S{43}$/gm)?.length, 1);
    await using snapshot = await openSnapshot(config);
    assert.match((await snapshot.identity()) ?? '', /^[0-9a-f-]{36}$/);
  });

  test('keeps a catalogue that is not empty, or whose records were all removed', async () => {
    const config = configFor(temporaryFolder(), engine.environment());
    const environment = environmentOf(config);
    const stats = async () => JSON.parse((await succeed(['stats', '--json'], environment)).output);
    await succeed(['import', '--quiet', '-'], environment, '{"type":"artist","name":"Mine"}\n');
    await fillWithDemo(config);
    assert.deepEqual([(await stats()).images.count, (await stats()).artists.count], [0, 1]);
    await succeed(['undo', '1'], environment);
    await fillWithDemo(config);
    assert.deepEqual([(await stats()).images.count, (await stats()).artists.count], [0, 0]);
  });
});

test('a demo that cannot be restored ends the start with the reason', async () => {
  const config = configFor(temporaryFolder());
  await createCatalogue(config);
  mkdirSync(join(filesFolder(config), '..'), { recursive: true });
  rmSync(filesFolder(config), { recursive: true, force: true });
  writeFileSync(filesFolder(config), 'in the way');
  await assert.rejects(fillWithDemo(config), /files/);
});

testDeep('fills a catalogue whose pictures are in a bucket', async () => {
  const s3 = await startS3();
  const { requests } = s3;
  const environment = s3.environment();
  const { dataDir } = await restoreDemo(environment);
  assert.ok(requests.filter((request) => /^PUT .*\.(webp|jpg|png|gif|avif)$/.test(request)).length > 68);
  const { output } = await succeed(['check'], { ...environment, DATA_DIR: dataDir });
  assert.equal(output, 'no problems found\n');
});

test('the first response after a start that was killed has all of it, from every worker', async () => {
  const environment = { DATA_DIR: temporaryFolder(), PORT: '0', WORKERS: '2' };
  const killAt = join(import.meta.dirname, 'support/zukan/kill-at.ts');
  const killed = start(['serve', '--demo'], { ...environment, KILL_AT: '100', KILL_FROM: '\\.aside' }, [
    `--import=${killAt}`,
  ]);
  assert.deepEqual(await once(killed, 'close'), [null, 'SIGKILL']);
  assert.ok(readdirSync(join(environment.DATA_DIR, 'files')).length > 2, 'some pictures are stored');
  const { origin, stop } = await serve(environment, ['--demo']);
  const responses = await Promise.all(Array.from({ length: 8 }, () => fetch(`${origin}/api/stats`)));
  for (const response of responses) {
    const { data } = (await response.json()) as { data: { images: { count: number } } };
    assert.equal(data.images.count, 68);
  }
  await stop();
  assert.equal((await succeed(['check'], environment)).output, 'no problems found\n');
});
