/** What crawlers and other sites read of pages: tags of link previews, and oEmbed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { pageRule } from '../../src/access/rate.ts';
import { choosePicture } from '../../src/pages/head.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { writeLines } from '../support/catalogues/lines.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { startS3 } from '../support/servers/s3.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { type Answer, configFor, send, startService } from '../support/zukan/service.ts';

const WEEK_S = 7 * 86_400;
const start = Date.UTC(2026, 2, 1);
const [wide, small, secret] = [uuid(4, 1), uuid(4, 21), uuid(1, 2)];

/** What a crawler understands: the title, the tags by name and the data. */
function read({ text }: Answer) {
  const [head = ''] = text.split('</head>');
  const tags = head.matchAll(/<(?:meta (?:property|name)|link rel)="([^"]*)" (?:content|href)="([^"]*)">/g);
  const [, title = ''] = /<title>([^<]*)<\/title>/.exec(head) ?? [];
  const [, json = '{"@graph":[]}'] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(head) ?? [];
  const named: Record<string, string> = Object.fromEntries(
    Array.from(tags, ([, name, text = '']) => [name, text.replaceAll('&amp;', '&')]),
  );
  return { ...named, title, graph: JSON.parse(json)['@graph'] } as Record<string, string> & {
    graph: Record<string, unknown>[];
  };
}

async function writeCatalogue(folder: string): Promise<string> {
  await drawInto(folder, { file: 'wide.jpg', format: 'jpeg', width: 2000, height: 1000, colour: '#c02020' });
  await drawInto(folder, { file: 'small.png', format: 'png', width: 60, height: 90, colour: '#20c020' });
  const lines = [
    {
      type: 'artist',
      id: uuid(2, 1),
      name: 'Hokusai',
      url: 'https://example.org/hokusai',
      licence: 'CC BY 4.0',
    },
    { type: 'artist', id: uuid(2, 2), name: 'Nightly' },
    { type: 'category', id: uuid(1, 1), name: 'sea' },
    { type: 'category', id: secret, name: 'secret', description: 'Secret words.', nsfw: true },
    {
      type: 'image',
      id: wide,
      file: 'wide.jpg',
      nsfw: 'sfw',
      artist: uuid(2, 1),
      categories: ['sea', 'secret'],
      title: 'A wave',
    },
    {
      type: 'image',
      id: uuid(4, 11),
      file: 'wide.jpg',
      nsfw: 'nsfw',
      artist: uuid(2, 2),
      categories: ['secret'],
    },
    {
      type: 'image',
      id: small,
      file: 'small.png',
      nsfw: 'sfw',
      title: '',
      credit: 'Studio Umi',
      alt: 'A green field',
    },
  ];
  return writeLines(folder, 'catalogue.ndjson', lines);
}

test('the picture is the smallest version that is large enough, and never a file that crawlers reject', () => {
  let mimetype = 'image/jpeg';
  const choose = (width: number, height: number, size: number, ...sizes: number[]) => {
    const scale = (longest: number) => longest / Math.max(width, height);
    const thumbnails = sizes.map((longest) => ({
      ...{ url: String(longest), mimetype: 'image/webp' },
      ...{ width: width * scale(longest), height: height * scale(longest) },
    }));
    const meta = { size, mimetype, dimens: { width, height }, thumbnails };
    return choosePicture({ url: 'original', meta } as never, '')?.url;
  };
  assert.equal(choose(6000, 4000, 9e6, 480, 960, 1600), '1600');
  assert.equal(choose(4000, 6000, 9e6, 480, 960, 1600), '1600', 'portraits, too');
  assert.equal(choose(1300, 900, 4e5, 480, 960), 'original');
  assert.equal(choose(1500, 900, 6e6, 480, 960), '960');
  assert.equal(choose(6000, 4000, 9e6), undefined);
  mimetype = 'image/avif';
  assert.equal(choose(1300, 900, 4e5, 480, 960), '960', 'which show AVIF is unknown');
  assert.equal(choose(1300, 900, 4e5), 'original');
});

const s3 = await startS3();
const bucket = s3.environment('pages');

