/** Link previews: the tags in the page of the gallery, read like a crawler, and the pictures they link to. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { importFiles } from '../../src/cli/importing/import.ts';
import { choosePicture } from '../../src/server/pages/gallery/discovery.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { storeOldText } from '../support/catalogues/older.ts';
import { atDepth } from '../support/depth.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { startS3 } from '../support/servers/s3.ts';
import { account } from '../support/servers/s3-guard.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { configFor, type Service, send, startService } from '../support/zukan/service.ts';

const hostile = `"><script>alert('1')</script> & $& $1 {{head}}¤evil`;
const shown = `"><script>alert('1')</script> & $& $1 {{head}} evil`;
const WEEK_S = 7 * 86_400;
const start = Date.UTC(2026, 2, 1);

/** What a crawler understands: the title and the tags by name. */
function readTags(page: string): Record<string, string> {
  const [head = ''] = page.split('</head>');
  const tags = head.matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)">/g);
  const [, title = ''] = /<title>([^<]*)<\/title>/.exec(head) ?? [];
  return Object.fromEntries(
    [['title', title], ...Array.from(tags, ([, name, text]) => [name, text])].map(
      ([name = '', text = '']) => [name, decode(text)],
    ),
  );
}

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const decode = (text: string) =>
  text.replaceAll(/&[^;]*;/g, (entity) => entities[entity] ?? assert.fail(entity));

