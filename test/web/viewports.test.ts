// depth: all
/** The layout of the gallery on more screens: a small phone, a tablet and a large screen. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { scrollToTop, waitForFirstImage } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('the gallery on more screens', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

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
      await page.waitForFunction(() => {
        const right = (element: Element) => element.getBoundingClientRect().right;
        const grid = document.getElementById('grid') as HTMLElement;
        return Math.abs(right(grid) - Math.max(...[...grid.children].map(right))) < 1;
      });
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
    assert.equal(tools.length, 3);
    assert.ok(Math.max(...tools) - Math.min(...tools) < 4, 'no button is alone on a line');
    await finish();
  });
});
