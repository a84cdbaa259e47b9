/** What the operator chooses: ratings, the address for reports, and the texts of the site. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { demoRecords } from '../../src/api/examples.ts';
import { routes, withDefaultRatings } from '../../src/api/routes.ts';
import { contrast, ON_ACCENT, readableAccent } from '../../src/pages/html.ts';
import { createApp } from '../../src/server/app.ts';
import { artists, uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError, clock, related } from '../support/zukan/api.ts';
import {
  configFor,
  type Envelope,
  importKnownCatalogue,
  makeToken,
  startService,
} from '../support/zukan/service.ts';

const REPORT_URL = `mailto:"abuse"@example.org?subject="Picture"&body={id}%0A{id}`;
const plain = await startService(await importKnownCatalogue(), { clock });
const { dataDir } = plain.config;
const start = (environment: Record<string, string>) =>
  startService(configFor('', { DATA_DIR: dataDir, ...environment }), { clock });
const service = await start({ API_RATINGS: 'sfw', REPORT_URL });
const { headers } = await makeToken(service.config, ['image:list']);
const ratingsOf = ({ json }: { json: Envelope }) =>
  [...new Set<string>(json.data.map(({ nsfw }: Envelope) => nsfw))].sort();
const artistOfNsfw = artists.find(({ name }) => name === 'abe')?.id;
const all = ['nsfw', 'questionable', 'sfw'];

describe('API_RATINGS', () => {
  const lists = [
    '/image/random?limit=25',
    '/image/random?limit=25&seed=s',
    '/image/latest?limit=25',
    '/image?limit=25',
    `/artist/${uuid(2, 1)}/images?limit=25`,
  ];

  test('is the default of nsfw, which overrides it', async () => {
    for (const path of lists) {
      const unfiltered = await plain.get(`/api${path}`, headers);
      assert.deepEqual(ratingsOf(await service.get(`/api${path}`, headers)), ['sfw'], path);
      const explicit = await service.get(`/v1${path}&nsfw=sfw,questionable,nsfw`, headers);
      assert.deepEqual(ratingsOf(explicit), ratingsOf(unfiltered), path);
      assert.ok(ratingsOf(unfiltered).length > 1, path);
      assertError(await service.get(`/api${path}&nsfw=`, headers), 400);
    }
    // The only image of this artist is rated nsfw. Embeds are safe, whatever the operator chose for calls.
    const file = `/api/image/random/file?artist=${artistOfNsfw}`;
    for (const API_RATINGS of ['sfw', 'nsfw']) {
      const chosen = await start({ API_RATINGS });
      assert.equal((await chosen.get(`${file}&nsfw=nsfw`)).status, 302);
      assertError(await chosen.get(file), 404, /No image matches/);
      assert.equal((await chosen.get('/api/image/random/file')).status, 302);
    }
  });

  test('an image is there by its id, whatever its rating', async () => {
    const ratings = await Promise.all(
      [1, 2, 3].map(async (index) => (await service.get(`/api/image/${uuid(4, index)}`)).json.data.nsfw),
    );
    assert.deepEqual(ratings.sort(), all);
  });

  test('is the default of every endpoint that takes nsfw, but for embeds', () => {
    const changed = withDefaultRatings(routes, ['sfw']).filter((route) => !routes.includes(route));
    assert.deepEqual(
      changed.map(({ name }) => name),
      routes.filter(({ query, isEmbed }) => 'nsfw' in query.properties && !isEmbed).map(({ name }) => name),
    );
    assert.ok(changed.some(({ name }) => name === 'similar'));
    assert.equal(withDefaultRatings(routes, ['sfw', 'questionable', 'nsfw']), routes);
  });

  test('a cursor belongs to the ratings that were applied, so another default does not mix them', async () => {
    for (const path of ['/api/image/latest?limit=2', '/api/image/random?seed=s&limit=2']) {
      const first = await service.get(path);
      const cursor = first.headers['x-next-cursor'];
      const rest = await service.get(`${path}&cursor=${cursor}`);
      assert.deepEqual(ratingsOf(rest), ['sfw']);
      assert.equal(
        (await plain.get(`${path}&nsfw=sfw&cursor=${cursor}`)).text,
        rest.text.replaceAll(service.origin, plain.origin),
      );
      assertError(await plain.get(`${path}&cursor=${cursor}`), 400, /different (seed or )?filters/);
      // The link names the ratings, so it goes on after the default has changed.
      const next = new URL(related(first, 'next', service.origin) ?? '');
      assert.equal(next.searchParams.get('nsfw'), 'sfw');
      assert.equal((await plain.get(next.pathname + next.search)).status, 200);
    }
  });

  test('the reference and OpenAPI name the default', async () => {
    const parameterOf = async ({ get }: typeof service) =>
      (await get('/openapi.json')).json.components.parameters.nsfw.schema;
    assert.deepEqual((await parameterOf(service)).default, ['sfw']);
    assert.equal((await parameterOf(plain)).default, undefined);
    const browser = { Accept: 'text/html' };
    // Also of the feeds and of /image/random/file, which always have it.
    const defaults = async ({ get }: typeof service) =>
      (await get('/docs', browser)).text.match(/, default sfw\b/g)?.length ?? 0;
    assert.equal(await defaults(plain), 3);
    assert.ok((await defaults(service)) > 3);
  });
});

describe('REPORT_URL', () => {
  test('is in every image with include=details, with its id', async () => {
    for (const path of [
      '/image/random?limit=25&include=details',
      '/image?limit=2&include=artist,details,thumbnails',
      `/artist/${uuid(2, 1)}/images?include=details`,
      `/image/${uuid(4, 1)}?include=details`,
    ]) {
      const { json } = await service.get(`/api${path}`, headers);
      for (const image of [json.data].flat()) {
        assert.equal(
          image.reportUrl,
          `mailto:"abuse"@example.org?subject=%22Picture%22&body=${image.id}%0A${image.id}`,
        );
        assert.deepEqual(Object.keys(image).slice(-7, -6), ['reportUrl'], 'after the details');
      }
    }
  });

  test('is absent without include=details, and if the operator has set none', async () => {
    const path = `/api/image/${uuid(4, 1)}`;
    assert.equal('reportUrl' in (await service.get(`${path}?include=artist`)).json.data, false);
    assert.equal('reportUrl' in (await plain.get(`${path}?include=details`)).json.data, false);
  });
});

// The site's own name, logo, colour and ratings on every page.

const browser = { Accept: 'text/html' };
const folder = temporaryFolder();
const logo = join(folder, 'logo');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><script>alert(1)</script><path d="M0 0h9v9z"/></svg>';
writeFileSync(logo, svg);
const startSite = (environment: Record<string, string>) => startService(configFor(folder, environment));

const named = await startSite({
  SITE_NAME: '<b>Kura</b> $& {{prefix}}',
  SITE_RATINGS: 'sfw',
  SITE_ACCENT: '#ffee00',
  SITE_DESCRIPTION: 'Foxes & <b>friends</b> {{head}}',
  SITE_LINKS: 'Imprint <b>=https://a.test/?b&c"d, Privacy=http://b.test',
  AI_TRAINING: 'no',
});

test('without configuration the pages show zukan', async () => {
  const { get } = await startSite({});
  const { text } = await get('/', browser);
  assert.match(text, /<title>zukan<\/title>/);
  assert.match(text, /aria-label="zukan, home">\s*<svg class="mark"/);
  assert.match(text, /<span>zukan<\/span>/);
  const reference = await get('/docs', browser);
  assert.ok(reference.text.includes(demoRecords.image.id), 'an empty catalogue shows the demo');
  for (const { text } of [reference, await get('/nowhere', browser)])
    assert.match(text, /aria-label="zukan, home">\s*<svg class="mark"/);
  assert.doesNotMatch((await get('/gallery/style.css')).text, /:root\{/);
});

test('a name replaces zukan on every page, escaped', async () => {
  const { get } = named;
  const { text } = await get('/', browser);
  assert.match(text, /<title>&lt;b&gt;Kura&lt;\/b&gt; \$&amp;/);
  assert.match(text, /<meta name="application-name" content="&lt;b&gt;Kura/);
  assert.doesNotMatch(text, /<b>|class="mark"|zukan</);
  for (const path of ['/nowhere', '/docs']) {
    const page = (await get(path, browser)).text;
    assert.match(page, /<title>.*&lt;b&gt;Kura.*<\/title>/);
    assert.doesNotMatch(page, /<b>Kura|class="mark"/);
  }
});

test('the site has a description, links and a preference for crawlers', async () => {
  const { get } = named;
  const { text } = await get('/', browser);
  const footer = text.slice(text.indexOf('<footer>'));
  assert.match(footer, /<p dir="auto">Foxes &amp; &lt;b&gt;friends&lt;\/b&gt; \{\{head\}\}<\/p>/);
  assert.match(
    footer,
    /<a href="https:\/\/a\.test\/\?b&amp;c%22d">Imprint &lt;b&gt;<\/a> <a href="http:\/\/b\.test\/">/,
  );
  assert.match(text, /<meta property="og:description" content="Foxes &amp; &lt;b&gt;/);
  assert.equal(
    JSON.parse((await get('/manifest.webmanifest')).text).description,
    'Foxes & <b>friends</b> {{head}}',
  );
  const robots = (await get('/robots.txt')).text;
  assert.match(robots, /^User-agent: \*\nContent-Signal: search=yes, ai-train=no\nAllow: /);
  const plain = await startSite({});
  assert.doesNotMatch((await plain.get('/robots.txt')).text, /Content-Signal/);
  assert.match((await plain.get('/', browser)).text, /<footer>\s*<p dir="auto">zukan</);
});

test('a logo is served as what it is, and its scripts cannot run', async () => {
  const { get } = await startSite({ SITE_LOGO: logo });
  const { text } = await get('/', browser);
  const [, address = ''] = /<img src="(\/gallery\/logo)" width="30" height="20" alt="">/.exec(text) ?? [];
  assert.ok(text.includes(`<link rel="icon" href="${address}">`));
  assert.doesNotMatch(text, /class="mark"|icon\.svg/);
  for (const path of ['/nowhere', '/docs'])
    assert.match((await get(path, browser)).text, /<link rel="icon" href="\/gallery\/logo">/);
  const image = await get(address);
  assert.equal(image.text, svg);
  assert.equal(image.headers['content-type'], 'image/svg+xml');
  assert.equal(image.headers['x-content-type-options'], 'nosniff');
  assert.match(image.headers['content-security-policy'] ?? '', /^default-src 'none';.*; sandbox$/);

  const png = await sharp(Buffer.from(svg)).png().toBuffer();
  writeFileSync(join(folder, 'logo.svg'), png);
  const raster = await startSite({ SITE_LOGO: join(folder, 'logo.svg') });
  const answer = await raster.get('/gallery/logo', { 'Accept-Encoding': 'br' });
  assert.deepEqual(
    [answer.headers['content-type'], answer.headers['content-encoding']],
    ['image/png', undefined],
  );
  assert.deepEqual(answer.bytes, png);
});

test('a logo that cannot be used stops the start', async () => {
  const failure = (path: string, content?: string) => {
    const file = join(folder, path);
    if (content !== undefined) writeFileSync(file, content);
    return createApp(configFor(folder, { SITE_LOGO: file }));
  };
  await assert.rejects(failure('none.png'), /^Error: SITE_LOGO: cannot read .*none\.png \(ENOENT\)$/);
  await assert.rejects(failure('.'), /SITE_LOGO: cannot read .* \(EISDIR\)/);
  await assert.rejects(failure('text.png', 'not a picture'), /SITE_LOGO: .* is not an SVG, PNG, WebP/);
  await assert.rejects(failure('large.svg', svg + ' '.repeat(300_000)), /SITE_LOGO: .* up to 256 KiB/);
});

test('any accent colour is readable in both colour schemes', async () => {
  const { get } = named;
  const own = `:root{--seal:${readableAccent('#ffee00')};--on-seal:${ON_ACCENT}}\n`;
  assert.ok((await get('/gallery/style.css')).text.endsWith(own));
  assert.ok((await get('/docs.css')).text.endsWith(own));
  const pair = (css: string) => /^light-dark\((#\w{6}),(#\w{6})\)$/.exec(css)?.slice(1) ?? [];
  const [onLight = '', onDark = ''] = pair(ON_ACCENT);
  const colour = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (accent) => {
      const [light = '', dark = ''] = pair(readableAccent(accent));
      for (const background of ['#faf8f3', '#ffffff', '#f1ece1', onLight])
        assert.ok(contrast(light, background) >= 4.5, `${light} on ${background}`);
      for (const background of ['#15140f', '#1f1d18', '#26241d', onDark])
        assert.ok(contrast(dark, background) >= 4.5, `${dark} on ${background}`);
    }),
    { numRuns: atDepth(100, 1000), seed: 1 },
  );
  assert.ok(Math.abs(contrast('#000000', '#ffffff') - 21) < 1e-9);
  assert.equal(pair(readableAccent('#a92f1b'))[0], '#a92f1b', 'a readable colour is not changed');
});
