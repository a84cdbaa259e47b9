/** What auditors of pages look at, and pages in a browser without scripts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, startBrowser } from '../support/browser/browser.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { importGalleryCatalogue, questionableImageId } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';

const ORIGIN = 'https://kura.example';
const service = await startService(
  await restoreDemo({ PUBLIC_URL: ORIGIN, SITE_LICENCE: 'https://creativecommons.org/licenses/by/4.0/' }),
);
const get = (path: string, method = 'GET') => service.get(path, { Accept: 'text/html' }, method);

const unescapeHtml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
const all = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, value = '']) => unescapeHtml(value));
const only = (text: string, pattern: RegExp, what: string) => {
  const found = all(text, pattern);
  assert.equal(found.length, 1, `${what}: ${found.length}`);
  return found[0] ?? '';
};
const relative = (address: string) => address.replace(ORIGIN, '');
const locations = async (path: string) => all((await get(path)).text, /<loc>([^<]*)<\/loc>/g).map(relative);
const meta = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`, 'g');

const pages = (await Promise.all((await locations('/sitemap.xml')).map(locations))).flat();
/** The lists, and some of each kind. */
const isOfKind = new Map<string, number>();
const checked = pages.filter((path) => {
  const [, kind = '', id = ''] = path.split('/');
  const count = (isOfKind.get(kind) ?? 0) + 1;
  isOfKind.set(kind, count);
  return !id || count <= 5;
});
const links = new Set<string>();

