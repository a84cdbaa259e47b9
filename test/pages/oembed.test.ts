/** oEmbed: other sites get a picture by the address of its page, as large as they want it, and never more than they asked for. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageRule } from '../../src/access/rate.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const config = configFor(folder, { PUBLIC_URL: 'https://kura.example', SITE_NAME: 'Kura' });
await drawInto(folder, { file: 'a.png', format: 'png', width: 1200, height: 600, colour: '#c02020' });
const [shown, plain, hidden, artist] = [uuid(4, 1), uuid(4, 2), uuid(4, 3), uuid(2, 1)];
const image = { type: 'image', file: 'a.png', nsfw: 'sfw' };
const licence = { name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' };
const lines = [
  { type: 'artist', id: artist, name: 'Hokusai <i>', url: '' },
  { ...image, id: shown, title: 'Wave "1"', artist, licence },
  { ...image, id: plain },
  { ...image, id: hidden, nsfw: 'questionable', title: 'Secret' },
];
writeFileSync(join(folder, 'a.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
await importFiles(config, [join(folder, 'a.ndjson')]);
const service = await startService(config);
const page = (id: string) => `https://kura.example/pictures/${id}`;
const ask = (url: string, more = '') => service.get(`/oembed?url=${encodeURIComponent(url)}${more}`);

test('describes the picture of a page, which links to it', async () => {
  const { text } = await service.get(`/pictures/${shown}`, { Accept: 'text/html' });
  const [, address = ''] =
    /<link rel="alternate" type="application\/json\+oembed" title="[^"]+" href="https:\/\/kura\.example([^"]*)">/.exec(
      text,
    ) ?? [];
  const { status, headers, json } = await service.get(address.replaceAll('&amp;', '&'));
  assert.deepEqual(
    [status, headers['content-type'], headers['access-control-allow-origin']],
    [200, 'application/json; charset=utf-8', '*'],
  );
  const { url, thumbnail_url, ...rest } = json;
  assert.deepEqual(rest, {
    version: '1.0',
    type: 'photo',
    width: 1200,
    height: 600,
    thumbnail_width: 480,
    thumbnail_height: 240,
    title: 'Wave "1"',
    author_name: 'Hokusai <i>',
    author_url: `https://kura.example/artists/${artist}/hokusai-i`,
    license: licence.name,
    license_url: licence.url,
    provider_name: 'Kura',
    provider_url: 'https://kura.example',
    cache_age: 3600,
  });
  for (const [address, name] of [
    [url, 'original.png'],
    [thumbnail_url, '480.webp'],
  ]) {
    assert.ok(address.startsWith(`${page(shown)}/${name}?v=`), address);
    assert.equal((await service.get(address.replace('https://kura.example', ''))).status, 200);
  }
  const { author_name, license } = (await ask(page(plain))).json;
  assert.deepEqual([author_name, license], [undefined, undefined], 'unknown');
});

test('the size is the largest within the limits', async () => {
  for (const [limits, width, height, file] of [
    ['&maxwidth=1200', 1200, 600, 'original.png'],
    ['&maxwidth=1199&maxheight=5000', 960, 480, '960.webp'],
    ['&maxheight=300', 480, 240, '480.webp'],
    ['&maxwidth=100&maxheight=80', 100, 50, '480.webp'],
    ['&maxwidth=1', 1, 1, '480.webp'],
    ['&maxwidth=99999999999999999999', 1200, 600, 'original.png'],
  ] as const) {
    const { json } = await ask(page(shown), limits);
    assert.deepEqual([json.width, json.height], [width, height], limits);
    assert.ok(json.url.includes(`/${file}`), limits);
  }
});

test('takes the addresses of pages of this site only', async () => {
  for (const url of [
    ...[`${page(shown)}/`, `${page(shown)}/any-name`, `${page(shown)}?album=${artist}&offset=2#top`],
    ...[page(shown.toUpperCase()), `https://KURA.example:443/pictures/${shown}`],
  ])
    assert.equal((await ask(url)).status, 200, url);
  for (const url of [
    ...[`http://kura.example/pictures/${shown}`, `https://kura.example.evil.test/pictures/${shown}`],
    ...[
      `https://evil.test/pictures/${shown}`,
      `/pictures/${shown}`,
      'https://kura.example/',
      'nothing',
      `${page(shown)}/480.webp`,
    ],
    ...[`https://kura.example/artists/${artist}`, page(uuid(4, 9)), 'https://kura.example/pictures/%E0%A4%A'],
  ])
    assertError(await ask(url), 404, /^No picture with this url/);
  assertError(await service.get('/oembed'), 400, /Missing url/);
  assertError(await service.get(`/oembed?url=${page(shown)}&maxwidth=0`), 400, /maxwidth/);
  assertError(await ask(page(shown), '&format=xml'), 501, /json/);
  assert.equal((await ask(page(shown), '&format=json&dnt=1')).status, 200);
});

test('gives a rating other than sfw only to those who name it in the call', async () => {
  for (const url of [page(hidden), `${page(hidden)}?nsfw=questionable`]) {
    const refused = await ask(url);
    assertError(refused, 404, /its rating is not in nsfw/);
    assert.doesNotMatch(refused.text, /Secret|webp/);
  }
  assert.equal((await ask(page(hidden), '&nsfw=questionable')).json.title, 'Secret');
  assertError(await ask(page(shown), '&nsfw=questionable'), 404, /its rating/);
  for (const query of ['', '?nsfw=questionable'])
    assert.doesNotMatch(
      (await service.get(`/pictures/${hidden}${query}`, { Accept: 'text/html' })).text,
      /oembed/,
    );
});

test('has links that expire without lasting ones, and the limit of pages', async () => {
  const settings = { LASTING_LINKS: 'off', PREVIEW_LIFETIME: '600', RATE_LIMIT: 'on' };
  const signed = await startService(configFor(folder, settings), { clock: () => Date.UTC(2026, 2, 1) });
  const path = `/oembed?url=${signed.origin}/pictures/${shown}`;
  const { json } = await signed.get(path);
  assert.equal(json.cache_age, 300);
  assert.match(json.url, /\/files\/.*signature=/);
  assert.equal((await signed.get(json.url)).status, 200);
  for (let count = 2; count < pageRule.burst; count++) await signed.get('/sitemap/nothing.xml');
  assert.equal((await signed.get(path)).status, 200);
  assertError(await signed.get(path), 429, /Too many pages/);
});
