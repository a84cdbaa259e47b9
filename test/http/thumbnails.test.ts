/** Thumbnails in responses: their links, how they are served, and missing ones that are made on request. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { forEachEngineInDepth, tamper } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import {
  type Envelope,
  filesFolder,
  importKnownCatalogue,
  makeToken,
  startService,
} from '../support/zukan/service.ts';

const start = Date.UTC(2026, 2, 1);
const sizes = [20, 50, 80];

await forEachEngineInDepth(async (engine) => {
  const folder = temporaryFolder();
  const config = await importKnownCatalogue({ engine, environment: { THUMBNAILS: sizes.join() } }, folder);
  let now = start;
  const service = await startService(config, { clock: () => now });
  const { headers } = await makeToken(config, ['image:list', 'image:custom-expiry']);
  const get = (path: string) => service.get(`/api${path}`, headers);
  const first = `/image/${uuid(4, 1)}`;
  const firstThumbnails = async () => (await get(`${first}?include=thumbnails`)).json.data.meta.thumbnails;
  const pathOf = (size: number, key: string) =>
    join(filesFolder(config), 'thumbnails', `${size}`, `${key}.webp`);

  test('include=thumbnails adds them to every image and changes nothing else', async () => {
    const paths = [
      '/image?limit=25',
      first,
      `/artist/${uuid(2, 1)}/images?limit=25`,
      '/image/latest?limit=25',
    ];
    for (const path of [...paths, '/image/random?limit=25&seed=s', ...paths]) {
      const query = path.includes('?') ? '&' : '?';
      const plain = [(await get(path)).json.data].flat();
      const included = [(await get(`${path}${query}include=artist,thumbnails`)).json.data].flat();
      assert.ok(plain.length > 0);
      for (const [index, { artistDetails, ...image }] of included.entries()) {
        const { thumbnails, thumbHash, animated, ...meta } = image.meta;
        assert.deepEqual({ ...image, meta }, plain[index]);
        assert.equal(artistDetails.id, image.artist);
        assert.match(thumbHash, /^[A-Za-z0-9+/]{6,50}={0,2}$/);
        const drawn = images.find(({ id }) => id === image.id)?.drawing;
        assert.equal(animated, (drawn?.frames ?? 1) > 1);
        const longest = Math.max(meta.dimens.width, meta.dimens.height);
        assert.deepEqual(
          thumbnails.map(({ width, height }: Envelope) => Math.max(width, height)),
          sizes.filter((size) => size < longest),
        );
      }
    }
  });

  test('the links load files of the announced size and type, and expire with the image', async () => {
    now = start;
    const { data } = (await get('/image?limit=25&include=thumbnails&expiry=90')).json;
    assert.equal(data.length, images.length);
    for (const { meta, url } of data) {
      for (const thumbnail of meta.thumbnails) {
        const { status, bytes, headers } = await service.get(thumbnail.url);
        assert.equal(status, 200);
        assert.equal(headers['content-type'], thumbnail.mimetype);
        assert.equal(headers['cache-control'], 'public, max-age=90');
        const { format, width, height } = await sharp(bytes).metadata();
        assert.deepEqual([format, width, height], ['webp', thumbnail.width, thumbnail.height]);
        const expires = new URL(thumbnail.url).searchParams.get('expires');
        assert.equal(expires, new URL(url).searchParams.get('expires'));
      }
    }
    now = Date.parse(data[0].meta.expires);
    assertError(await service.get(data[0].meta.thumbnails[0].url), 410, /expired/);
    now = start;
  });

  test('a thumbnail has its own entity tag and supports ranges', async () => {
    const [small, large] = await firstThumbnails();
    const whole = await service.get(small.url);
    const eTag = whole.headers.etag as string;
    assert.notEqual(eTag, (await service.get(large.url)).headers.etag);
    assert.equal((await service.get(small.url, { 'if-none-match': eTag })).status, 304);
    const part = await service.get(small.url, { range: 'bytes=4-9' });
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, whole.bytes.subarray(4, 10));
  });

  test('width redirects to the smallest thumbnail that is wide enough', async () => {
    const cases: [number, string][] = [
      [1, '/20.webp'],
      [20, '/20.webp'],
      [21, '/50.webp'],
      [80, '/80.webp'],
      [81, '/original.jpg'],
    ];
    for (const [width, end] of cases)
      for (const path of [
        `${first}/file?width=${width}`,
        `/image/random/file?width=${width}&artist=${uuid(2, 1)}&seed=x`,
      ]) {
        const { status, headers } = await get(path);
        assert.equal(status, 302);
        const location = new URL(headers.location as string);
        if (path.startsWith(first))
          assert.ok(location.pathname.endsWith(`${uuid(4, 1)}${end}`), location.pathname);
        assert.equal((await service.get(location.href)).status, 200);
      }
  });

  test('makes a recorded thumbnail again if its file is missing, and stores it', async () => {
    const { meta } = (await get(first)).json.data;
    const key = `${meta.eTag.slice(0, 2)}/${meta.eTag}.jpg`;
    const [small] = await firstThumbnails();
    const before = await service.get(small.url);
    rmSync(pathOf(20, key));
    const after = await service.get(small.url);
    assert.equal(after.status, 200);
    assert.deepEqual(after.bytes, before.bytes);
    assert.ok(existsSync(pathOf(20, key)));

    // The original is gone too, or damaged.
    const original = join(filesFolder(config), key);
    rmSync(pathOf(20, key));
    writeFileSync(original, 'damaged');
    assertError(await service.get(small.url), 404, /missing/);
    rmSync(original);
    assertError(await service.get(small.url), 404, /missing/);
  });

  test('makes no thumbnail that is not recorded, and old documents have none', async () => {
    const [, middle] = (await get(`/image/${uuid(4, 2)}?include=thumbnails`)).json.data.meta.thumbnails;
    tamper(
      config,
      `update image set document = replace(document, '20,50,80 ', '20,80 ') where id = '${uuid(4, 2)}'`,
    );
    const fresh = await startService(config, { clock: () => start });
    const link = middle.url.replace(service.origin, fresh.origin);
    assert.equal((await fresh.get(link)).status, 200);
    const { meta } = (await fresh.get(`/api/image/${uuid(4, 2)}`)).json.data;
    rmSync(pathOf(50, `${meta.eTag.slice(0, 2)}/${meta.eTag}.png`));
    assertError(await fresh.get(link), 404, /missing/);

    const lineFeed = engine.name === 'SQLite' ? 'char(10)' : 'chr(10)';
    tamper(
      config,
      `update image set document = substr(document, 1, length(document) - length('20,50,80  0') - 28 - 1)
       where id = '${uuid(4, 1)}' and substr(document, length(document) - length('20,50,80  0') - 28, 1) = ${lineFeed}`,
    );
    const old = await startService(config, { clock: () => start });
    const image = (await old.get(`/api${first}?include=artist,thumbnails`)).json.data;
    assert.deepEqual(image.meta.thumbnails, []);
    assert.ok(!('thumbHash' in image.meta));
    assert.equal(image.meta.animated, false, 'a JPEG');
    assert.equal(image.artistDetails.id, image.artist);
    const { headers } = await old.get(`/api${first}/file?width=10`);
    assert.match(headers.location as string, /\.jpg\?/);
  });
});
