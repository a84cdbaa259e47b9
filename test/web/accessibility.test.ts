// depth: all
/** The gallery, the reference, and the page of an address where there is nothing pass the axe accessibility rules in both colour schemes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/browser/accessibility.ts';
import { describeInChromium, startBrowser, visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { artistId, questionableImageId, sfwImageId } from '../support/catalogues/gallery.ts';
import {
  animationId,
  importViewerCatalogue,
  photoId,
  questionableCopyId,
} from '../support/catalogues/viewer.ts';
import { until } from '../support/until.ts';
import { startService } from '../support/zukan/service.ts';

/** From 0 to 255. */
async function backgroundBrightness(page: Page): Promise<number> {
  const colour = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  return Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
}

/** Opens what the page shows only on request. */
async function openAll(page: Page, path: string): Promise<void> {
  if (path === '/newest') {
    await page.locator('[role=combobox]').fill('a');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    for (const menu of await page.locator('details').all())
      await menu.evaluate((details) => details.setAttribute('open', ''));
  }
  if (path !== '/docs') return;
  const random = page.locator('#random');
  await random.getByRole('button', { name: 'Try it' }).click();
  await random.getByLabel('limit').fill('0');
  await random.getByRole('button', { name: 'Send' }).click();
  await random.locator('.outcome.bad').waitFor();
  await page.getByRole('button', { name: 'Try (ab' }).click();
  await page.locator('.mistake').waitFor();
}

describeInChromium('the viewer has no accessibility violation', async () => {
  const { makeConfig } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();
  /** By the id of the picture, an element that appears when the viewer is complete. */
  const viewers = {
    [photoId]: '#panel .similar .tile',
    [animationId]: '#stage .play',
    [questionableCopyId]: '#panel .properties',
  };
  for (const [id, selector] of Object.entries(viewers))
    test(selector, async () => {
      const { page, finish } = await visit(browser, `${origin}/newest`, {
        viewport: { width: 1300, height: 1000 },
      });
      await page.locator(`[data-id="${id}"] > a`).click();
      await page.locator(selector).first().waitFor();
      assert.deepEqual(await findViolations(page), []);
      assert.deepEqual(await findViolations(page, 'dark'), []);
      await page.keyboard.press('f');
      await page.waitForFunction(() => document.fullscreenElement);
      assert.deepEqual(await findViolations(page), []);
      await page.keyboard.press('f');
      if (id === questionableCopyId) {
        // As those who come from the picture before see it.
        await page.keyboard.press('ArrowLeft');
        await page.waitForURL((url) => !url.pathname.includes(id));
        await page.keyboard.press('ArrowRight');
        await page.locator('#stage .button').waitFor();
        assert.deepEqual(await findViolations(page), []);
      }
      await finish();
    });
});

describeInChromium('the pages have no accessibility violation', async () => {
  const { open } = await openGallery();

  const paths = [
    ...['/newest', '/search?q=a', '/artists', '/characters?search=%5B', '/newest?nsfw=sfw&categories=sea'],
    ...[`/artists/${artistId}`, `/pictures/${sfwImageId}`, `/pictures/${questionableImageId}`],
    ...[`/pictures/${artistId}`, '/nowhere', '/docs'],
  ];
  for (const path of paths)
    test(path, async () => {
      const { page, finish } = await open(path, {
        // Wide enough for the contents of the reference.
        viewport: { width: 1440, height: 900 },
      });
      await openAll(page, path);
      assert.deepEqual(await findViolations(page), []);
      await until('the page is light', async () => (await backgroundBrightness(page)) > 230);
      assert.deepEqual(await findViolations(page, 'dark'), []);
      await until('the page is dark', async () => (await backgroundBrightness(page)) < 60);
      await finish(['400', '404']);
    });

  test('without scripts', async () => {
    // The rules run in another world than the scripts of the page.
    const { page, finish } = await open(`/pictures/${sfwImageId}`, {
      prepare: (context) => context.route('**/gallery/*.js*', (route) => route.abort()),
    });
    assert.deepEqual(await findViolations(page), []);
    await page.goto(new URL('/newest', page.url()).href);
    assert.deepEqual(await findViolations(page), []);
    await finish(['ERR_FAILED']);
  });
});
