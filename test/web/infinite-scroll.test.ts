/** Infinite scrolling: with the mouse, with the keyboard and in the dialog. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import {
  scrollNearEnd,
  scrollToEnd,
  scrollToTop,
  shownIds,
  waitForFirstImage,
  waitForImageCount,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const IMAGE_COUNT = 30;
const PAGE_SIZE = 25;

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

describe('infinite scrolling', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery(IMAGE_COUNT);

  test('shows every image once, never moves a full row, and going back restores all without a request', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    let before = await tileStyles(page);
    const firstPage = (await shownIds(page)).slice(0, PAGE_SIZE);
    while (before.length < IMAGE_COUNT) {
      await scrollNearEnd(page);
      await waitForImageCount(page, before.length + 1);
      const after = await tileStyles(page);
      const lastRow = rowPosition(before.at(-1));
      for (const [index, style] of before.entries())
        if (rowPosition(style) !== lastRow) assert.equal(after[index], style);
      before = after;
    }
    await page.getByText(`All ${IMAGE_COUNT} images shown.`, { exact: true }).waitFor();
    const ids = await shownIds(page);
    assert.equal(ids.length, IMAGE_COUNT);
    assert.equal(new Set(ids).size, IMAGE_COUNT);
    assert.ok(await page.locator('#more').isHidden());
    assert.equal(requests.length, Math.ceil(IMAGE_COUNT / PAGE_SIZE));
    assert.equal(seedsIn(requests).size, 1);
    assert.equal(await page.locator('#status').textContent(), `5 more. All ${IMAGE_COUNT} images shown.`);
    assert.ok(await page.locator('footer a').first().isVisible());

    await page.evaluate(() => {
      scrollTo(0, 900);
      document.querySelector<HTMLElement>('nav a[href*=artists]')?.click();
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

    // The newest images come first, and their categories and order can be changed.
    requests.length = 0;
    await page.getByRole('navigation', { name: 'Browse' }).getByRole('link', { name: 'Newest' }).click();
    await page.getByRole('heading', { level: 1, name: 'Newest' }).waitFor();
    await waitForImageCount(page, PAGE_SIZE);
    await scrollNearEnd(page);
    await waitForImageCount(page, PAGE_SIZE + 1);
    const newest = Array.from({ length: IMAGE_COUNT }, (_, index) => uuid(4, IMAGE_COUNT - index));
    assert.deepEqual((await shownIds(page)).slice(0, newest.length), newest);
    assert.match(requests[0] ?? '', /^\/image\/latest\?nsfw=sfw%2Cquestionable%2Cnsfw&limit=25&include=/);
    assert.match(requests[1] ?? '', /^\/image\/latest\?.*&cursor=/);
    await scrollToTop(page);
    await page.locator('#categories').getByRole('button', { name: 'city', exact: true }).click();
    await page.waitForURL('**/?order=newest&categories=city');
    await page.waitForFunction(
      (id) => document.querySelector<HTMLElement>('.tile')?.dataset.id === id,
      uuid(4, IMAGE_COUNT),
    );
    const request = page.waitForRequest(/\/image\/random\?categories=city&/);
    await page.locator('#shuffle').click();
    await page.waitForURL('**/?categories=city');
    await request;
    await finish();
  });

  testDeep('the dialog steps from the last loaded image to the next one', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw');
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
    assert.ok(requests.every((path) => path.includes('nsfw=sfw')));
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

  test('continues after a picture was closed with the Escape key', async () => {
    const { page, finish } = await open('/');
    await page.locator('.tile:not(.blurred) a').first().click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.locator('.tile a:focus').waitFor();
    // The next frame brings the tile into view.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await scrollNearEnd(page);
    await waitForImageCount(page, PAGE_SIZE + 1);
    await finish();
  });

  test('keyboard users get a button and can reach the footer', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw');
    await waitForImageCount(page, PAGE_SIZE);
    await page.keyboard.press('Tab');
    const visible = page.locator('.tile:visible');
    const visibleCount = await visible.count();
    assert.ok(visibleCount < PAGE_SIZE, 'a row that is not full waits for the rest');
    const box = async (index: number) =>
      (await visible.nth(index).boundingBox()) as { y: number; width: number };
    const last = await box(visibleCount - 1);
    assert.ok(last.width < 900 && (await box(visibleCount - 2)).y === last.y, 'no image is alone');
    await visible.last().getByRole('link').focus();
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    assert.equal(await focused.textContent(), 'Show more');
    await page.keyboard.press('Tab');
    assert.equal(await focused.textContent(), 'Keys');
    await scrollToEnd(page);
    assert.equal(await page.locator('#more').textContent(), 'Show more');
    assert.equal(requests.length, 1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await waitForImageCount(page, PAGE_SIZE + 1);
    const ids = await shownIds(page);
    assert.equal(
      await focused.getAttribute('data-image'),
      ids[visibleCount],
      'the first new image has the focus',
    );
    assert.equal(await page.locator('#status').textContent(), '2 more. All 27 images shown.');
    await finish();
  });
});
