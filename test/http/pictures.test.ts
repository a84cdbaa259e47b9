/** Lasting addresses of pictures: `/pictures/<id>/<size>.webp` and `/pictures/<id>/original.<type>`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { lastingLinks, parsePictureAddress } from '../../src/access/links.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { type Drawing, draw } from '../support/pictures/pictures.ts';
import { environmentOf, forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { type Envelope, filesFolder, importKnownCatalogue, startService } from '../support/zukan/service.ts';

const environment = { THUMBNAILS: '20,50,80' };
const LASTING = 'public, max-age=86400, s-maxage=3600';

await forEachEngineInDepth(async (engine) => {
  const folder = temporaryFolder();
  const config = await importKnownCatalogue({ engine, environment }, folder);
  const service = await startService(config);
  const recordOf = async (id: string): Promise<Envelope> =>
    (await service.get(`/api/image/${id}?include=thumbnails`)).json.data;
  const [first = assert.fail()] = images;
  const { meta } = await recordOf(first.id);
  const path = `/pictures/${first.id}`;
  const version = `v=${meta.eTag.slice(0, 10)}`;

  test('every file of every image has one, with its own entity tag', async () => {
    for (const { id, drawing } of images) {
      const { meta } = await recordOf(id);
      const extension = meta.mimetype === 'image/jpeg' ? 'jpg' : meta.mimetype.slice('image/'.length);
      const version = `v=${meta.eTag.slice(0, 10)}`;
      const names = meta.thumbnails.map(({ width, height }: Envelope) => `${Math.max(width, height)}.webp`);
      const tags = new Set();
      for (const name of [`original.${extension}`, ...names])
        for (const query of ['', `?${version}`]) {
          const { status, headers, bytes } = await service.get(`/pictures/${id}/${name}${query}`);
          assert.equal(status, 200, name);
          assert.equal(headers['cache-control'], LASTING);
          assert.equal(headers.vary, undefined, 'a cache keeps one copy');
          assert.equal(headers['access-control-allow-origin'], '*');
          assert.equal(headers['content-type'], name.startsWith('original') ? meta.mimetype : 'image/webp');
          if (name.startsWith('original')) assert.deepEqual(bytes, await draw(drawing as Drawing));
          tags.add(headers.etag);
        }
      assert.equal(tags.size, names.length + 1);
      assert.ok(tags.has(`"${meta.eTag}"`));
    }
  });

  test('a picture is saved under its title, whatever that contains', async () => {
    const save = async (title: string, name: string) => {
      await runCommand(['edit', first.id, '--title', title], environmentOf(config));
      return (await service.get(`${path}/${name}`)).headers['content-disposition'];
    };
    const start = first.id.slice(0, 8);
    assert.equal(await save('', 'original.jpg'), `inline; filename="picture-${start}.jpg"`);
    assert.equal(
      await save('Fox, "at" night', '20.webp'),
      `inline; filename="fox-at-night-${start}-20.webp"`,
    );
    assert.equal(
      await save('../Füchse";\\ 雪🦊', 'original.jpg'),
      `inline; filename="fuchse-_-${start}.jpg"; filename*=UTF-8''f%C3%BCchse-%E9%9B%AA-${start}.jpg`,
    );
    const { json } = await service.get(`/api/image/${first.id}`);
    assert.match((await service.get(json.data.url)).headers['content-disposition'] ?? '', /fuchse/);
  });

  test('any other address is a 404 that no cache keeps', async () => {
    const others = [
      ...[`${path}/21.webp`, `${path}/020.webp`, `${path}/20.jpg`, `${path}/20.webp/`],
      ...[`${path}/160.webp`, `${path}/9999999.webp`, `${path}/-20.webp`, `${path}/20.WEBP`],
      ...[`${path}/original.webp`, `${path}/original.jpeg`, `${path}/original.jpg.jpg`],
      ...[
        `${path}/%6Friginal.jpg`,

        `${path}//20.webp`,
        `${path}%2F20.webp`,
      ],
      ...[`/pictures/${uuid(9, 9)}/20.webp`, '/pictures/x/20.webp'],
      ...[`${path}/20.webp?w=1`, `${path}/20.webp?${version}&w=1`, `${path}/20.webp?${version}&${version}`],
      ...[
        `${path}/20.webp?v=${meta.eTag.slice(0, 11)}`,
        `${path}/20.webp?v=%2e`,
        `${path}/20.webp?V=x`,
        '/pictures/',
      ],
    ];
    for (const other of others) {
      const answer = await service.get(other);
      assertError(answer, 404);
      assert.equal(answer.headers['cache-control'], 'no-store', other);
      const page = await service.get(other, { accept: 'text/html' });
      assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'], other);
    }
    // A URL drops what these have.
    const { hostname, port } = new URL(service.origin);
    for (const other of [`${path}/../${first.id}/20.webp`]) {
      const [response] = await once(get({ hostname, port, path: other }), 'response');
      assert.equal(response.resume().statusCode, 404, other);
    }
  });

  test('another version leads to the current one, and no cache keeps that', async () => {
    for (const name of ['20.webp', 'original.jpg'])
      for (const other of ['v=0123456789', 'v=x', 'v=', `v=${meta.eTag.slice(0, 9)}`]) {
        const { status, headers, bytes } = await service.get(`${path}/${name}?${other}`);
        assert.deepEqual([status, bytes.length], [302, 0]);
        assert.equal(headers.location, `${path}/${name}?${version}`);
        assert.equal(headers['cache-control'], 'no-store');
      }
    assertError(await service.get(`${path}/21.webp?v=x`), 404);
  });

  test('HEAD, conditional requests and ranges work', async () => {
    for (const name of ['50.webp', 'original.jpg']) {
      const address = `${path}/${name}?${version}`;
      const get = await service.get(address);
      const head = await service.get(address, {}, 'HEAD');
      for (const header of ['etag', 'content-length', 'content-type', 'cache-control', 'accept-ranges'])
        assert.equal(head.headers[header], get.headers[header]);
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      const same = await service.get(address, { 'if-none-match': get.headers.etag ?? '' });
      assert.deepEqual([same.status, same.bytes.length], [304, 0]);
      assert.equal(same.headers['cache-control'], LASTING);
      const part = await service.get(address, { range: 'bytes=2-5', 'if-range': get.headers.etag ?? '' });
      assert.deepEqual([part.status, part.bytes], [206, get.bytes.subarray(2, 6)]);
    }
  });

  test('a missing thumbnail is made, one of no recorded size is not', async () => {
    const thumbnails = join(filesFolder(config), 'thumbnails');
    const { bytes } = await service.get(`${path}/50.webp`);
    for (const size of readdirSync(thumbnails)) rmSync(join(thumbnails, size), { recursive: true });
    assert.deepEqual((await service.get(`${path}/50.webp`)).bytes, bytes);
    assertError(await service.get(`${path}/60.webp`), 404);
    assert.deepEqual(readdirSync(thumbnails), ['50']);
  });

  test('with LASTING_LINKS=off there are none', async () => {
    const other = await startService({ ...config, lastingLinks: false });
    for (const name of ['20.webp', 'original.jpg', `original.jpg?${version}`])
      assertError(await other.get(`${path}/${name}`), 404);
  });
});

describe('the address of a file', () => {
  const eTag = 'aB-_0123456789';
  const id = 'b5657ad2-a33e-52b7-ae74-d238673dfd08';
  const linkTo = lastingLinks('https://example.org');

  test('has a version that follows from the entity tag', () => {
    const urlOf = (fileName: string, eTag?: () => string) =>
      linkTo({ fileName, key: 'k', ...(eTag && { eTag }) }).url;
    assert.equal(
      urlOf(`${id}.png`, () => eTag),
      `https://example.org/pictures/${id}/original.png?v=aB-_012345`,
    );
    assert.equal(
      urlOf(`${id}-480.webp`, () => '~"x&y='),
      `https://example.org/pictures/${id}/480.webp?v=xy`,
    );
    assert.equal(urlOf(`${id}.avif`), `https://example.org/pictures/${id}/original.avif`);
  });

  test('is read back', () => {
    for (const fileName of [`${id}.png`, `${id}-480.webp`])
      for (const tag of [eTag, '', '!']) {
        const { pathname, search } = new URL(linkTo({ fileName, key: 'k', eTag: () => tag }).url);
        assert.equal(parsePictureAddress(pathname, search.slice(1))?.fileName, fileName);
      }
  });

  test('has one form', () => {
    const { pathname } = new URL(linkTo({ fileName: `${id}-480.webp`, key: 'k' }).url);
    assert.ok(parsePictureAddress(pathname, ''));
    for (const other of ['/../', '/./', '//', '%2F', '\\\\', '/%00'])
      assert.equal(parsePictureAddress(pathname.replace('/480', `${other}480`), ''), undefined);
    for (const [from, to] of [
      ['-', '%2D'],
      ['480', '%3480'],
      ['480', '480\n'],
      ['webp', 'webp\n'],
      ['webp', 'webp#'],
    ] as const)
      assert.equal(parsePictureAddress(pathname.replace(from, to), ''), undefined);
    assert.equal(parsePictureAddress(pathname.replace(id, id.toUpperCase()), ''), undefined);
  });
});
