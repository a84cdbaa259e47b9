/** Scrolling that goes on: many pages, the way back, keyboards, and pictures that are released. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInChromium } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { testDeep } from '../support/depth.ts';

const IMAGES = 300;

const idsOf = (page: Page) =>
  page
    .locator('main > .grid > .tile')
    .evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('data-id')));
const waitForCount = (page: Page, count: number) =>
  page.waitForFunction((count) => document.querySelectorAll('.tile').length >= count, count);
const scrollToEnd = (page: Page) => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
/** Scrolls until there are this many. */
async function scrollThrough(page: Page, count: number): Promise<void> {
  for (let shown = 24; shown < count; shown += 24) {
    await scrollToEnd(page);
    await waitForCount(page, Math.min(count, shown + 24));
  }
}

describeInChromium('scrolling', async () => {
  const { open, origin } = await openGallery(IMAGES);

  test('goes on to the end without a repetition, releases pictures far away, and the footer stays in the menu', async () => {
    const { page, finish } = await open('/', { prepare: async () => {} });
    await scrollThrough(page, IMAGES);
    const ids = await idsOf(page);
    assert.equal(new Set(ids).size, IMAGES);
    assert.equal(ids.length, IMAGES);
    await page.locator('.pages a[rel~="next"]').waitFor({ state: 'detached' });
    const first = page.locator('main .tile:not(.blurred) img').first();
    await page.waitForFunction(
      () => !document.querySelector('main .tile:not(.blurred) img')?.hasAttribute('src'),
    );
    assert.ok(!(await first.isVisible()));
    const size = await page.locator('main .tile').first().boundingBox();
    assert.ok(size && size.width > 50 && size.height > 50, 'the tile keeps its size');
    await page.evaluate('scrollTo(0, 0)');
    await first.waitFor();
    await page.waitForFunction(() => {
      const picture = document.querySelector<HTMLImageElement>('main .tile:not(.blurred) img');
      return picture?.complete && picture.naturalWidth > 0;
    });
    assert.ok((await first.getAttribute('srcset')) !== null || (await first.getAttribute('src')));
    await page.locator('.menu summary').click();
    assert.deepEqual(await page.locator('.menu a:visible').allTextContents(), ['Feed', 'API']);
    await page.locator('h1').click();
    assert.equal(await page.locator('.menu a:visible').count(), 0);
    assert.equal(await page.evaluate('layoutShift'), 0);
    await finish();
  });

  test('going back finds the place, after several pages and through the viewer', async () => {
    const { page, finish } = await open('/newest', { prepare: async () => {} });
    await scrollThrough(page, 96);
    const tile = page.locator('main .tile:not(.blurred)').nth(70);
    await tile.scrollIntoViewIfNeeded();
    const [top, id] = [await page.evaluate('scrollY'), await tile.getAttribute('data-id')];
    assert.ok((top as number) > 1000);
    await tile.locator('a').click();
    await page.locator('#panel .chip').first().click();
    await page.waitForURL('**/c*/**');
    await page.goBack();
    await page.goBack();
    await page.waitForURL(`${origin}/newest`);
    await page.waitForFunction((top) => Math.abs(scrollY - top) < 5, top as number);
    const box = await page.locator(`[data-id="${id}"]`).boundingBox();
    assert.ok(box && box.y > -box.height && box.y < 500);
    await finish();
  });

  test('with the Tab key, only the link loads more, and it moves the focus to what came', async () => {
    const { page, finish } = await open('/newest', { viewport: { width: 1000, height: 300 } });
    await page.keyboard.press('Tab');
    await page.locator('.pages a').focus();
    const count = await page.locator('main .tile').count();
    await scrollToEnd(page);
    await page.keyboard.press('Enter');
    await waitForCount(page, count + 24);
    await page.waitForFunction(
      (index) => document.querySelectorAll('main .tile')[index]?.contains(document.activeElement),
      count,
    );
    await scrollToEnd(page);
    await page.locator('footer a').first().focus();
    const after = await page.locator('main .tile').count();
    // The observer reports within two frames.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await page.locator('main .tile').count(), after);
    await page.mouse.wheel(0, 1);
    await page.mouse.click(5, 150);
    await waitForCount(page, after + 1);
    await finish();
  });

  testDeep('in the viewer, the next picture may be on the next page', async () => {
    const { page, finish } = await open('/newest?nsfw=sfw', { viewport: { width: 400, height: 300 } });
    const ids = await idsOf(page);
    const last = page.locator(`[data-id="${ids[16]}"]`);
    await last.scrollIntoViewIfNeeded();
    await last.locator('a').click();
    for (let step = 0; step < 30; step++) {
      const url = page.url();
      await page.getByRole('button', { name: 'Next picture' }).click();
      await page.waitForURL((next) => next.href !== url && next.pathname.startsWith('/pictures/'));
    }
    assert.ok(!ids.some((id) => page.url().includes(id as string)), 'of the second page');
    const id = new URL(page.url()).pathname.split('/')[2];
    await page.keyboard.press('Escape');
    await page.waitForURL('**/newest?nsfw=sfw');
    await page.waitForFunction(
      (id) => document.activeElement?.closest<HTMLElement>('.tile')?.dataset.id === id,
      id,
    );
    await finish();
  });

  testDeep('a picture of a row that waits for its rest has the focus when the viewer closes', async () => {
    const viewport = { width: 400, height: 300 };
    const withholdNextPage = (context: BrowserContext) => context.route(/[?&]cursor=/, () => {});
    const { page, finish } = await open('/newest?nsfw=sfw', { viewport, prepare: withholdNextPage });
    const hidden = page.locator('main .tile[hidden]');
    const waiting = await hidden.evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('data-id')));
    const [id] = waiting;
    assert.ok(id, 'a row waits');
    const shown = page.locator('main .tile:not([hidden])').last();
    await shown.scrollIntoViewIfNeeded();
    await shown.locator('a').click();
    await page.getByRole('button', { name: 'Next picture' }).click();
    await page.waitForURL(`**/pictures/${id}**`);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/newest?nsfw=sfw');
    await page.waitForFunction(() => !document.querySelector('dialog')?.open);
    // Observers report within two frames.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await page.evaluate('document.activeElement.closest(".tile")?.dataset.id'), id);
    await finish();
  });
});
