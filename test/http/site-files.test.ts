/** What follows from the catalogue: the parts of the gallery's page, and what search engines and home screens get. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { previewRule } from '../../src/access/limiter.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { importFiles } from '../../src/cli/importing/import.ts';
import { compress, MIN_COMPRESSED_LENGTH } from '../../src/http/request.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

const browser = { Accept: 'text/html' };
const folder = temporaryFolder();
let now = Date.UTC(2026, 2, 1);
const config = configFor(folder, { API_PREFIXES: '/api,/v1', PUBLIC_URL: 'https://kura.example' });
const service = await startService(config, { clock: () => now });

await drawInto(folder, { file: 'wide.png', format: 'png', width: 60, height: 40, colour: '#c02020' });
await drawInto(folder, { file: 'high.png', format: 'png', width: 40, height: 60, colour: '#20c020' });
const large = { width: 1100, height: 1080, colour: '#2020c0' };
await drawInto(folder, { file: 'screen.png', format: 'png', ...large });
await drawInto(folder, {
  file: 'moving.webp',
  format: 'webp',
  width: 60,
  height: 40,
  colour: '#c0c020',
  frames: 2,
});

/** Imports records, and makes the service look again. */
async function add(...lines: object[]): Promise<void> {
  const path = join(folder, 'lines.ndjson');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await importFiles(config, [path]);
  now += 3_600_000;
}
const image = (number: number, more: object = {}) => ({
  type: 'image',
  id: uuid(4, number),
  file: 'wide.png',
  nsfw: 'sfw',
  ...more,
});

