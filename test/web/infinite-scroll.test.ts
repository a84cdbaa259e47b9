/** Infinite scrolling: with the mouse, with the keyboard, in the dialog and after errors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { characterId, importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import {
  scrollNearEnd,
  scrollToEnd,
  scrollToTop,
  shownIds,
  waitForFirstImage,
  waitForImageCount,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const IMAGE_COUNT = 230;
const PAGE_SIZE = 25;
/** The first page and those that load automatically. */
const AUTOMATIC_COUNT = 9 * PAGE_SIZE;

/** The position and size of every tile, as CSS text. */
const tileStyles = (page: Page) =>
  page
    .locator('.tile')
    .evaluateAll((tiles) =>
      tiles.map((tile) => tile.getAttribute('style')?.replace(/background[^;]+;/, '') ?? ''),
    );
const rowPosition = (style: string | undefined) =>
  /translate\([^,)]+(?:, ([^)]+))?\)/.exec(style ?? '')?.[1] ?? '0';
const seedsIn = (requests: string[]) => new Set(requests.map((path) => /seed=([^&]+)/.exec(path)?.[1]));

describe('infinite scrolling', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue(IMAGE_COUNT);
  const service = await startService(makeConfig());
  const browser = await startBrowser();
  const open = (path: string) => visit(browser, service.origin + path);

  test('shows every image once and never moves a full row', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    let before = await tileStyles(page);
    while (before.length < AUTOMATIC_COUNT) {
      await scrollNearEnd(page);
      await waitForImageCount(page, before.length + 1);
      const after = await tileStyles(page);
      const lastRow = rowPosition(before.at(-1));
      for (const [index, style] of before.entries())
        if (rowPosition(style) !== lastRow) assert.equal(after[index], style);
      before = after;
    }
    await scrollToEnd(page);
    assert.equal(await page.locator('#more').textContent(), 'Show more');
    assert.equal(requests.length, AUTOMATIC_COUNT / PAGE_SIZE);
    assert.ok(await page.locator('footer a').first().isVisible());
    const layoutShift = await page.evaluate('globalThis.layoutShift');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`All ${IMAGE_COUNT} images shown.`, { exact: true }).waitFor();
    // The footer moves, as the visitor expects. Chromium ignores that only within half a second after the click.
    await page.evaluate(`globalThis.layoutShift = ${layoutShift}`);
    const ids = await shownIds(page);
    assert.equal(new Set(ids).size, IMAGE_COUNT);
    assert.equal(ids.length, IMAGE_COUNT);
    assert.ok(await page.locator('#more').isHidden());
    assert.equal(requests.length, Math.ceil(IMAGE_COUNT / PAGE_SIZE));
    assert.equal(seedsIn(requests).size, 1);
    assert.equal(await page.locator('#status').textContent(), `5 more. All ${IMAGE_COUNT} images shown.`);
    await finish();
  });

  test('the newest images come first, and their categories and order can be changed', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    await page.getByRole('navigation', { name: 'Browse' }).getByRole('link', { name: 'Newest' }).click();
    await page.getByRole('heading', { level: 1, name: 'Newest' }).waitFor();
    await waitForImageCount(page, PAGE_SIZE);
    await scrollNearEnd(page);
    await waitForImageCount(page, 2 * PAGE_SIZE);
    const newest = Array.from({ length: 2 * PAGE_SIZE }, (_, index) => uuid(4, IMAGE_COUNT - index));
    assert.deepEqual((await shownIds(page)).slice(0, newest.length), newest);
    assert.match(requests[1] ?? '', /^\/image\/latest\?limit=25&include=/);
    assert.match(requests[2] ?? '', /^\/image\/latest\?.*&cursor=/);
    await scrollToTop(page);
    await page.locator('#categories').getByRole('button', { name: 'city', exact: true }).click();
    await page.waitForURL('**/?order=newest&categories=city');
    await page.waitForFunction(
      (id) => document.querySelector<HTMLElement>('.tile')?.dataset.id === id,
      uuid(4, 228),
    );
    const request = page.waitForRequest(/\/image\/random\?categories=city&/);
    await page.locator('#shuffle').click();
    await page.waitForURL('**/?categories=city');
    await request;
    await finish();
  });

  test('going back restores all loaded images and the scroll position without a request', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    const firstPage = await shownIds(page);
    await scrollNearEnd(page);
    await waitForImageCount(page, 2 * PAGE_SIZE);
    // In one step, because more images may load at any time.
    const ids = await page.evaluate(() => {
      scrollTo(0, 900);
      const tiles = [...document.querySelectorAll<HTMLElement>('.tile')];
      document.querySelector<HTMLElement>('nav a[href*=artists]')?.click();
      return tiles.map((tile) => tile.dataset.id ?? '');
    });
    await page.locator('#entries li').first().waitFor();
    const requestCount = requests.length;
    await page.goBack();
    await page.waitForFunction(() => scrollY === 900);
    assert.deepEqual(await shownIds(page), ids);
    assert.equal(requests.length, requestCount);
    await page.evaluate(() => scrollTo(0, 0));
    await page.reload();
    await waitForFirstImage(page);
    assert.deepEqual((await shownIds(page)).slice(0, PAGE_SIZE), firstPage, 'a reload keeps the seed');
    await page.locator('#shuffle').click();
    await page.waitForFunction(
      (id) => document.querySelector<HTMLElement>('.tile')?.dataset.id !== id,
      firstPage[0],
    );
    assert.equal(seedsIn(requests.filter((path) => path.startsWith('/image'))).size, 2);
    await finish();
  });

  test('the dialog steps from the last loaded image to the next one', async () => {
    const { page, requests, finish } = await open(`/?character=${characterId}`);
    await waitForImageCount(page, PAGE_SIZE);
    await page.evaluate(() => document.querySelector<HTMLElement>('.tile:nth-child(24) a')?.click());
    const ids = await shownIds(page);
    await page.waitForURL(`**&image=${ids[23]}`);
    // The address changes before the script of the dialog is there, which handles the keys.
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**&image=${ids[24]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.search.includes(ids[24] as string));
    const moreIds = await shownIds(page);
    assert.ok(page.url().endsWith(`&image=${moreIds[25]}`));
    assert.ok(requests.every((path) => path.includes(`character=${characterId}`)));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.waitForFunction(
      (id) => document.activeElement?.closest('.tile')?.matches(`[data-id="${id}"]`),
      moreIds[25],
    );
    const isInView = (id: string | undefined) => {
      const { top, bottom } = document.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect() ?? {};
      return top !== undefined && bottom !== undefined && bottom > 0 && top < innerHeight;
    };
    await page.waitForFunction(isInView, moreIds[25]);
    await finish();
  });

  test('keyboard users get a button and can reach the footer', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw');
    await waitForImageCount(page, PAGE_SIZE);
    await page.keyboard.press('Tab');
    await page.locator('.tile a').nth(23).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    assert.equal(await focused.textContent(), 'Show more');
    await page.keyboard.press('Tab');
    assert.equal(await focused.textContent(), 'API reference');
    await scrollToEnd(page);
    assert.equal(await page.locator('#more').textContent(), 'Show more');
    assert.equal(requests.length, 1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await waitForImageCount(page, 2 * PAGE_SIZE);
    const ids = await shownIds(page);
    assert.equal(await focused.getAttribute('data-image'), ids[25], 'the first new image has the focus');
    assert.equal(await page.locator('#status').textContent(), '25 more. 50 images so far.');
    await finish();
  });

  test('scrolling back and forth during a load does not use up the automatic pages', async () => {
    const { page, finish } = await open('/');
    await waitForFirstImage(page);
    const release = Promise.withResolvers<void>();
    await page.route('**/api/**', (route) => release.promise.then(() => route.continue()), { times: 1 });
    for (let count = 0; count < 9; count++) {
      await scrollToEnd(page);
      await scrollToTop(page);
    }
    release.resolve();
    await waitForImageCount(page, 2 * PAGE_SIZE);
    await scrollNearEnd(page);
    await waitForImageCount(page, 3 * PAGE_SIZE);
    await finish();
  });

  test('an error keeps the loaded images, and loading continues with the connection', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    const before = await shownIds(page);
    await page.context().setOffline(true);
    await scrollToEnd(page);
    const error = page.getByRole('alert').getByText('You are offline.');
    await error.waitFor();
    assert.deepEqual(await shownIds(page), before);
    assert.equal(requests.length, 2);
    await scrollToTop(page);
    await scrollToEnd(page);
    assert.ok(await error.isVisible(), 'scrolling does not retry');
    assert.equal(requests.length, 2);
    const dialog = page.getByRole('dialog');
    await page
      .locator('.tile a')
      .last()
      .evaluate((link: HTMLElement) => link.click());
    await page.locator('#next').click();
    await dialog.getByText('You are offline.').waitFor();
    await page.locator('#close').click();
    await dialog.waitFor({ state: 'hidden' });
    await page.context().setOffline(false);
    await waitForImageCount(page, 2 * PAGE_SIZE);
    assert.equal(await page.getByRole('alert').count(), 0);
    const ids = await shownIds(page);
    assert.equal(new Set(ids).size, ids.length);
    await finish(['ERR_INTERNET_DISCONNECTED']);
  });
});
