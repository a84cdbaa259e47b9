// depth: all
/** Every view of the studio passes the axe accessibility rules in both colour schemes, and fits on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations } from '../support/browser/accessibility.ts';
import { describeInChromium } from '../support/browser/browser.ts';
import { openStudioPages, waitForPanel } from '../support/browser/studio-page.ts';

const IMAGES = 30;

describeInChromium('the studio', async () => {
  const { open } = await openStudioPages(IMAGES);

  test('no view has an accessibility violation, in either colour scheme', async () => {
    const { page, finish } = await open();
    await page.setViewportSize({ width: 1300, height: 800 });
    const check = async (view: string) => {
      for (const colorScheme of ['light', 'dark'] as const)
        assert.deepEqual(await findViolations(page, colorScheme), [], `${view}, ${colorScheme}`);
    };
    await check('nothing selected');
    await page.keyboard.press('ArrowRight');
    await waitForPanel(page, 'One picture');
    await page.keyboard.press('c');
    await page.locator('.combobox li').first().waitFor();
    await check('one picture');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await waitForPanel(page, `${IMAGES} pictures`);
    await check('all pictures');
    await page.getByRole('link', { name: 'Characters' }).click();
    await page.locator('tbody button').first().click();
    await page.locator('dialog h2').waitFor();
    await check('an entry');
    await page.getByRole('button', { name: 'Cancel' }).click();
    for (const view of ['Albums', 'Add', 'Review']) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.locator('h1', { hasText: view }).waitFor();
      await check(view);
    }
    await page.getByRole('link', { name: 'Removed' }).click();
    await page.locator('h1', { hasText: 'Removed' }).waitFor();
    await check('removed');
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('#lists .changes summary').first().click();
    await page.locator('#lists .items p').first().waitFor();
    await check('history');
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#tile-0').dblclick();
    await page.locator('#stage img').last().waitFor();
    await check('the large view');
    await finish();
  });

  test('the header does not cut its name, whatever the last change is called', async () => {
    const { page, finish } = await open(undefined, { viewport: { width: 1280, height: 800 } });
    await page.locator('#tile-0').click();
    await page.keyboard.press('3');
    await page.locator('#undo:not([disabled])', { hasText: 'rate' }).waitFor();
    for (const width of [1440, 1280, 1100]) {
      await page.setViewportSize({ width, height: 800 });
      const isCut = await page
        .locator('.wordmark span')
        .evaluate((name) => name.scrollWidth > name.clientWidth);
      assert.equal(isCut, false, `${width}`);
    }
    await finish();
  });

  test('every view fits phones and tablets, upright and turned', async () => {
    const viewport = { width: 390, height: 844 };
    const { page, finish } = await open(undefined, { hasTouch: true, isMobile: true, viewport });
    for (const [width, height] of [
      [390, 844],
      [844, 390],
      [820, 1180],
      [1180, 820],
    ] as const) {
      const size = `${width} × ${height}`;
      await page.setViewportSize({ width, height });
      const check = async (view: string) => {
        const isTooWide = 'document.documentElement.scrollWidth > innerWidth';
        assert.equal(await page.evaluate(isTooWide), false, `${view}, ${size}`);
        for (const colorScheme of width === 390 ? (['light', 'dark'] as const) : (['light'] as const))
          assert.deepEqual(await findViolations(page, colorScheme), [], `${view}, ${size}, ${colorScheme}`);
      };
      for (const view of ['Artists', 'Albums', 'Add', 'Review', 'History', 'Removed', 'Site', 'Pictures']) {
        if (await page.locator('#menu').isVisible()) await page.locator('#menu').tap();
        await page.getByRole('link', { name: view, exact: true }).tap();
        await page.locator('section:not([hidden]) h1', { hasText: view }).waitFor();
        await check(view);
      }
      await page.locator('#tile-0').tap();
      await waitForPanel(page, 'One picture', 'attached');
      if (await page.locator('#bar [value="edit"]').isVisible())
        await page.locator('#bar [value="edit"]').tap();
      await page.getByRole('group', { name: 'Rating' }).waitFor();
      await check('one picture');
      await page.locator('#tile-0').tap();
      await page.locator('#stage img').last().waitFor();
      await check('the large view');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
    await finish();
  });
});