/** The texts of links and the labels of parts that the page offers. */
async function offered(): Promise<string[]> {
  const { text } = await service.get('/', browser);
  assert.doesNotMatch(text, /data-needs|\{\{/);
  const links = [...text.matchAll(/<a href="\/\?in=(\w+)"( hidden)?>/g)];
  const part = (name: string, before: RegExp) => [name, before.exec(text)?.[1]] as const;
  const parts = [
    part('ratings', /<div( hidden)?>\s*<p[^>]*>Rating</),
    part('shapes', /<div( hidden)?>\s*<p[^>]*>Shape</),
    part('motion', /<div( hidden)?>\s*<p[^>]*>Motion</),
    part('sizes', /<div( hidden)?>\s*<p[^>]*>Size at least</),
    part('4K', /value="4k"( hidden)?/),
    part('unblur', /<label class="switch"( hidden)?>/),
    part('filters', /aria-controls="filters"( hidden)?>/),
    part('chips', /<fieldset id="categories"( hidden)?/),
    ...links.map(([, name = '', hidden]) => [name, hidden] as const),
  ];
  return parts.flatMap(([name, hidden]) => (hidden ? [] : [name]));
}

test('the page offers what the catalogue has, and changes with it', async () => {
  assert.deepEqual(await offered(), []);
  assert.doesNotMatch((await service.get('/', browser)).text, /og:image/);
  // Its artist is "Unknown", of whom nobody wants a list.
  await add(image(1));
  assert.deepEqual(await offered(), []);
  await add({ type: 'category', name: 'sea' }, image(2, { file: 'high.png', categories: ['sea'] }));
  assert.deepEqual(await offered(), ['shapes', 'filters', 'chips', 'categories']);
  const { text, headers } = await service.get('/', browser);
  assert.ok(text.includes(`content="https://kura.example/api/image/${uuid(4, 2)}/file?width=40"`));
  const again = await service.get('/', { ...browser, 'If-None-Match': headers.etag ?? '' });
  assert.equal(again.status, 304);
  await add(
    { type: 'artist', id: uuid(2, 1), name: 'Hokusai' },
    { type: 'artist', id: uuid(2, 2), name: 'Nightly' },
    { type: 'category', id: uuid(1, 9), name: 'secret', nsfw: true },
    image(3, { nsfw: 'nsfw', artist: uuid(2, 2), categories: ['secret'] }),
    image(4, { artist: uuid(2, 1), categories: ['secret'] }),
  );
  const all = ['ratings', 'shapes', 'unblur', 'filters', 'chips', 'artists', 'categories'];
  assert.deepEqual(await offered(), all);
  assert.ok((await service.get('/', browser)).text.includes(uuid(4, 4)), 'the newest that is rated sfw');
  await add(image(5, { file: 'moving.webp', nsfw: 'nsfw' }), image(6, { file: 'screen.png', nsfw: 'nsfw' }));
  assert.deepEqual(await offered(), all.toSpliced(2, 0, 'motion', 'sizes'), 'none is as large as 4K');
});

test('a catalogue that fails or does not answer does not keep the page from being sent', async () => {
  const faults = [() => Promise.reject(new Error('broken')), () => new Promise<never>(() => {})];
  for (const statistics of faults) {
    const get = await startWrapped(config, (catalogue) => ({ ...catalogue, statistics }));
    const { status, text } = await get('/', browser);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<a href="[^"]*" hidden>/, 'everything is offered');
  }
});

test('a catalogue that answers while the process is busy has answered in time', async () => {
  const get = await startWrapped(config, (catalogue) => {
    const statistics = async () => {
      await setImmediate();
      // Blocks the event loop for longer than the page waits.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      await setImmediate();
      return catalogue.statistics();
    };
    const latestImages: Catalogue['latestImages'] = (...call) => catalogue.latestImages(...call);
    const one: Catalogue['one'] = (...call) => catalogue.one(...call);
    const list: Catalogue['list'] = (...call) => catalogue.list(...call);
    return { ...catalogue, statistics, latestImages, one, list };
  });
  const { text } = await get('/', browser);
  assert.match(text, /<a href="\/\?in=characters" hidden>/, 'there are none');
});

test('the sitemap has what everyone may see, and robots.txt names it', async () => {
  const { status, text, headers } = await service.get('/sitemap.xml');
  assert.deepEqual([status, headers['content-type']], [200, 'application/xml; charset=utf-8']);
  const paths = Array.from(text.matchAll(/<loc>https:\/\/kura\.example([^<]*)<\/loc>/g), ([, path]) => path);
  assert.equal(paths.length, text.match(/<url>/g)?.length);
  const [category = ''] = paths.filter((path) => path?.startsWith('/?category='));
  assert.deepEqual(paths, [
    ...['/', '/?order=newest', '/?in=artists', `/?artist=${uuid(2, 1)}`, '/?in=categories', category],
    ...[4, 2, 1].map((number) => `/?image=${uuid(4, number)}`),
  ]);
  for (const path of paths) assert.equal((await service.get(path ?? '', browser)).status, 200, path);
  assert.doesNotMatch(text, new RegExp(`${uuid(1, 9)}|${uuid(2, 2)}|${uuid(4, 3)}`));

  const robots = (await service.get('/robots.txt')).text;
  assert.match(robots, /^User-agent: \*\nAllow: \/api\/image\/\*\/file\nDisallow: \/api\/\nAllow: \/v1\//);
  assert.match(robots, /\n\nSitemap: https:\/\/kura\.example\/sitemap\.xml\n$/);
  const atRoot = await startService(configFor(folder, { API_PREFIXES: '/' }));
  const rules = (await atRoot.get('/robots.txt', { Host: 'kura.test' })).text;
  assert.match(rules, /\nDisallow: \/artist\n[\s\S]*\nSitemap: http:\/\/kura\.test\/sitemap\.xml\n$/);
  assert.doesNotMatch(rules, /Disallow: \/\n/, 'the gallery can be read');
});

test('a client cannot make the server build sitemaps all the time', async () => {
  const limited = await startService(configFor(folder, { RATE_LIMIT: 'on' }), { clock: () => now });
  const statuses: number[] = [];
  for (let count = 0; count <= previewRule.burst; count++)
    statuses.push((await limited.get('/sitemap.xml', { Host: `host${count}.test` })).status);
  assert.deepEqual(statuses, [...Array(previewRule.burst).fill(200), 503]);
});

test('the manifest names icons, which are drawn from the logo', async () => {
  const logo = join(folder, 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10" fill="#00f"/></svg>',
  );
  const site = { SITE_NAME: 'Kura & "Co"', SITE_LOGO: logo, SITE_ACCENT: '#0066cc' };
  const own = await startService(configFor(folder, site));
  const { text, headers } = await own.get('/manifest.webmanifest');
  const json = JSON.parse(text);
  assert.equal(headers['content-type'], 'application/manifest+json');
  assert.deepEqual([json.name, json.start_url, json.theme_color], ['Kura & "Co"', '/', '#0066cc']);
  const page = (await own.get('/', browser)).text;
  assert.ok(page.includes('<link rel="apple-touch-icon" href="/icon-180.png">'));
  for (const { src, sizes } of json.icons) {
    const { status, bytes } = await own.get(src);
    assert.equal(status, 200);
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.equal(`${info.width}x${info.height}`, sizes);
    const pixel = (x: number, y: number) => [...data.subarray(3 * (y * info.width + x)).subarray(0, 3)];
    assert.deepEqual(pixel(2, 2), [0xfa, 0xf8, 0xf3], 'the background of the site');
    assert.deepEqual(pixel(info.width / 2, info.height / 2), [0, 0, 255]);
  }
  const drawn = await sharp((await service.get('/icon-512.png')).bytes).stats();
  assert.ok((drawn.channels[0]?.mean ?? 0) > (drawn.channels[2]?.mean ?? 0) + 50, 'the red icon of zukan');
});

test('what names the origin is compressed quickly, because clients choose the origin', async () => {
  for (const path of ['/', '/sitemap.xml']) {
    const { bytes: plain } = await service.get(path, browser);
    const { bytes } = await service.get(path, { ...browser, 'Accept-Encoding': 'br' });
    const isShort = plain.length < MIN_COMPRESSED_LENGTH;
    assert.deepEqual(bytes, isShort ? plain : compress(plain, 'br'), path);
  }
});
