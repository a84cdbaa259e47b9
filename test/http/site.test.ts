/** The site's own name, logo, colour and ratings on every page. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { demoRecords } from '../../src/api/examples.ts';
import { contrast, ON_ACCENT, readableAccent } from '../../src/pages/html.ts';
import { createApp } from '../../src/server/app.ts';
import { atDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const browser = { Accept: 'text/html' };
const folder = temporaryFolder();
const logo = join(folder, 'logo');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><script>alert(1)</script><path d="M0 0h9v9z"/></svg>';
writeFileSync(logo, svg);
const start = (environment: Record<string, string>) => startService(configFor(folder, environment));

const named = await start({
  SITE_NAME: '<b>Kura</b> $& {{prefix}}',
  SITE_RATINGS: 'sfw',
  SITE_ACCENT: '#ffee00',
  SITE_DESCRIPTION: 'Foxes & <b>friends</b> {{head}}',
  SITE_LINKS: 'Imprint <b>=https://a.test/?b&c"d, Privacy=http://b.test',
  AI_TRAINING: 'no',
});

test('without configuration the pages show zukan', async () => {
  const { get } = await start({});
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
  const plain = await start({});
  assert.doesNotMatch((await plain.get('/robots.txt')).text, /Content-Signal/);
  assert.match((await plain.get('/', browser)).text, /<footer>\s*<p dir="auto">zukan</);
});

test('a logo is served as what it is, and its scripts cannot run', async () => {
  const { get } = await start({ SITE_LOGO: logo });
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
  const raster = await start({ SITE_LOGO: join(folder, 'logo.svg') });
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
