/** The gallery in Chromium: views, blurred images and layout. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { artistId, importGalleryCatalogue, questionableImageId } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import { recordFiles, scrollToTop, shownIds, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const focused = (page: Page) => page.locator(':focus');

describe('the gallery', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const service = await startService(makeConfig());
  const browser = await startBrowser();
  const open = (path: string, options = {}) => visit(browser, service.origin + path, options);

  test('the first view takes one request and lays out images before they load', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    assert.equal(requests.length, 1);
    assert.match(requests[0] ?? '', /^\/image\/random\?limit=25&include=artist%2Cthumbnails&seed=[\d.-]+$/);
    assert.equal(await page.locator('.tile').count(), 25);
    assert.equal(await page.locator('h1').count(), 1);
    const box = await page.locator('.tile').first().boundingBox();
    const colour = await page
      .locator('.tile')
      .first()
      .evaluate((tile) => tile.style.backgroundColor);
    assert.ok(box && box.height > 100);
    assert.match(colour, /^rgb\(\d+, \d+, \d+\)$/);
    const image = page.locator('.tile:not(.blurred) img').first();
    await page.locator('.tile:not(.blurred) img.loaded').first().waitFor();
    assert.match((await image.getAttribute('alt')) ?? '', /^(Nami <b>Umi<\/b>|かえで): (city, )?sea$/);
    await finish();
  });

  test('category chips combine, and going back and forward needs no request', async () => {
    const { page, requests, finish } = await open('/');
    const chip = (name: string) => page.locator('#categories').getByRole('button', { name, exact: true });
    await chip('sea').click();
    await page.waitForURL('**/?categories=sea');
    await waitUntilIdle(page);
    const sea = await shownIds(page);
    await chip('city').click();
    await page.waitForURL('**/?categories=sea,city');
    await waitUntilIdle(page);
    const both = await shownIds(page);
    assert.equal(both.length, 10);
    assert.equal(await page.locator('h1').textContent(), 'sea and city');
    assert.equal(await page.locator('.chip[aria-pressed="true"]').count(), 2);
    assert.equal(requests.length, 3);
    await page.goBack();
    await page.waitForURL('**/?categories=sea');
    assert.deepEqual(await shownIds(page), sea);
    await page.goForward();
    assert.deepEqual(await shownIds(page), both);
    await chip('sea').click();
    await page.waitForURL('**/?categories=city');
    await waitUntilIdle(page);
    assert.equal(requests.length, 4);
    await finish();
  });

  test('shuffle shows other images, and going back restores the previous ones', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    const before = await shownIds(page);
    await page.locator('#shuffle').click();
    await waitUntilIdle(page);
    assert.notDeepEqual(await shownIds(page), before);
    await page.goBack();
    assert.deepEqual(await shownIds(page), before);
    assert.equal(requests.length, 2);
    await finish();
  });

  test('an artist view takes one request, because the images contain the name', async () => {
    const { page, requests, finish } = await open(`/?artist=${artistId}`);
    await page.getByRole('heading', { level: 1, name: 'Hokusai & Daughter' }).waitFor();
    assert.ok(await page.getByText('30 images').isVisible());
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(`**/?artist=${artistId}&page=2`);
    await waitUntilIdle(page);
    assert.equal((await shownIds(page)).length, 5);
    assert.deepEqual(requests, [
      `/artist/${artistId}/images?limit=25&offset=0&include=artist%2Cthumbnails`,
      `/artist/${artistId}/images?limit=25&offset=25&include=artist%2Cthumbnails`,
    ]);
    await finish();
  });

  test('a list of entries takes one request and shows covers and counts', async () => {
    const { page, requests, finish } = await open('/?in=artists');
    const [hokusai, idle] = [page.locator('.entries li').first(), page.locator('.entries li').last()];
    await hokusai.locator('.cover img.loaded').waitFor();
    assert.deepEqual(requests, ['/artist?limit=25&offset=0&include=count%2Ccover']);
    assert.match(await hokusai.locator('p').innerText(), /^[1-9]\d* images · example\.org$/);
    assert.equal(await idle.locator('p').innerText(), '0 images');
    assert.equal(await idle.locator('.cover').innerText(), 'I');
    assert.equal(await idle.locator('img').count(), 0);
    await page.getByRole('link', { name: 'Hokusai & Daughter', exact: true }).click();
    await waitForFirstImage(page);
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
    assert.equal(await focused(page).getAttribute('data-image'), questionableImageId);
    await page.getByLabel('Unblur all').check();
    assert.equal(await page.locator('.blurred').count(), 0);
    await page.reload();
    await waitForFirstImage(page);
    assert.equal(await page.locator('.blurred').count(), 0, 'the setting survives a reload');
    await page.getByLabel('Unblur all').uncheck();
    assert.equal(await page.locator('.blurred').count(), 3);
    await finish();
  });

  test('nothing overflows on a phone or a large screen, and the rows are full', async () => {
    const { page, finish } = await open('/', { viewport: { width: 360, height: 740 } });
    const overflows = (element: Element) => element.scrollWidth > element.clientWidth;
    for (const [width, height] of [
      [360, 740],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await waitForFirstImage(page);
      assert.equal(await page.locator('html').evaluate(overflows), false, `${width} px`);
      const grid = await page.locator('#grid').boundingBox();
      const rights = await page
        .locator('.tile')
        .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().right));
      assert.ok(grid && Math.abs(grid.x + grid.width - Math.max(...rights)) < 1, `${width} px`);
      await page.locator('.tile:not(.blurred) a').first().click();
      await page.getByRole('dialog').locator('img.loaded').waitFor();
      assert.equal(await page.locator('dialog[open]').evaluate(overflows), false, `${width} px`);
      await page.locator('#close').click();
    }
    await finish();
  });

  test('on a phone and a tablet, images start in the top quarter, and the search stays at the top', async () => {
    // So few images that no more load, which would move those of the last row.
    const { page, finish } = await open('/?categories=city');
    await waitForFirstImage(page);
    for (const [width, height] of [
      [390, 844],
      [820, 1180],
    ] as const) {
      await page.setViewportSize({ width, height });
      const tile = await page.locator('.tile').first().boundingBox();
      assert.ok(tile && tile.y <= height / 4, `${tile?.y} px of ${height}`);
      await page.evaluate(() => scrollTo(0, 100));
      const form = await page.locator('#search').boundingBox();
      assert.ok(form && form.y >= 0 && form.y < 20, `${form?.y} px`);
      await scrollToTop(page);
    }
    const tops = await page
      .locator('.wordmark, #search, .top nav a')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect()));
    const middles = tops.map(({ top, bottom }) => (top + bottom) / 2);
    assert.ok(Math.max(...middles) - Math.min(...middles) < 4, 'the header is one line');
    const tools = await page
      .locator('.tools > :visible')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));
    assert.equal(tools.length, 4);
    assert.ok(Math.max(...tools) - Math.min(...tools) < 4, 'no filter is alone on a line');
    await finish();
  });

  test('on a phone, the filters are behind a button', async () => {
    const { page, finish } = await open('/', { viewport: { width: 390, height: 844 } });
    await waitForFirstImage(page);
    const portrait = page.getByRole('button', { name: 'portrait', exact: true });
    assert.ok(!(await portrait.isVisible()));
    await page.getByRole('button', { name: 'Filters', expanded: false }).press('Enter');
    await portrait.click();
    await page.waitForURL('**/?orientation=portrait');
    assert.ok(await page.getByRole('button', { name: 'Filters 1', expanded: true }).isVisible());
    await finish();
  });

  test('works with the API at the root', async () => {
    const { origin } = await startService(makeConfig({ API_PREFIXES: '/' }));
    const { page, finish } = await visit(browser, `${origin}/nowhere`);
    await page.getByRole('link', { name: 'Open the gallery' }).click();
    await waitForFirstImage(page);
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.locator('.entries li').first().waitFor();
    await page.goBack();
    await waitForFirstImage(page);
    await finish(['404']);
  });
});