/** Artists, characters and categories 1 have pictures of all ratings, 2 have none that is rated sfw. */
async function writeCatalogue(folder: string): Promise<string> {
  await drawInto(folder, { file: 'wide.jpg', format: 'jpeg', width: 2000, height: 1000, colour: '#c02020' });
  await drawInto(folder, { file: 'small.png', format: 'png', width: 60, height: 90, colour: '#20c020' });
  const lines = [
    { type: 'artist', id: uuid(2, 1), name: hostile },
    { type: 'artist', id: uuid(2, 2), name: 'Nightly', aliases: [uuid(2, 9)] },
    { type: 'artist', id: uuid(2, 3), name: 'Idle' },
    { type: 'character', id: uuid(3, 1), name: 'Mei', description: `Quiet. ${'Likes snow. '.repeat(30)}` },
    { type: 'character', id: uuid(3, 2), name: 'Yoru' },
    { type: 'category', id: uuid(1, 1), name: 'sea', description: '' },
    { type: 'category', id: uuid(1, 2), name: 'secret', description: 'Secret words.', nsfw: true },
    ...['sfw', 'questionable', 'nsfw'].map((nsfw, index) => ({
      type: 'image',
      id: uuid(4, index + 1),
      file: 'wide.jpg',
      nsfw,
      artist: uuid(2, 1),
      characters: ['Mei'],
      categories: ['sea', 'secret'],
    })),
    ...['questionable', 'nsfw'].map((nsfw, index) => ({
      type: 'image',
      id: uuid(4, index + 11),
      file: 'small.png',
      nsfw,
      artist: uuid(2, 2),
      characters: ['Yoru'],
      categories: ['secret'],
    })),
    { type: 'image', id: uuid(4, 21), file: 'small.png', nsfw: 'sfw', categories: [], characters: [] },
  ];
  const path = join(folder, 'catalogue.ndjson');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

test('the picture is the smallest version that is large enough, and never a file that crawlers reject', () => {
  const choose = (width: number, height: number, size: number, ...sizes: number[]) => {
    const scale = (longest: number) => longest / Math.max(width, height);
    const thumbnails = sizes.map((longest) => ({
      url: String(longest),
      mimetype: 'image/webp',
      width: width * scale(longest),
      height: height * scale(longest),
    }));
    const meta = { size, mimetype: 'image/jpeg', dimens: { width, height }, thumbnails };
    return choosePicture({ url: 'original', characters: [], categories: [], meta } as never)?.url;
  };
  assert.equal(choose(6000, 4000, 9e6, 480, 960, 1600), '1600');
  assert.equal(choose(4000, 6000, 9e6, 480, 960, 1600), '1600', 'portraits, too');
  assert.equal(choose(1300, 900, 4e5, 480, 960), 'original');
  assert.equal(choose(900, 900, 4e5, 480), 'original');
  assert.equal(choose(1500, 900, 6e6, 480, 960), '960');
  assert.equal(choose(6000, 4000, 9e6), undefined);
  assert.equal(choose(6000, 4000, 4e6), 'original');
});

const s3 = await startS3();
const bucket = {
  FILES_URL: `s3://${s3.location.bucket}/previews?endpoint=${s3.location.endpoint}&region=${s3.location.region}`,
  AWS_ACCESS_KEY_ID: account.accessKeyId,
  AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
};

for (const isBucket of [false, true])
  describe(isBucket ? 'files in a bucket' : 'files in a folder', async () => {
    const folder = temporaryFolder();
    const environment = {
      ...(isBucket ? bucket : {}),
      THUMBNAILS: '480,1200',
      SITE_NAME: 'Kura & "Co"',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    const config = configFor(folder, environment);
    await importFiles(config, [await writeCatalogue(folder)]);
    storeOldText(config, '¤', '\n\u202e');
    // A presigned link is checked against the real time.
    let now = isBucket ? Date.now() : start;
    const service = await startService(config, { clock: () => now });
    const crawl = async (path: string, headers: Record<string, string> = { Accept: '*/*' }) => {
      const answer = await service.get(path, headers);
      assert.match(answer.headers['content-type'] ?? '', /^text\/html/, path);
      return { ...answer, tags: readTags(answer.text) };
    };
    const neutral = (await crawl('/?order=newest', { Accept: 'text/html' })).text;

    test('an image has its title, description and a picture that loads', async () => {
      const { status, headers, tags } = await crawl(`/?image=${uuid(4, 1)}`);
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers.vary, 'Accept, Accept-Encoding');
      assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self'/);
      assert.equal(tags.title, `wide by ${shown} · Kura & "Co"`);
      assert.equal(tags['og:title'], `wide by ${shown}`);
      assert.equal(tags['og:site_name'], 'Kura & "Co"');
      assert.equal(tags['og:description'], 'sea · 2000 × 1000 pixels');
      assert.equal(tags.description, tags['og:description']);
      assert.equal(tags['twitter:card'], 'summary_large_image');
      assert.equal(tags['og:image:alt'], 'wide: Mei: sea');
      const picture = await send(new URL(tags['og:image'] ?? ''));
      assert.equal(picture.status, 200);
      assert.equal(picture.headers['content-type'], tags['og:image:type']);
      const { width, height, format } = await sharp(picture.bytes).metadata();
      assert.deepEqual([width, height, format], [1200, 600, 'webp']);
      assert.deepEqual([tags['og:image:width'], tags['og:image:height']], ['1200', '600']);
      await sharp(picture.bytes).raw().toBuffer();
    });

    test('a small picture is its own preview, and an unknown artist is not named', async () => {
      const { tags } = await crawl(`/?image=${uuid(4, 21)}`);
      assert.equal(tags['og:title'], 'small');
      assert.equal(tags['og:image:alt'], 'small');
      const { width, height, format } = await sharp(
        (await send(new URL(tags['og:image'] ?? ''))).bytes,
      ).metadata();
      assert.deepEqual([width, height, format], [60, 90, 'png']);
    });

    if (isBucket && atDepth(true, false)) return;

    test('the page of an entry has one of its pictures that is rated sfw', async () => {
      const expected: [string, string, string][] = [
        [`artist=${uuid(2, 1)}`, shown, `3 images by ${shown}`],
        [
          `character=${uuid(3, 1)}&page=2`,
          'Mei',
          `Quiet. ${'Likes snow. '.repeat(30)}`.slice(0, 199).trimEnd(),
        ],
        [`category=${uuid(1, 1)}&nsfw=nsfw`, 'sea', '3 images in sea'],
      ];
      for (const [query, title, description] of expected) {
        const { tags, text } = await crawl(`/?${query}`);
        assert.deepEqual([tags['og:title'], tags.title], [title, `${title} · Kura & "Co"`]);
        assert.ok(tags['og:description']?.startsWith(description), query);
        assert.ok([...(tags['og:description'] ?? '')].length <= 200);
        assert.match(tags['og:image'] ?? '', isBucket ? /^http/ : new RegExp(uuid(4, 1)));
        assert.equal((await send(new URL(tags['og:image'] ?? ''))).status, 200);
        assert.equal(text, (await crawl(`/?${query}`)).text, 'the picture stays the same');
      }
      for (const [query, title] of [
        [`artist=${uuid(2, 2)}`, 'Nightly'],
        [`artist=${uuid(2, 3)}`, 'Idle'],
        [`character=${uuid(3, 2)}`, 'Yoru'],
      ] as const) {
        const { tags } = await crawl(`/?${query}`);
        assert.deepEqual(
          [tags['og:title'], tags['twitter:card'], tags['og:image']],
          [title, 'summary', undefined],
        );
      }
    });

    test('the id of an entry that was merged leads to that of the entry', async () => {
      const { tags, text } = await crawl(`/?artist=${uuid(2, 9)}`);
      assert.equal(tags['og:url'], `${service.origin}/?artist=${uuid(2, 2)}`);
      assert.ok(text.includes(`href="/feed.xml?artist=${uuid(2, 2)}"`));
    });

    test('the start page shows the newest picture that is rated sfw, by an address that stays', async () => {
      const { tags } = await crawl('/', { Accept: 'text/html' });
      assert.equal(tags['og:url'], `${service.origin}/`);
      const [, id] = /\/image\/([^/]+)\/file\?width=\d+$/.exec(tags['og:image'] ?? '') ?? [];
      assert.equal((await service.get(`/api/image/${id}`)).json.data.nsfw, 'sfw');
      const answer = await service.get((tags['og:image'] ?? '').replace(service.origin, ''));
      assert.equal(answer.status, 302);
    });

    test('what the gallery blurs has the page without a preview', async () => {
      for (const query of [
        ...[2, 3, 11, 12].map((number) => `image=${uuid(4, number)}`),
        `category=${uuid(1, 2)}`,
        `artist=${uuid(2, 1)}&image=${uuid(4, 2)}`,
      ]) {
        const { status, text } = await crawl(`/?${query}`);
        assert.equal(status, 200);
        assert.equal(text, neutral, query);
      }
    });

    test('what does not exist is that page with the status 404', async () => {
      for (const query of ['image=42', `image=${uuid(9, 9)}`, `artist=${uuid(1, 1)}`, 'category=sea']) {
        const { status, text } = await crawl(`/?${query}`);
        assert.deepEqual([status, text === neutral], [404, true], query);
      }
    });

    test('the page of names has no subject, and JSON is still served to those who prefer it', async () => {
      assert.equal((await crawl('/?in=artists', { Accept: 'text/html' })).text, neutral);
      const json = await service.get(`/?image=${uuid(4, 1)}`, { Accept: 'application/json' });
      assert.equal(json.headers['x-ignored-parameters'], 'image');
      assert.equal((await service.get('/?in=artists', { Accept: '*/*' })).json.success, true);
    });

    test('HEAD, If-None-Match and compression work', async () => {
      const path = `/?image=${uuid(4, 1).toUpperCase()}`;
      const get = await crawl(path);
      const head = await service.get(path, { Accept: '*/*' }, 'HEAD');
      assert.equal(head.headers['content-length'], get.headers['content-length']);
      const again = await service.get(path, { 'If-None-Match': get.headers.etag ?? '' });
      assert.deepEqual([again.status, again.text, again.headers.vary], [304, '', 'Accept, Accept-Encoding']);
      const small = await service.get(path, { 'Accept-Encoding': 'br' });
      assert.equal(small.headers['content-encoding'], 'br');
      assert.ok(small.bytes.length < 4000, String(small.bytes.length));
    });

    if (isBucket) return;

    test('the picture has its own lifetime', async () => {
      const lifetimeOf = async ({ get }: Service) => {
        const { tags } = { tags: readTags((await get(`/?image=${uuid(4, 1)}`)).text) };
        const url = new URL(tags['og:image'] ?? '');
        return { url, seconds: Number(url.searchParams.get('expires')) - now / 1000 };
      };
      const { url, seconds } = await lifetimeOf(service);
      assert.ok(seconds > WEEK_S - 600 && seconds <= WEEK_S, String(seconds));
      const brief = await startService(configFor(folder, { ...environment, PREVIEW_LIFETIME: '90' }), {
        clock: () => now,
      });
      const { seconds: briefSeconds } = await lifetimeOf(brief);
      assert.ok(briefSeconds >= 90 && briefSeconds < 95, String(briefSeconds));
      now += (WEEK_S - 600) * 1000;
      assert.equal((await service.get(url.href)).status, 200);
      now = start + WEEK_S * 1000;
      assertError(await service.get(url.href), 410);
      now = start;
    });

    test('the picture is at the address that the crawler called, or at PUBLIC_URL', async () => {
      const pictureOrigin = (text: string) => new URL(readTags(text)['og:image'] ?? '').origin;
      const path = `/?image=${uuid(4, 1)}`;
      assert.equal(
        pictureOrigin((await crawl(path, { Host: 'kura.example:8080' })).text),
        'http://kura.example:8080',
      );
      const forwarded = { Host: 'inner', 'X-Forwarded-Host': 'kura.example', 'X-Forwarded-Proto': 'https' };
      assert.equal(pictureOrigin((await crawl(path, forwarded)).text), 'https://kura.example');
      assert.equal(pictureOrigin((await crawl(path, { Host: '"><script>' })).text), service.origin);
      const cdn = await startService(
        configFor(folder, { ...environment, PUBLIC_URL: 'https://cdn.example' }),
      );
      assert.equal(pictureOrigin((await cdn.get(path)).text), 'https://cdn.example');
    });

    describe('with a rate limit', async () => {
      const limited = await startService(configFor(folder, { ...environment, RATE_LIMIT: 'on' }), {
        clock: () => now,
      });
      const ask = (path: string, client: string, headers = {}) =>
        limited.get(path, { 'X-Forwarded-For': client, ...headers });
      const path = `/?image=${uuid(4, 1)}`;

      test('previews do not count against the limit of the API', async () => {
        assert.match((await ask(path, '203.0.113.1')).text, /og:image/);
        assert.equal((await ask('/api/stats', '203.0.113.1')).status, 200);
      });

      test('a client that asks for too many gets the page without a preview, and others are not affected', async () => {
        const hasPreview = async (client: string) => {
          const { status, text, headers } = await ask(path, client);
          assert.equal(status, 200);
          assert.equal(headers['x-ratelimit-limit'], undefined);
          return text.includes('og:image');
        };
        for (let count = 0; count < 20; count++) assert.equal(await hasPreview('203.0.113.2'), true);
        for (let count = 0; count < 20; count++) assert.equal(await hasPreview('203.0.113.2'), false);
        assert.equal((await ask('/?image=42', '203.0.113.2')).status, 200, 'unknown without a look-up');
        assert.equal(await hasPreview('203.0.113.3'), true);
        now += 1000;
        assert.deepEqual([await hasPreview('203.0.113.2'), await hasPreview('203.0.113.2')], [true, false]);
        now = start;
      });
    });
  });
