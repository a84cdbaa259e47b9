/** What follows from the catalogue: the parts of the gallery's page, and what search engines and home screens get. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { pageRule } from '../../src/access/rate.ts';
import { compress, MIN_COMPRESSED_LENGTH } from '../../src/http/request.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { writeLines } from '../support/catalogues/lines.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

const browser = { Accept: 'text/html' };
const folder = temporaryFolder();
let now = Date.UTC(2026, 2, 1);
const config = configFor(folder, { API_PREFIXES: '/api,/v1', PUBLIC_URL: 'https://kura.example' });
const service = await startService(config, { clock: () => now });

await drawInto(folder, { file: 'wide.png', format: 'png', width: 60, height: 40, colour: '#c02020' });
await drawInto(folder, { file: 'high.png', format: 'png', width: 40, height: 60, colour: '#20c020' });
const large = { width: 1300, height: 1080, colour: '#2020c0' };
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
  await importFiles(config, [writeLines(folder, 'lines.ndjson', lines)]);
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
  const { text } = await service.get('/newest', browser);
  const [navigation = ''] = /<nav aria-label="Browse">[\s\S]*?<\/nav>/.exec(text) ?? [];
  const links = Array.from(navigation.matchAll(/>(\w+)<\/a>/g), ([, name = '']) => name).slice(1);
  const parts = {
    Rating: '<legend>Rating<',
    Shape: '<legend>Shape<',
    Motion: '<label>Motion',
    Width: '<label>Width',
  };
  const others = {
    Filters: '<details class="filters">',
    Unblur: 'id="unblur"',
    Chips: '<ul class="chips row"',
  };
  const named = Object.entries({ ...parts, ...others }).flatMap(([name, start]) =>
    text.includes(start) ? [name] : [],
  );
  return [...named, ...links];
}

test('pages offer what the catalogue has, and change with it', async () => {
  assert.deepEqual(await offered(), []);
  assert.match((await service.get('/', browser)).text, /There are no pictures yet/);
  // Its artist is "Unknown", of whom nobody wants a list.
  await add(image(1));
  assert.deepEqual(await offered(), []);
  await add({ type: 'category', name: 'sea' }, image(2, { file: 'high.png', categories: ['sea'] }));
  assert.deepEqual(await offered(), ['Shape', 'Filters', 'Chips', 'Categories']);
  const { text } = await service.get('/', browser);
  assert.match(
    text,
    new RegExp(`property="og:image" content="https://kura.example/pictures/${uuid(4, 2)}/original.png`),
  );
  const { headers } = await service.get('/newest', browser);
  const again = await service.get('/newest', { ...browser, 'If-None-Match': headers.etag ?? '' });
  assert.equal(again.status, 304);
  await add(
    { type: 'artist', id: uuid(2, 1), name: 'Hokusai' },
    { type: 'artist', id: uuid(2, 2), name: 'Nightly' },
    { type: 'category', id: uuid(1, 9), name: 'secret', nsfw: true },
    image(3, { nsfw: 'nsfw', artist: uuid(2, 2), categories: ['secret'] }),
    image(4, { artist: uuid(2, 1), categories: ['secret'] }),
  );
  const all = ['Rating', 'Shape', 'Filters', 'Unblur', 'Chips', 'Artists', 'Categories'];
  assert.deepEqual(await offered(), all);
  assert.ok((await service.get('/', browser)).text.includes(uuid(4, 4)), 'the newest that is rated sfw');
  await add(image(5, { file: 'moving.webp', nsfw: 'nsfw' }), image(6, { file: 'screen.png', nsfw: 'nsfw' }));
  assert.deepEqual(await offered(), all.toSpliced(2, 0, 'Motion', 'Width'));
});

test('a catalogue that fails is a page that says so', async () => {
  const statistics = () => Promise.reject(new Unavailable('broken'));
  const get = await startWrapped(config, (catalogue) => ({ ...catalogue, statistics }));
  const page = await get('/', browser);
  assert.deepEqual([page.status, page.headers['retry-after']], [503, '1']);
  assert.match(page.text, /<h1>Not available at the moment<\/h1>/);
});

/** As RFC 9309 says: the longest rule counts. */
function isAllowed(robots: string, path: string): boolean {
  const matching = Array.from(robots.matchAll(/^(Allow|Disallow): (.*)$/gm)).filter(([, , pattern = '']) =>
    new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}`).test(path),
  );
  const [longest] = matching.sort(
    ([, a, one = ''], [, , two = '']) => two.length - one.length || (a === 'Allow' ? -1 : 1),
  );
  return longest?.[1] !== 'Disallow';
}

test('robots.txt allows pages and what they load, and no endless combinations of filters', async () => {
  const robots = (await service.get('/robots.txt')).text;
  assert.match(robots, /\n\nSitemap: https:\/\/kura\.example\/sitemap\.xml\n$/);
  const atRoot = await startService(configFor(folder, { API_PREFIXES: '/' }));
  const ofRoot = (await atRoot.get('/robots.txt', { Host: 'kura.test' })).text;
  assert.match(ofRoot, /\nSitemap: http:\/\/kura\.test\/sitemap\.xml\n$/);
  const id = uuid(4, 1);
  for (const rules of [robots, ofRoot]) {
    for (const path of [
      ...[
        '/',
        '/newest',
        '/newest?cursor=abc',
        '/artists',
        `/artists/${id}/hokusai?cursor=abc`,
        '/albums?offset=24',
      ],
      ...[`/characters/${id}`, `/pictures/${id}/a`, `/pictures/${id}?album=${id}&offset=2`, '/categories'],
      ...[
        `/pictures/${id}/480.webp?v=abcdefghij`,
        '/gallery/start.js?v=abc',
        '/gallery/style.css',
        '/favicon.ico',
      ],
      ...[
        `/?image=${id}`,
        '/?in=artists',
        '/sitemap.xml',
        '/sitemap/pictures-1.xml',
        '/files/a.webp?expires=1',
      ],
    ])
      assert.ok(isAllowed(rules, path), path);
    for (const path of [
      ...[
        '/?seed=abc',
        '/?seed=abc&cursor=abc',
        '/newest?categories=sea',
        '/newest?orientation=square&nsfw=sfw',
      ],
      ...[
        `/artists/${id}?exclude=sea`,
        '/search?q=fox',
        '/search',
        '/artists?sort=images',
        `/pictures/${id}?nsfw=nsfw`,
      ],
    ])
      assert.ok(!isAllowed(rules, path), path);
  }
  for (const path of ['/api/stats', '/v1/image/random']) assert.ok(!isAllowed(robots, path), path);
  for (const path of ['/stats', '/image/random', `/artist/${id}`]) assert.ok(!isAllowed(ofRoot, path), path);
});

test('a client cannot make the server build sitemaps all the time', async () => {
  const limited = await startService(configFor(folder, { RATE_LIMIT: 'on' }), { clock: () => now });
  const statuses: number[] = [];
  for (let count = 0; count <= pageRule.burst; count++)
    statuses.push((await limited.get('/sitemap.xml', { Host: `host${count}.test` })).status);
  assert.deepEqual(statuses, [...Array(pageRule.burst).fill(200), 429]);
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
  const purposes = json.icons.map(({ sizes, purpose }: Record<string, string>) => [sizes, purpose]);
  assert.deepEqual(purposes, [
    ['180x180', undefined],
    ['512x512', undefined],
    ['512x512', 'maskable'],
  ]);
  for (const { src, sizes } of json.icons) {
    const { status, bytes } = await own.get(src);
    assert.equal(status, 200);
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.equal(`${info.width}x${info.height}`, sizes);
    const pixel = (x: number, y: number) => [...data.subarray(3 * (y * info.width + x)).subarray(0, 3)];
    assert.deepEqual(pixel(2, 2), [0xfa, 0xf8, 0xf3], 'the background of the site');
    assert.deepEqual(pixel(info.width / 2, info.height / 2), [0, 0, 255]);
  }
  const { data } = await sharp((await service.get('/icon-maskable.png')).bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let y = 0; y < 512; y++)
    for (let x = 0; x < 512; x++) {
      const isPaper = data[3 * (y * 512 + x) + 2] === 0xf3;
      assert.ok(isPaper || Math.hypot(x - 255.5, y - 255.5) <= 0.4 * 512, 'a circle has all of it');
    }
  const drawn = await sharp((await service.get('/icon-512.png')).bytes).stats();
  assert.ok((drawn.channels[0]?.mean ?? 0) > (drawn.channels[2]?.mean ?? 0) + 50, 'the red icon of zukan');
});

test('what names the origin is compressed quickly, because clients choose the origin', async () => {
  for (const path of ['/newest', '/sitemap.xml']) {
    const { bytes: plain } = await service.get(path, browser);
    const { bytes } = await service.get(path, { ...browser, 'Accept-Encoding': 'br' });
    const isShort = plain.length < MIN_COMPRESSED_LENGTH;
    assert.deepEqual(bytes, isShort ? plain : compress(plain, 'br'), path);
  }
});