for (const isBucket of [false, true])
  describe(isBucket ? 'files in a bucket' : 'files in a folder', async () => {
    const folder = temporaryFolder();
    const environment = {
      ...(isBucket ? bucket : {}),
      THUMBNAILS: '480,1200',
      SITE_NAME: 'Kura',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    const config = configFor(folder, environment);
    await importFiles(config, [await writeCatalogue(folder)]);
    // A presigned link is checked against the real time.
    let now = isBucket ? Date.now() : start;
    const clock = () => now;
    const { get, origin } = await startService(config, { clock });
    const crawl = async (path: string, headers = {}) => read(await get(path, { Accept: '*/*', ...headers }));

    test('a picture has its title, its description, and a file that loads', async () => {
      const tags = await crawl(`/pictures/${wide}`);
      assert.equal(tags.title, 'A wave by Hokusai · Kura');
      assert.deepEqual([tags['og:title'], tags['og:site_name']], ['A wave by Hokusai', 'Kura']);
      assert.equal(tags['og:description'], 'sea · 2000 × 1000 pixels');
      assert.equal(tags.description, tags['og:description']);
      assert.deepEqual([tags['twitter:card'], tags['og:image:alt']], ['summary_large_image', 'A wave']);
      assert.equal(tags.canonical, `${origin}/pictures/${wide}/a-wave`);
      let file = await send(new URL(tags['og:image'] ?? ''));
      if (isBucket) file = await send(new URL(file.headers.location ?? ''));
      assert.deepEqual([file.status, file.headers['content-type']], [200, tags['og:image:type']]);
      const { width, height } = await sharp(file.bytes).metadata();
      assert.deepEqual([width, height], [1200, 600]);
      assert.deepEqual([tags['og:image:width'], tags['og:image:height']], ['1200', '600']);
    });

    if (isBucket) return;

    test('its data has what search engines name for images that can be licensed', async () => {
      const { graph } = await crawl(`/pictures/${wide}`);
      const [image, trail] = graph;
      const page = `${origin}/pictures/${wide}/a-wave`;
      assert.equal(image?.['@type'], 'ImageObject');
      assert.equal(String(image?.contentUrl).replace(/\?.*/, ''), `${origin}/pictures/${wide}/original.jpg`);
      assert.equal(image?.license, 'https://creativecommons.org/licenses/by/4.0/');
      assert.deepEqual(
        [image?.acquireLicensePage, image?.creditText, image?.copyrightNotice],
        [page, 'Hokusai', 'Hokusai'],
      );
      assert.deepEqual(image?.creator, {
        '@type': 'Person',
        name: 'Hokusai',
        url: 'https://example.org/hokusai',
      });
      assert.deepEqual(
        [image?.isFamilyFriendly, image?.width, image?.encodingFormat],
        [true, 2000, 'image/jpeg'],
      );
      const items = trail?.itemListElement as { name: string; item: string }[];
      assert.deepEqual(
        items.map(({ name }) => name),
        ['Kura', 'Hokusai', 'A wave'],
      );
      const other = await crawl(`/pictures/${small}`);
      assert.deepEqual(
        [other.graph[0]?.creditText, other.graph[0]?.creator, other['og:image:alt']],
        ['Studio Umi', undefined, 'A green field'],
      );
      const { text } = await get(`/pictures/${wide}`);
      assert.match(
        text,
        /<dt>Licence<\/dt><dd dir="auto"><a [^>]*href="https:\/\/creativecommons[^>]*rel="license /,
      );
      assert.match(text, /<dt>How to credit<\/dt><dd dir="auto">A wave by Hokusai, CC BY 4\.0</);
    });

    test('an entry shows its newest picture that is rated sfw, and a category for adults says nothing', async () => {
      const artist = await crawl(`/artists/${uuid(2, 1)}`);
      assert.deepEqual([artist['og:title'], artist['og:description']], ['Hokusai', '1 picture by Hokusai']);
      assert.ok(artist['og:image']?.includes(wide));
      assert.equal((await crawl(`/artists/${uuid(2, 2)}`))['og:image'], undefined);
      const category = await get(`/categories/${secret}`);
      const [head = ''] = category.text.split('</head>');
      assert.match(head, /<meta name="robots" content="noindex">/);
      assert.doesNotMatch(head, /Secret words|og:image|ld\+json|feed\.xml\?/);
    });

    test('with LASTING_LINKS=off, links expire, and a kept page never has an expired one', async () => {
      const own = await startService(configFor(folder, { ...environment, LASTING_LINKS: 'off' }), { clock });
      const linkOf = async () => new URL(read(await own.get(`/pictures/${wide}`))['og:image'] ?? '');
      const url = await linkOf();
      const seconds = Number(url.searchParams.get('expires')) - now / 1000;
      assert.ok(seconds > WEEK_S - 700 && seconds <= WEEK_S, String(seconds));
      assert.equal((await send(url)).status, 200);
      now += WEEK_S * 1000;
      assertError(await send(url), 410);
      assert.equal((await send(await linkOf())).status, 200);
      now = start;
    });
  });

// oEmbed: other sites get a picture by the address of its page, as large as they want it, and never more than they asked
// for.

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
writeLines(folder, 'a.ndjson', lines);
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
