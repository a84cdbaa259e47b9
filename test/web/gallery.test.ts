/** The gallery in Chromium: views, blurred images and the layout on a phone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolations, findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import {
  albumId,
  artistId,
  importGalleryCatalogue,
  questionableImageId,
} from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { newerGlobals, removalOf } from '../support/newer-globals.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import {
  ALL_RATINGS,
  openFilters,
  recordFiles,
  scrollToEnd,
  shownIds,
  waitForFirstImage,
  waitUntilIdle,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('the gallery', { skip }, async () => {
  if (skip) return;
  const { browser, open } = await openGallery();

  test('an older browser asks for the same, and shows pictures, entries and their addresses', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw', {
      prepare: (context) => context.addInitScript(removalOf(newerGlobals)),
    });
    await waitForFirstImage(page);
    assert.match(requests[0] ?? '', /^\/image\/random\?nsfw=sfw&limit=25&/);
    await page.locator('.tile a').first().click();
    await page.locator('#detail[open] a.external').first().waitFor({ state: 'attached' });
    await page.goto(new URL('/?in=artists', page.url()).href);
    await page
      .getByText(/ · example\.org$/)
      .first()
      .waitFor();
    await finish();
  });

  test('the first view takes one request and lays out images before they load', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    assert.equal(requests.length, 1);
    assert.match(
      requests[0] ?? '',
      /^\/image\/random\?nsfw=sfw%2Cquestionable%2Cnsfw&limit=25&include=artist%2Cthumbnails%2Cdetails&seed=[\d.-]+$/,
    );
    assert.equal(await page.locator('.tile').count(), 25);
    assert.equal(await page.locator('h1').count(), 1);
    const { height, colour } = await page
      .locator('.tile')
      .first()
      .evaluate((tile) => ({
        height: tile.getBoundingClientRect().height,
        colour: tile.style.backgroundColor,
      }));
    assert.ok(height > 100);
    assert.match(colour, /^rgb\(\d+, \d+, \d+\)$/);
    const image = page.locator('.tile:not(.blurred) img').first();
    await page.locator('.tile:not(.blurred) img.loaded').first().waitFor();
    assert.match((await image.getAttribute('alt')) ?? '', /^\d+: (Nami <b>Umi<\/b>|かえで): (city, )?sea$/);
    assert.deepEqual(await findViolations(page), []);

    const before = await shownIds(page);
    await page.locator('#shuffle').click();
    await waitUntilIdle(page);
    assert.notDeepEqual(await shownIds(page), before);
    await page.goBack();
    assert.deepEqual(await shownIds(page), before, 'going back restores the images before a shuffle');
    assert.equal(requests.length, 2);
    await finish();
  });

  test('category chips combine, and going back and forward needs no request', async () => {
    // So low that no more images load by themselves.
    const viewport = { width: 1000, height: 400 };
    const { page, requests, finish } = await open('/?categories=sea', { viewport });
    const chip = (name: string) => page.locator('#categories').getByRole('button', { name, exact: true });
    await waitForFirstImage(page);
    const sea = await shownIds(page);
    await chip('city').click();
    await page.waitForURL('**/?categories=sea,city');
    await waitUntilIdle(page);
    const both = await shownIds(page);
    assert.equal(both.length, 10);
    assert.equal(await page.locator('h1').textContent(), 'sea and city');
    assert.equal(await page.locator('.chip[aria-pressed="true"]').count(), 2);
    assert.equal(requests.length, 2);
    await page.goBack();
    await page.waitForURL('**/?categories=sea');
    assert.deepEqual(await shownIds(page), sea);
    await page.goForward();
    assert.deepEqual(await shownIds(page), both);
    await chip('sea').click();
    await page.waitForURL('**/?categories=city');
    await waitUntilIdle(page);
    assert.equal(requests.length, 3);
    await finish();
  });

  test('a list of entries shows covers and counts, and an artist and an album their images, with one request each', async () => {
    const { page, requests, finish } = await open('/?in=artists');
    const hokusai = page.locator('.entries li');
    await hokusai.locator('.cover img.loaded').waitFor();
    assert.match(await hokusai.locator('p').innerText(), /^[1-9]\d* images · example\.org$/);
    assert.equal(await hokusai.count(), 1, 'an artist without images is not listed');
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByRole('link', { name: 'Hokusai & Daughter', exact: true }).click();
    await waitForFirstImage(page);
    await page.getByRole('heading', { level: 1, name: 'Hokusai & Daughter' }).waitFor();
    assert.ok(await page.getByText('30 images').isVisible());
    const feed = page.getByRole('link', { name: 'Feed' });
    assert.equal(await feed.getAttribute('href'), `/feed.xml?artist=${artistId}`);
    const feeds = () =>
      page
        .locator('link[rel="alternate"]')
        .evaluateAll((links) =>
          links.map((link) => `${link.getAttribute('href')} ${link.getAttribute('title')}`),
        );
    assert.deepEqual(
      await feeds(),
      ['xml', 'json'].map((type) => `/feed.${type}?artist=${artistId} Hokusai & Daughter · zukan`),
      'the head follows the view',
    );
    await scrollToEnd(page);
    await page.getByText('All 30 images shown.', { exact: true }).waitFor();
    assert.deepEqual(requests, [
      '/artist?limit=25&offset=0&include=count%2Ccover',
      `/artist/${artistId}/images?${ALL_RATINGS}&limit=25&offset=0&include=artist%2Cthumbnails%2Cdetails`,
      `/artist/${artistId}/images?${ALL_RATINGS}&limit=25&offset=25&include=artist%2Cthumbnails%2Cdetails`,
    ]);
    await page.goBack();
    await hokusai.waitFor();
    assert.deepEqual(await feeds(), ['/feed.xml zukan', '/feed.json zukan']);
    await page.getByRole('link', { name: 'Albums' }).click();
    await page.getByRole('link', { name: 'Holidays' }).click();
    await page.getByText('A week by the sea.').waitFor();
    await waitForFirstImage(page);
    assert.equal((await shownIds(page))[0], uuid(4, 30), 'images are in the order of the album');
    assert.equal(await feed.getAttribute('href'), `/feed.xml?album=${albumId}`);
    assert.ok(await page.locator('#shuffle').isHidden());
    assert.deepEqual(requests.slice(3), [
      '/album?limit=25&offset=0&include=count%2Ccover',
      `/album/${albumId}/images?${ALL_RATINGS}&limit=25&offset=0&include=artist%2Cthumbnails%2Cdetails`,
    ]);
    await scrollToEnd(page);
    await page.getByText('All 30 images shown.', { exact: true }).waitFor();
    await finish();
  });

  test('images not rated sfw stay placeholders until one or all are unblurred', async () => {
    const { page, finish } = await open(`/?artist=${artistId}`);
    const files = recordFiles(page);
    const tile = page.locator(`[data-id="${questionableImageId}"]`);
    const show = tile.getByRole('button', { name: 'questionable · show' });
    await page.locator('.tile img.loaded').nth(4).waitFor();
    assert.equal(await page.locator('.blurred').count(), 3);
    assert.equal(await page.locator('.blurred canvas').count(), 3);
    await page.evaluate(
      (id) => document.querySelector<HTMLElement>(`a[data-image="${id}"]`)?.click(),
      questionableImageId,
    );
    await page.getByRole('dialog').getByRole('button', { name: 'questionable · show' }).waitFor();
    assert.ok(await page.locator('#zoom').isDisabled());
    await page.locator('#close').click();
    assert.equal(files.filter((path) => path.includes(questionableImageId)).length, 0);
    await show.click();
    await tile.locator('img.loaded').waitFor();
    assert.equal(files.filter((path) => path.includes(questionableImageId)).length, 1);
    assert.equal(await page.locator(':focus').getAttribute('data-image'), questionableImageId);
    await openFilters(page);
    await page.getByLabel('Unblur all').check();
    assert.equal(await page.locator('.blurred').count(), 0);
    await page.reload();
    await waitForFirstImage(page);
    assert.equal(await page.locator('.blurred').count(), 0, 'the setting survives a reload');
    await openFilters(page);
    await page.getByLabel('Unblur all').uncheck();
    assert.equal(await page.locator('.blurred').count(), 3);
    await finish();
  });

  test('on a phone, nothing overflows, images start in the top quarter, and the filters open', async () => {
    const height = 844;
    const { page, finish } = await open('/', { viewport: { width: 390, height } });
    await waitForFirstImage(page);
    const overflows = (element: Element) => element.scrollWidth > element.clientWidth;
    assert.equal(await page.locator('html').evaluate(overflows), false);
    const { right, top } = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.tile')].map((tile) => tile.getBoundingClientRect());
      const grid = document.getElementById('grid')?.getBoundingClientRect();
      const furthest = Math.max(...boxes.map(({ right }) => right));
      return { right: (grid?.right ?? 0) - furthest, top: boxes[0]?.top ?? 0 };
    });
    assert.ok(Math.abs(right) < 1, 'the rows are full');
    assert.ok(top <= height / 4, `${top} px of ${height}`);
    const portrait = page.getByRole('button', { name: 'portrait', exact: true });
    assert.ok(!(await portrait.isVisible()));
    await page.getByRole('button', { name: 'Filters', expanded: false }).press('Enter');
    await portrait.click();
    await page.waitForURL('**/?orientation=portrait');
    await waitUntilIdle(page);
    assert.ok(await page.getByRole('button', { name: 'Filters 1', expanded: true }).isVisible());
    await page.locator('.tile:not(.blurred) a').first().click();
    await page.getByRole('dialog').locator('img.loaded').waitFor();
    assert.equal(await page.locator('dialog[open]').evaluate(overflows), false);
    await finish();
  });

  testDeep('works with the API at the root, and has a page for unknown addresses', async () => {
    const makeConfig = await importGalleryCatalogue();
    const { origin } = await startService(makeConfig({ API_PREFIXES: '/' }));
    const { page, finish } = await visit(browser, `${origin}/nowhere`);
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByRole('link', { name: 'Open the gallery' }).click();
    await waitForFirstImage(page);
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.locator('.entries li').first().waitFor();
    await page.goBack();
    await waitForFirstImage(page);
    await finish(['404']);
  });
});
