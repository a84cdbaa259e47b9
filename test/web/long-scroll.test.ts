// depth: all
/** Infinite scrolling through hundreds of images: after some pages, only a button loads more. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openGallery } from '../support/browser/gallery-pages.ts';
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
const IMAGE_COUNT = 230;
const PAGE_SIZE = 25;
/** The first page and those that load automatically. */
const AUTOMATIC_COUNT = 9 * PAGE_SIZE;

describe('infinite scrolling through hundreds of images', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery(IMAGE_COUNT);

  test('loads some pages by itself, then by the button', async () => {
    const { page, requests, finish } = await open('/');
    for (let count = PAGE_SIZE; count < AUTOMATIC_COUNT; count += PAGE_SIZE) {
      await waitForImageCount(page, count);
      await scrollNearEnd(page);
    }
    await waitForImageCount(page, AUTOMATIC_COUNT);
    await scrollToEnd(page);
    assert.equal(await page.locator('#more').textContent(), 'Show more');
    assert.equal(requests.length, AUTOMATIC_COUNT / PAGE_SIZE);
    assert.ok(await page.locator('footer a').first().isVisible());
    // The last row and the footer move, as the visitor expects. Chromium ignores that only within half a second after the
    // click, and reports it at any time.
    await page.evaluate('globalThis.layoutShift = Number.NEGATIVE_INFINITY');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`All ${IMAGE_COUNT} images shown.`, { exact: true }).waitFor();
    assert.equal(new Set(await shownIds(page)).size, IMAGE_COUNT);
    assert.equal(await page.locator('#status').textContent(), `5 more. All ${IMAGE_COUNT} images shown.`);
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
});
