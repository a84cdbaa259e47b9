/** Pictures that look alike: what an import reports, and what `zukan duplicates` lists. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { addMissingHashes } from '../../src/import/files.ts';
import { openFiles, openSnapshot, openWriter } from '../../src/server/engines.ts';
import { keyed } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { paint } from '../support/pictures/painting.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { forEachEngineInDepth, rowsIn, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { filesFolder } from '../support/zukan/service.ts';

const [cat, dog, fox] = [1, 2, 3].map((seed) => paint(seed, 300, 200)) as [Painting, Painting, Painting];
type Painting = ReturnType<typeof paint>;

const pictures = {
  'cat.png': cat().png(),
  'dog.png': dog().png(),
  'fox.png': fox().png(),
};
const copies = {
  'cat-small.jpg': cat().resize(120).jpeg({ quality: 50 }),
  'cat-tiny.webp': cat().resize(80).webp(),
  'dog-grey.jpg': dog().greyscale().jpeg(),
};

interface Group {
  images: {
    id: string;
    width: number;
    height: number;
    size: number;
    mimetype: string;
    title: string;
    fileName: string;
  }[];
}

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);
  async function folderWith(files: Record<string, { toBuffer(): Promise<Buffer> }>) {
    const { pictures: folder, ...box } = openMaintained(engine);
    const add = async (more: typeof files) => {
      for (const [name, picture] of Object.entries(more)) box.write(name, await picture.toBuffer());
    };
    await add(files);
    const duplicates = async (): Promise<Group[]> => JSON.parse(await box.ok('duplicates', '--json'));
    return { ...box, folder, add, duplicates };
  }

  describe('import', () => {
    test('reports pictures that look like one of the catalogue or of the same import', async () => {
      const { folder, add, run, config } = await folderWith(pictures);
      assert.doesNotMatch((await run('import', folder)).output, /look/);
      await add(copies);
      const dryRun = await run('import', '--dry-run', folder);
      const { output } = await run('import', folder);
      const [id] = rowsIn(config, `select id from image where number = 1`) as { id: string }[];
      const report = output.slice(output.indexOf('imported, but'));
      assert.match(output, /^3 added, 0 updated, 3 unchanged\n/);
      assert.match(report, /^imported, but look alike:\n( {2}.+ looks like .+\n){3}$/);
      assert.match(report, new RegExp(`${join(folder, 'cat-small.jpg')} looks like image ${id?.id}\n`));
      assert.ok(dryRun.output.includes(report), 'a dry run finds the same');
      assert.doesNotMatch((await run('import', folder)).output, /look/, 'only new pictures are reported');
    });

    testOnce('says how look-alikes are rated if they differ', async () => {
      const { folder, add, ok, write } = await folderWith({ 'a.jpg': cat().jpeg() });
      write('a.json', { nsfw: 'nsfw' });
      await ok('import', '--quiet', folder);
      await add({
        'b.jpg': cat().resize(200).jpeg(),
        'c.jpg': cat().resize(220).jpeg(),
        'd.jpg': cat().resize(240).jpeg(),
      });
      write('c.json', { nsfw: 'questionable' });
      const output = await ok('import', '--quiet', folder);
      assert.match(output, /b\.jpg \(sfw\) looks like image [0-9a-f-]{36} \(nsfw\)\n/);
      assert.match(
        output,
        /c\.jpg \(questionable\) looks like (image [0-9a-f-]{36} \(nsfw\)|.*b\.jpg \(sfw\))\n/,
      );
    });

    testOnce('lists twenty and counts the rest', async () => {
      const many = Array.from({ length: 23 }, (_, index) => [
        `${index}.jpg`,
        cat()
          .resize(100 + index)
          .jpeg(),
      ]);
      const { folder, run } = await folderWith(Object.fromEntries(many));
      const { output } = await run('import', folder);
      assert.match(output, /look alike:\n( {2}.+ looks like .+\n){20} {2}and 2 more\n$/);
    });

    testOnce('does not compare pictures with too little detail', async () => {
      const { folder, run, duplicates } = await folderWith({});
      for (const colour of ['#ffffff', '#fefefe', '#000000'])
        await drawInto(folder, {
          file: `${colour.slice(1)}.png`,
          format: 'png',
          width: 40,
          height: 40,
          colour,
        });
      assert.match((await run('import', folder)).output, /^3 added.*\n3 pictures without a rating.*\n$/);
      assert.deepEqual(await duplicates(), []);
    });
  });

  describe('duplicates', () => {
    testOnce('lists groups, the largest first, and the largest picture of each first', async () => {
      const { folder, run, duplicates } = await folderWith({ ...pictures, ...copies });
      await run('import', folder);
      const groups = await duplicates();
      const shapes = groups.map(({ images }) => images.map(({ width, mimetype }) => `${width} ${mimetype}`));
      assert.deepEqual(shapes, [
        ['300 image/png', '120 image/jpeg', '80 image/webp'],
        ['300 image/png', '300 image/jpeg'],
      ]);
      const { output } = await run('duplicates');
      assert.deepEqual(
        [groups[0]?.images[1]?.title, groups[0]?.images[1]?.fileName],
        ['cat small', 'cat-small.jpg'],
      );
      for (const { id, width, height, size, title, fileName } of groups.flatMap(({ images }) => images))
        assert.match(
          output,
          new RegExp(`^${id} +${width} x ${height} +${size} +image/\\S+ +${title} +${fileName}$`, 'm'),
        );
      assert.match(
        output,
        /\n2 groups, 5 images; "zukan duplicates --keep largest" keeps one of each group\n$/,
      );
      await run('remove', '--yes', groups[1]?.images[1]?.id ?? '');
      assert.deepEqual(await duplicates(), groups.slice(0, 1));
    });

    test('--keep merges the fields into one of each group, and moves the others to the trash', async () => {
      const { folder, run, add, write } = await folderWith(copies);
      write('cat-small.json', { artist: 'Ann', tags: ['cat', 'small'], nsfw: 'questionable' });
      write('cat-tiny.json', { artist: 'Bob', tags: ['tiny'], characters: ['Tama'] });
      await run('import', folder);
      await add(pictures);
      write('cat.json', { tags: ['cat', 'large'] });
      await run('import', folder);
      const [group] = (JSON.parse((await run('duplicates', '--json')).output) as Group[]).map(({ images }) =>
        images.map(({ id }) => id),
      );
      const [large, small, tiny] = group as [string, string, string];
      await run('edit', tiny, '--source-url', 'https://example.org/7', '--title', 'Tama, asleep');
      await run('edit', large, '--add-category', 'decided', '--create');
      const other = (await run('find')).output.split('\n').find((id) => !group?.includes(id)) ?? '';
      await run('entry', 'album', 'Pets', '--create', '--images', other, tiny, large);
      await run('entry', 'album', 'Naps', '--create', '--images', tiny, other, small);
      const list = async () => (await run('find', '--json')).output;
      const albums = async () => (await run('export', '--quiet', '-')).output.match(/^.*"type":"album".*$/gm);
      const before = await list();
      const albumsBefore = await albums();

      const like = async (...flags: string[]) =>
        (await run('find', '--like', join(folder, 'cat-small.jpg'), ...flags)).output.trim().split('\n');
      const alike = await like();
      assert.deepEqual([alike[0], alike.toSorted()], [small, group?.toSorted()], 'the nearest first');
      assert.deepEqual(await like('--title', 'ASLEEP'), [tiny]);
      assert.deepEqual(await like('--edited', '--limit', '1', '--category', 'decided'), [large]);
      const wrong = await run('find', '--like', join(folder, 'cat-small.json'));
      assert.match(wrong.errors, /cat-small\.json: not a JPEG, PNG, WebP, GIF or AVIF picture\n$/);
      assert.match((await run('find', '--like', join(folder, 'none.png'))).errors, /none\.png: /);
      const dry = await run('duplicates', '--keep', 'largest', '--dry-run');
      assert.match(
        dry.output,
        /\ndry run, nothing was changed; this would result in: kept 2 images, moved 3 to the trash\n$/,
      );
      assert.equal(await list(), before);

      const { output } = await run('duplicates', '--keep', 'largest');
      assert.ok(
        output.includes(
          [
            `kept ${large}`,
            '  rating: sfw → questionable',
            '  artist: Unknown → Ann',
            '  characters: (none) → Tama',
            '  source: (none) → https://example.org/7',
            '  title: cat → Tama, asleep',
            '  edited: categories → artist categories characters rating source title',
            '  album: (none) → Naps',
            `  removed ${small}`,
            `  removed ${tiny}`,
            '',
          ].join('\n'),
        ),
        output,
      );
      const number =
        /kept 2 images, moved 3 to the trash; "zukan undo (\d+)" undoes it\n$/.exec(output)?.[1] ?? '';
      assert.equal((await run('duplicates', '--keep', 'largest')).output, 'no images look alike\n');
      const found = JSON.parse(await list()) as { id: string; categories: string[] }[];
      assert.deepEqual(found.find(({ id }) => id === large)?.categories, ['cat', 'decided', 'large']);
      assert.deepEqual(
        (await albums())?.map((line) => JSON.parse(line).images),
        [
          [large, other],
          [other, large],
        ],
        'in their places, Naps first',
      );
      // Neither does an import add them again, nor does it take the merged fields away.
      const again = await run('import', '--full', folder);
      assert.match(again.output, /^0 added, 0 updated/);
      assert.match(again.output, new RegExp(`image ${small}, removed on .* \\(a copy of image ${large}\\)`));
      assert.equal((await run('check')).output, 'no problems found\n');
      assert.equal((await run('undo', number)).status, 0);
      assert.equal(await list(), before);
      assert.deepEqual(await albums(), albumsBefore);
    });

    testOnce('--keep oldest keeps the first that was added; --dry-run needs --keep', async () => {
      const { folder, run, add } = await folderWith({ 'cat-tiny.webp': cat().resize(80).webp() });
      await run('import', folder);
      await add({ 'cat.png': cat().png() });
      await run('import', folder);
      const ids = (await run('find')).output.trim().split('\n');
      assert.deepEqual(JSON.parse((await run('duplicates', '--keep', 'oldest', '--json')).output), [
        { id: ids[1], differences: [], removed: [ids[0]] },
      ]);
      assert.equal((await run('duplicates', '--dry-run')).status, 2);
      assert.equal((await run('duplicates', '--keep', 'newest')).status, 2);
    });

    testOnce('says so if there are none', async () => {
      const { folder, run } = await folderWith(pictures);
      await run('import', '-');
      assert.equal((await run('duplicates')).output, 'no images look alike\n');
      await run('import', folder);
      assert.equal((await run('duplicates')).output, 'no images look alike\n');
    });

    test('computes hashes that are missing, and leaves out files that it cannot read', async () => {
      const { folder, config, run, duplicates, ...box } = await folderWith({ ...pictures, ...copies });
      await run('import', folder);
      const hashes = () => rowsIn(config, 'select * from perceptual_hash order by image');
      const [before, groups] = [hashes(), await duplicates()];
      tamper(config, 'delete from perceptual_hash where image <> 3');
      const interrupt = new AbortController();
      const interrupted = addMissingHashes({
        files: openFiles(config),
        openSnapshot: () => openSnapshot(config),
        openWriter: () => openWriter(config),
        concurrency: 1,
        onProgress: () => interrupt.abort(new Error('interrupted')),
        signal: interrupt.signal,
      });
      await assert.rejects(interrupted, /^Error: interrupted$/);
      assert.deepEqual(await duplicates(), groups);
      assert.deepEqual(hashes(), before);
      assert.equal((await run('check')).status, 0);

      tamper(config, 'delete from perceptual_hash where image = 1');
      await box.import([keyed(1)]);
      for (const file of filesIn(filesFolder(config)))
        rmSync(join(filesFolder(config), file.split(' ')[0] ?? ''));
      const { status, errors } = await run('duplicates');
      assert.equal(status, 0);
      assert.match(errors, /2 images left out: the file is missing or unreadable\n/);
    });

    testOnce('an import of the same pictures adds hashes that are missing', async () => {
      const { folder, config, run } = await folderWith(pictures);
      await run('import', folder);
      tamper(config, 'delete from perceptual_hash where image = 2');
      assert.match((await run('import', folder)).output, /^0 added, 1 updated, 2 unchanged\n$/);
      assert.equal(rowsIn(config, 'select * from perceptual_hash').length, 3);
    });
  });
});
