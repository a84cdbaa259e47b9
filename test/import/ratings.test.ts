/** Imports of folders and ratings: no picture becomes safer without anyone noticing. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { imageLine } from '../../src/catalogue/lines.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import type { Sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';

await forEachEngineInDepth((engine) => {
  function newFolder() {
    const box = openMaintained(engine);
    const add = (index: number, sidecar?: object) => {
      box.write(`${index}.png`, index);
      if (sidecar) box.write(`${index}.png.json`, sidecar);
    };
    return { box, ...box, add };
  }

  async function images({ config }: Sandbox) {
    await using snapshot = await openSnapshot(config);
    const lines = (await Array.fromAsync(snapshot.images())).map((image) => JSON.parse(imageLine(image)));
    return lines.map(({ id, createdAt, key, meta, ...fields }) => fields);
  }

  test('pictures without a marker get the default rating, and the summary says so', async () => {
    const { box, write, importFolder, add } = newFolder();
    add(1);
    add(2, { rating: 'safe' });
    write('explicit/0.png', 0);
    const output = await importFolder('--default-rating', 'questionable');
    assert.match(output, /\n1 picture without a rating imported as questionable \(--default-rating\)\n/);
    add(3);
    assert.match(
      await importFolder('--default-rating', 'sfw'),
      /\n1 picture without a rating imported as sfw \(--default-rating\)\n/,
    );
    assert.deepEqual(
      (await images(box)).map(({ nsfw }) => nsfw),
      ['questionable', 'sfw', 'nsfw', 'sfw'],
    );
    assert.match(await importFolder('--default-rating', 'nsfw'), /^0 added, 0 updated, 4 unchanged\n/);
  });

  test('the names that lead to the imported folder count, too', async () => {
    const { box, write, pictures, ok } = newFolder();
    write('NSFW/2024/1.png', 1);
    await ok('import', '--quiet', join(pictures, 'NSFW/2024'));
    const [image] = await images(box);
    assert.deepEqual([image?.nsfw, image?.categories], ['nsfw', []]);
  });

  test('a folder whose description has nearly the right name is left out', async () => {
    const { write, tryImport } = newFolder();
    const names = ['zukan.json', '.Zukan.json', '.zukan.json.txt', '.zukanignore.txt', 'zukanignore'];
    for (const [index, name] of names.entries()) {
      write(`${index}/${index}.png`, index);
      write(`${index}/${name}`, name.includes('json') ? { rating: 'nsfw' } : '*.png');
    }
    write('last.png', names.length);
    const { status, output } = await tryImport();
    assert.equal(status, 1);
    assert.match(output, /^1 added, /);
    for (const [index, name] of names.entries())
      assert.match(output, new RegExp(`/${index}/${name}: rename it to \\.zukan(ignore|\\.json)\n`));
  });

  test('a marker that is not understood makes a picture nsfw, and is listed', async () => {
    const { box, importFolder, add } = newFolder();
    for (const index of [1, 2, 3]) add(index, { rating: 'odd\u001b[2J' });
    const output = await importFolder();
    assert.match(
      output,
      /\nimported as nsfw, because the rating is not understood:\n {2}"rating": odd\S+ in .*1\.png and 2 more\n/,
    );
    assert.ok(!output.includes('\u001b'));
    assert.equal((await images(box))[0]?.nsfw, 'nsfw');
  });

  test('lists each image whose rating goes down, in a dry run too', async () => {
    const { importFolder, add } = newFolder();
    const count = 25;
    for (let index = 0; index < count; index++) add(index, { rating: 'e' });
    await importFolder();
    for (let index = 0; index < count; index++) add(index, { rating: index === 0 ? 'q' : 's' });
    for (const flags of [['--dry-run'], []]) {
      const output = await importFolder(...flags);
      const [, list = ''] = /\nrating lowered:\n((?: {2}.*\n)+)/.exec(output) ?? [];
      assert.equal(list.trimEnd().split('\n').length, count);
      assert.match(list, /pictures\/0\.png: nsfw → questionable\n {2}.*pictures\/1\.png: nsfw → sfw\n/);
    }
    assert.doesNotMatch(await importFolder(), /lowered/);
  });

  test('of copies, the strictest rating counts', async () => {
    const { box, write, importFolder, add } = newFolder();
    add(1);
    for (const [name, rating] of Object.entries({ a: 'q', b: 'e', c: 'q' })) {
      write(`copies/${name}.png`, 1);
      write(`copies/${name}.json`, { rating, artist: name });
    }
    assert.match(await importFolder(), /^1 added, 0 updated, 0 unchanged\n/);
    const [image] = await images(box);
    assert.deepEqual([image?.nsfw, image?.categories], ['nsfw', []]);
    assert.match(await importFolder(), /^0 added, 0 updated, 1 unchanged\n(not read .*\n)?skipped/);
  });

  test('a picture whose sidecar stayed behind keeps what the catalogue knows', async () => {
    const { box, pictures, write, importFolder, add } = newFolder();
    const details = {
      artist: 'Ann',
      characters: ['Cleo'],
      source: 'https://example.org/1',
      tags: ['a', 'b'],
    };
    add(1, { ...details, rating: 'explicit', created_at: '2020-01-02' });
    await importFolder();
    const [before] = await images(box);
    assert.equal(before?.nsfw, 'nsfw');
    rmSync(join(pictures, '1.png.json'));
    assert.match(await importFolder(), /^0 added, 0 updated, 1 unchanged\n/);
    mkdirSync(join(pictures, 'questionable'));
    renameSync(join(pictures, '1.png'), join(pictures, 'questionable/2.png'));
    assert.match(
      await importFolder(),
      /^0 added, 1 updated, 0 unchanged; entries: 1 added.*\n(not read .*\n)?created/,
    );
    const [after] = await images(box);
    assert.equal(after?.categories.length, 1, 'the folder states the categories');
    const renamed = { ...before, categories: [], fileName: '2.png' };
    assert.deepEqual({ ...after, categories: [] }, renamed);
    write('questionable/2.txt', 'c\n');
    assert.match(await importFolder(), /^0 added, 1 updated.*; entries: 1 added/);
    assert.deepEqual({ ...(await images(box))[0], categories: [] }, renamed);
    write('questionable/2.json', '{"artist":null,"characters":[],"source":""}');
    await importFolder();
    const [emptied] = await images(box);
    assert.deepEqual(
      [emptied?.characters, emptied?.source, emptied?.nsfw],
      [[], { name: '', url: '' }, 'nsfw'],
    );
  });

  test('a catalogue file states all fields, and lowers no rating silently either', async () => {
    const { box, importFolder, add, write } = newFolder();
    add(1, { artist: 'Ann', rating: 'e' });
    await importFolder();
    write('../c.ndjson', '{"type":"image","file":"pictures/1.png","nsfw":"questionable"}\n');
    const output = await box.ok('import', '--quiet', join(box.folder, 'c.ndjson'));
    assert.match(output, /^0 added, 1 updated.*\nrating lowered:\n {2}.*c\.ndjson:1: nsfw → questionable\n/);
    assert.doesNotMatch(JSON.stringify(await images(box)), /Ann/);
  });
});
