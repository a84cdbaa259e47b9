/** The gallery in Chromium: views, search, blurred images and errors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.ts';
import { artistId, importGalleryCatalogue, questionableImageId, seaCategoryId } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { recordFiles, shownIds, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

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

  test('search shows results, no results and the error of the API', async () => {
    const { page, requests, finish } = await open('/');
    await page.getByLabel('Search in').selectOption('artists');
    await page.getByLabel('Name or pattern').fill('hokusai');
    await page.keyboard.press('Enter');
    await page.getByText('No names match.').waitFor();
    await page.getByRole('link', { name: 'Names that contain “hokusai”' }).click();
    await page.locator('#entries').getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    assert.equal(await page.getByLabel('Name or pattern').inputValue(), '%hokusai%');
    await page.getByLabel('Name or pattern').fill('[a-');
    await page.keyboard.press('Enter');
    const { message } = (await service.get('/api/artist?search=[a-')).json;
    await page.getByRole('alert').getByText(message).waitFor();
    assert.equal(await page.locator('.tile, #entries li:visible').count(), 0);
    assert.equal(requests.length, 4);
    await page.goBack();
    await page.locator('#entries').getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    assert.equal(requests.length, 4);
    await finish(['400']);
  });

  test('unknown names and invalid ids show the error of the API', async () => {
    const { page, finish } = await open('/?categories=dragons');
    await page.getByText('Invalid categories: there is no category "dragons".').waitFor();
    await page.goto(`${service.origin}/?image=42`);
    await page.getByText('Invalid ID: it must be a UUID.').waitFor();
    await page.goto(`${service.origin}/?artist=${seaCategoryId}`);
    await page.getByText('Artist not found.').waitFor();
    await finish(['400', '404']);
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
      assert.equal(await page.locator('dialog').evaluate(overflows), false, `${width} px`);
      await page.locator('#close').click();
    }
    await finish();
  });

  test('works with the API at the root', async () => {
    const { origin } = await startService(makeConfig({ API_PREFIXES: '/' }));
    const { page, finish } = await visit(browser, `${origin}/nowhere`);
    await page.getByRole('link', { name: 'Open the gallery' }).click();
    await waitForFirstImage(page);
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.locator('#entries li').first().waitFor();
    await page.goBack();
    await waitForFirstImage(page);
    await finish(['404']);
  });

  test('an offline page says so, and "Try again" continues', async () => {
    const { page, finish } = await open('/');
    await waitForFirstImage(page);
    await page.context().setOffline(true);
    await page.locator('#shuffle').click();
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForFirstImage(page);
    await finish(['ERR_INTERNET_DISCONNECTED']);
  });
});
