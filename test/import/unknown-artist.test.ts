/** Images without an artist belong to the artist "Unknown". */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UNKNOWN_ARTIST } from '../../src/catalogue/documents/document.ts';
import type { Config } from '../../src/config/config.ts';
import { parseJsonBytes } from '../../src/lib/byte-string.ts';
import { openStore, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { contentOf, keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';

test('its id is a version 5 UUID in the namespace of URLs', () => {
  const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
  const hash = createHash('sha1').update(namespace).update('zukan:artist:Unknown').digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const hex = `${hash.slice(0, 12)}5${hash.slice(13, 16)}${variant}${hash.slice(18, 32)}`;
  assert.equal(UNKNOWN_ARTIST.id.replaceAll('-', ''), hex);
});

await forEachEngineInDepth((engine) => {
  async function artistsIn(config: Config): Promise<object[]> {
    await using store = await openStore(config);
    const { items } = await store.catalogue.list('artist', { offset: 0, limit: 25 });
    const artists = items.map(({ json }) => parseJsonBytes(json) as { id: string });
    return await Promise.all(
      artists.map(async (artist) => ({
        ...artist,
        images: (await store.catalogue.one('artist', artist.id))?.images,
      })),
    );
  }

  test('is made by the first image without an artist, and used by name, by id and implicitly', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', id: uuid(2, 1), name: 'Ann' }, keyed(1, { artist: 'Ann' })]);
    assert.deepEqual(await artistsIn(box.config), [{ id: uuid(2, 1), name: 'Ann', url: '', images: 1 }]);
    const records = [
      keyed(2, { id: uuid(4, 2) }),
      keyed(3, { artist: null, source: null }),
      keyed(4, { artist: 'Unknown' }),
      keyed(5, { artist: UNKNOWN_ARTIST.id.toUpperCase() }),
    ];
    assert.deepEqual(await box.import(records), { added: 4, updated: 0, unchanged: 0 });
    assert.deepEqual(await artistsIn(box.config), [
      { id: uuid(2, 1), name: 'Ann', url: '', images: 1 },
      { ...UNKNOWN_ARTIST, images: 4 },
    ]);
    assert.deepEqual(await box.import(records), { added: 0, updated: 0, unchanged: 4 });
    await using store = await openStore(box.config);
    const image = await store.catalogue.image(uuid(4, 2));
    const { artist, source } = contentOf(image as never);
    assert.deepEqual({ artist, source }, { artist: UNKNOWN_ARTIST.id, source: { name: '', url: '' } });
  });

  test('is made by the first edit that gives an image to it', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', name: 'Ann' }, keyed(1, { id: uuid(4, 1), artist: 'Ann' })]);
    const edit = await runCommand(['edit', uuid(4, 1), '--artist', 'Unknown'], box.environment);
    assert.equal(edit.status, 0, edit.errors);
    assert.deepEqual((await artistsIn(box.config)).at(-1), { ...UNKNOWN_ARTIST, images: 1 });
  });

  test('stays when its last image is removed, and takes images that lose their artist', async () => {
    const box = sandbox(engine);
    await box.import([keyed(1, { id: uuid(4, 1) })]);
    const writer = await openWriter(box.config);
    await writer.takeDownImages([uuid(4, 1)]);
    await writer.commit();
    assert.deepEqual(await artistsIn(box.config), [{ ...UNKNOWN_ARTIST, images: 0 }]);
    await box.import([{ type: 'artist', id: uuid(2, 1), name: 'Ann' }, keyed(2, { artist: 'Ann' })]);
    await box.import([keyed(2)]);
    assert.deepEqual(await artistsIn(box.config), [
      { id: uuid(2, 1), name: 'Ann', url: '', images: 0 },
      { ...UNKNOWN_ARTIST, images: 1 },
    ]);
  });

  if (atDepth(engine !== sqlite, false)) return;
  test('is not made if the import fails', async () => {
    const box = sandbox(engine);
    await assert.rejects(box.import([keyed(1), keyed(2, { categories: ['missing'] })]));
    assert.deepEqual(await artistsIn(box.config), []);
  });

  test('is the artist that a record without an id calls "Unknown", and can be renamed by its id', async () => {
    const box = sandbox(engine);
    const url = 'https://example.org/unknown';
    await box.import([{ type: 'artist', name: 'Unknown', url }, keyed(1)]);
    assert.deepEqual(await artistsIn(box.config), [{ ...UNKNOWN_ARTIST, url, images: 1 }]);
    await box.import([{ type: 'artist', id: UNKNOWN_ARTIST.id, name: 'Anonymous' }, keyed(2)]);
    assert.deepEqual(await artistsIn(box.config), [{ ...UNKNOWN_ARTIST, name: 'Anonymous', images: 2 }]);
  });

  test('is meant by its name even if another artist is called the same', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', id: uuid(2, 1), name: 'Unknown' }, keyed(1, { artist: 'Unknown' })]);
    assert.deepEqual(await artistsIn(box.config), [
      { id: uuid(2, 1), name: 'Unknown', url: '', images: 0 },
      { ...UNKNOWN_ARTIST, images: 1 },
    ]);
  });

  test('is used for the pictures of a folder, also if a sidecar says "Unknown"', async () => {
    const { folder, config } = sandbox(engine);
    const pictures = join(folder, 'pictures');
    mkdirSync(pictures);
    for (const picture of [1, 2]) writeTiny(pictures, `${picture}.png`, picture);
    writeFileSync(join(pictures, '1.json'), '{"artist":"Unknown"}');
    await importFiles(config, [pictures]);
    assert.deepEqual(await artistsIn(config), [{ ...UNKNOWN_ARTIST, images: 2 }]);
  });
});