/** What every page has, whether it is for search engines or not. */
function checkPage(path: string, text: string): { title: string; description: string } {
  assert.match(text, /^<!doctype html>\n<html lang="en"/, path);
  only(text, /<meta name="viewport" content="(width=device-width[^"]*)">/g, `${path} viewport`);
  const title = only(text, /<title>([^<]+)<\/title>/g, `${path} title`);
  assert.ok(title.length <= 70, `${path}: ${title}`);
  only(text, /<h1[^>]*>(?!\s*<\/h1>)(.)/g, `${path} h1`);
  for (const image of all(text, /<img ([^>]*)>/g)) {
    assert.match(image, /\balt="/, path);
    assert.match(image, /\bwidth="\d+" height="\d+"/, path);
  }
  for (const link of all(text, /<a\b([^>]*)>/g)) assert.match(link, /\bhref="(\/|#|https?:)/, path);
  assert.doesNotMatch(text, /http-equiv="refresh"|href="javascript:/);
  for (const address of [
    ...all(text, /\b(?:href|src|action)="([^"#]+)(?:#[^"]*)?"/g),
    ...all(text, /\bsrcset="([^"]+)"/g).flatMap((set) =>
      set.split(', ').map((item) => item.split(' ')[0] ?? ''),
    ),
    ...all(text, meta('og:image')),
  ])
    if (/^\/(?!\/)/.test(relative(address))) links.add(relative(address));
  const [description = ''] = all(text, meta('description'));
  return { title, description };
}

test('every kind of page has one address, its own title and description, and data that says what it shows', async () => {
  assert.deepEqual([...isOfKind.keys()].sort(), [
    '',
    'albums',
    'artists',
    'categories',
    'characters',
    'newest',
    'pictures',
  ]);
  const titles = new Map<string, string>();
  for (const path of checked) {
    const { status, text } = await get(path);
    assert.equal(status, 200, path);
    const { title, description } = checkPage(path, text);
    assert.equal(titles.get(title), undefined, `${path}: ${title}`);
    titles.set(title, path);
    assert.ok(description.length > 5 && description.length <= 200, `${path}: ${description}`);
    assert.equal(only(text, /<link rel="canonical" href="([^"]*)">/g, path), ORIGIN + path);
    assert.doesNotMatch(text, meta('robots'));
    assert.equal(only(text, meta('og:url'), path), ORIGIN + path);
    for (const name of ['og:title', 'og:description', 'og:type', 'og:site_name', 'twitter:card'])
      assert.ok(only(text, meta(name), `${path} ${name}`), path);
    const data = all(text, /<script type="application\/ld\+json">([\s\S]*?)<\/script>/g).map((json) =>
      JSON.parse(json),
    );
    assert.equal(data.length, path === '/' ? 0 : 1, path);
    for (const { '@context': context, '@graph': graph } of data) {
      assert.equal(context, 'https://schema.org');
      const { itemListElement: trail } = graph.find(
        (item: { '@type': string }) => item['@type'] === 'BreadcrumbList',
      );
      for (const [index, { position, name, item }] of trail.entries())
        assert.ok(position === index + 1 && name && item.startsWith(`${ORIGIN}/`), path);
    }
    if (!path.startsWith('/pictures/')) continue;
    const picture = data[0]['@graph'].find((item: { '@type': string }) => item['@type'] === 'ImageObject');
    for (const field of [
      'contentUrl',
      'license',
      'acquireLicensePage',
      'creditText',
      'creator',
      'copyrightNotice',
    ])
      assert.ok(picture[field], `${path}: ${field} for licensable images`);
    assert.ok(URL.canParse(picture.license) && picture.contentUrl.startsWith(`${ORIGIN}/pictures/`), path);
    assert.equal(picture.acquireLicensePage, ORIGIN + path);
    links.add(relative(picture.contentUrl));
    assert.match(only(text, meta('og:image'), path), /^https:\/\/kura\.example\/pictures\//);
    assert.match(text, /<link rel="alternate" type="application\/json\+oembed"/);
  }
});

test('filtered, shuffled and blurred pages and searches are not for search engines', async () => {
  const blurred = (await service.get('/api/image/latest?nsfw=nsfw,questionable&limit=1')).json.data[0].id;
  for (const path of [
    ...[
      '/?seed=abc',
      '/newest?orientation=portrait',
      '/newest?nsfw=sfw',
      `/search?q=${'fox'.repeat(33)}`,
      '/artists?sort=images',
    ],
    ...[`/pictures/${blurred}`, `/pictures/${blurred}?nsfw=nsfw,questionable`],
  ]) {
    const { status, text } = await get(path);
    assert.equal(status, 200, path);
    checkPage(path, text);
    assert.equal(only(text, meta('robots'), path), 'noindex');
    assert.doesNotMatch(text, /rel="canonical"|ld\+json|json\+oembed|og:image/, path);
  }
  for (const path of ['/pictures/00000000-0000-4000-8000-000000000000', '/artists/nobody', '/nothing']) {
    const { status, text } = await get(path);
    assert.equal(status, 404, path);
    checkPage(path, text);
  }
});

test('no link of these pages leads nowhere', async () => {
  assert.ok(links.size > 200, `${links.size}`);
  for (const path of links) {
    const { status } = await get(path, 'HEAD');
    assert.ok(status === 200, `${status} ${path}`);
  }
});

// Pages in a browser without scripts: finding a picture and downloading it, on a phone and on a desktop, for everyone.

const skip = unless(findChromium(), 'Chromium', installChromium);

test('a visitor without scripts filters, pages, searches, and downloads a picture', { skip }, async () => {
  const { origin } = await startService((await importGalleryCatalogue())());
  const page = await openPage(await startBrowser(), {
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  await page.goto(origin);
  assert.equal(await page.locator('.tile').count(), 24);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  await page.locator('.filters summary').click();
  await page.getByLabel('portrait').check();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(/orientation=portrait/);
  for (const image of await page.locator('.tile img').all()) {
    const [width = 0, height = 0] = [
      await image.getAttribute('width'),
      await image.getAttribute('height'),
    ].map(Number);
    assert.ok(width < height);
  }
  await page.getByRole('link', { name: 'Newest' }).click();
  await page.getByRole('link', { name: 'More pictures' }).click();
  assert.equal(await page.locator('.tile').count(), 6);
  await page.getByRole('searchbox').fill('city');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.tile:not(.blurred) a').first().click();
  await page.locator('article.picture-page').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.downloads a').first().click(),
  ]);
  assert.match(download.suggestedFilename(), /-[0-9a-f]{8}\.webp$/);
  await page.locator('.artist a').click();
  assert.equal(await page.locator('h1').textContent(), 'Hokusai & Daughter');
  await page.goto(`${origin}/?image=${questionableImageId}`);
  assert.equal(await page.locator('img').count(), 0);
  await page.getByRole('link', { name: 'Show the picture' }).click();
  await page.locator('.stage a.full').waitFor();
  await page.waitForLoadState('load');
  assert.equal(await page.evaluate(`document.querySelector('.stage img').naturalWidth > 0`), true);
  await page.context().close();
});
