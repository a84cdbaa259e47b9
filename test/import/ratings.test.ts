/** Imports of folders and ratings: no picture becomes safer without anyone noticing. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { imageLine } from '../../src/catalogue/lines.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

await forEachEngineInDepth((engine) => {
  function newFolder() {
    const box = sandbox(engine);
    const pictures = join(box.folder, 'pictures');
    const write = (index: number, sidecar?: object) => {
      writeTiny(pictures, `${index}.png`, index);
      if (sidecar) writeFileSync(join(pictures, `${index}.png.json`), JSON.stringify(sidecar));
    };
    const run = async (...flags: string[]) => {
      const { status, output, errors } = await runCommand(['import', '--quiet', ...flags, pictures], {
        ...box.environment,
        THUMBNAILS: 'off',
      });
      assert.equal(status, 0, errors);
      return output;
    };
    return { box, pictures, write, run };
  }

  async function images({ config }: Sandbox) {
    await using snapshot = await openSnapshot(config);
    const lines = (await Array.fromAsync(snapshot.images())).map((image) => JSON.parse(imageLine(image)));
    return lines.map(({ id, createdAt, key, meta, ...fields }) => fields);
  }

  test('pictures without a marker get the default rating, and the summary says so', async () => {
    const { box, pictures, write, run } = newFolder();
    write(1);
    write(2, { rating: 'safe' });
    writeTiny(pictures, 'explicit/0.png', 0);
    const output = await run('--default-rating', 'questionable');
    assert.match(output, /\n1 picture without a rating imported as questionable \(--default-rating\)\n/);
    write(3);
    assert.match(
      await run('--default-rating', 'sfw'),
      /\n1 picture without a rating imported as sfw \(--default-rating\)\n/,
    );
    assert.deepEqual(
      (await images(box)).map(({ nsfw }) => nsfw),
      ['questionable', 'sfw', 'nsfw', 'sfw'],
    );
    assert.match(await run('--default-rating', 'nsfw'), /^0 added, 0 updated, 4 unchanged\n/);
  });

  test('the names that lead to the imported folder count, too', async () => {
    const box = sandbox(engine);
    const folder = join(box.folder, 'NSFW/2024');
    writeTiny(folder, '1.png', 1);
    const { status, errors } = await runCommand(['import', '--quiet', folder], box.environment);
    assert.equal(status, 0, errors);
    const [image] = await images(box);
    assert.deepEqual([image?.nsfw, image?.categories], ['nsfw', []]);
  });

  test('a marker that is not understood makes a picture nsfw, and is listed', async () => {
    const { box, write, run } = newFolder();
    for (const index of [1, 2, 3]) write(index, { rating: 'odd\u001b[2J' });
    const output = await run();
    assert.match(
      output,
      /\nimported as nsfw, because the rating is not understood:\n {2}"rating": odd\S+ in .*1\.png and 2 more\n/,
    );
    assert.ok(!output.includes('\u001b'));
    assert.equal((await images(box))[0]?.nsfw, 'nsfw');
  });

  test('lists each image whose rating goes down, in a dry run too', async () => {
    const { write, run } = newFolder();
    const count = 25;
    for (let index = 0; index < count; index++) write(index, { rating: 'e' });
    await run();
    for (let index = 0; index < count; index++) write(index, { rating: index === 0 ? 'q' : 's' });
    for (const flags of [['--dry-run'], []]) {
      const output = await run(...flags);
      const [, list = ''] = /\nrating lowered:\n((?: {2}.*\n)+)/.exec(output) ?? [];
      assert.equal(list.trimEnd().split('\n').length, count);
      assert.match(list, /pictures\/0\.png: nsfw → questionable\n {2}.*pictures\/1\.png: nsfw → sfw\n/);
    }
    assert.doesNotMatch(await run(), /lowered/);
  });

  test('of copies, the strictest rating counts', async () => {
    const { box, pictures, write, run } = newFolder();
    write(1);
    for (const [name, rating] of Object.entries({ a: 'q', b: 'e', c: 'q' })) {
      writeTiny(pictures, `copies/${name}.png`, 1);
      writeFileSync(join(pictures, `copies/${name}.json`), JSON.stringify({ rating, artist: name }));
    }
    assert.match(await run(), /^1 added, 0 updated, 0 unchanged\n/);
    const [image] = await images(box);
    assert.deepEqual([image?.nsfw, image?.categories], ['nsfw', []]);
    assert.match(await run(), /^0 added, 0 updated, 1 unchanged\n(not read .*\n)?skipped/);
  });

  test('a picture whose sidecar stayed behind keeps what the catalogue knows', async () => {
    const { box, pictures, write, run } = newFolder();
    const details = {
      artist: 'Ann',
      characters: ['Cleo'],
      source: 'https://example.org/1',
      tags: ['a', 'b'],
    };
    write(1, { ...details, rating: 'explicit', created_at: '2020-01-02' });
    await run();
    const [before] = await images(box);
    assert.equal(before?.nsfw, 'nsfw');
    rmSync(join(pictures, '1.png.json'));
    assert.match(await run(), /^0 added, 0 updated, 1 unchanged\n/);
    mkdirSync(join(pictures, 'questionable'));
    renameSync(join(pictures, '1.png'), join(pictures, 'questionable/2.png'));
    assert.match(
      await run(),
      /^0 added, 1 updated, 0 unchanged; entries: 1 added.*\n(not read .*\n)?created/,
    );
    const [after] = await images(box);
    assert.equal(after?.categories.length, 1, 'the folder states the categories');
    const renamed = { ...before, categories: [], fileName: '2.png' };
    assert.deepEqual({ ...after, categories: [] }, renamed);
    writeFileSync(join(pictures, 'questionable/2.txt'), 'c\n');
    assert.match(await run(), /^0 added, 1 updated.*; entries: 1 added/);
    assert.deepEqual({ ...(await images(box))[0], categories: [] }, renamed);
    writeFileSync(join(pictures, 'questionable/2.json'), '{"artist":null,"characters":[],"source":""}');
    await run();
    const [emptied] = await images(box);
    assert.deepEqual(
      [emptied?.characters, emptied?.source, emptied?.nsfw],
      [[], { name: '', url: '' }, 'nsfw'],
    );
  });

  test('a catalogue file states all fields, and lowers no rating silently either', async () => {
    const { box, write, run } = newFolder();
    write(1, { artist: 'Ann', rating: 'e' });
    await run();
    const catalogue = join(box.folder, 'c.ndjson');
    writeFileSync(catalogue, '{"type":"image","file":"pictures/1.png","nsfw":"questionable"}\n');
    const { output } = await runCommand(['import', '--quiet', catalogue], box.environment);
    assert.match(output, /^0 added, 1 updated.*\nrating lowered:\n {2}.*c\.ndjson:1: nsfw → questionable\n/);
    assert.doesNotMatch(JSON.stringify(await images(box)), /Ann/);
  });
});
