// depth: all
/** The gallery, the reference, and the page of an address where there is nothing pass the axe accessibility rules in both colour schemes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/browser/accessibility.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { artistId, sfwImageId } from '../support/catalogues/gallery.ts';
import {
  animationId,
  importViewerCatalogue,
  photoId,
  questionableCopyId,
} from '../support/catalogues/viewer.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { until } from '../support/until.ts';
import { startService } from '../support/zukan/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
/** From 0 to 255. */
async function backgroundBrightness(page: Page): Promise<number> {
  const colour = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  return Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
}

/** Opens what the page shows only on request. */
async function openAll(page: Page, path: string): Promise<void> {
  if (path.includes(sfwImageId) && path.includes('image=')) await page.locator('summary').click();
  if (path.includes('newest')) {
    await page.locator('[role=combobox]').fill('a');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
  }
  if (path.includes('exclude')) {
    await page.locator('#choose-categories:enabled').click();
    await page.locator('.choices li').nth(2).waitFor();
    await page.locator('.choices button').first().click();
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

describe('the image dialog has no accessibility violation', { skip }, async () => {
  if (skip) return;
  const { makeConfig } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();
  /** By the id of the image, an element that appears when the dialog is complete. */
  const dialogs = {
    [photoId]: '.similar .unblur',
    [animationId]: '.play',
    [questionableCopyId]: '#stage .unblur',
  };
  for (const [id, selector] of Object.entries(dialogs))
    test(selector, async () => {
      const { page, finish } = await visit(browser, `${origin}/?order=newest&image=${id}`, {
        viewport: { width: 1300, height: 1000 },
      });
      await page.locator(selector).waitFor();
      await page.locator('#previous:enabled, #next:enabled').first().waitFor();
      await page.locator('summary').click();
      assert.deepEqual(await findViolations(page), []);
      assert.deepEqual(await findViolations(page, 'dark'), []);
      await page.keyboard.press('f');
      await page.waitForFunction(() => document.fullscreenElement);
      assert.deepEqual(await findViolations(page), []);
      await finish();
    });
});

describe('the pages have no accessibility violation', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

  /** For each view, an element that appears when it has loaded. */
  const views = {
    '/?categories=sea&nsfw=sfw&orientation=portrait': '#all-shown',
    '/?order=newest': '.tile img.loaded',
    [`/?artist=${artistId}`]: '.tile img.loaded',
    [`/?image=${sfwImageId}`]: 'dialog .properties',
    [`/?image=${artistId}`]: 'dialog .problem',
    '/?in=characters': '.entries li',
    '/?search=a': '#found-categories',
    '/?in=artists&search=[': '.problem',
    [`/?artist=${sfwImageId}`]: '.problem a',
    '/?exclude=city': '.tile img.loaded',
    '/nowhere': '.actions a',
    '/docs': '.tester',
  };
  for (const [path, selector] of Object.entries(views))
    test(path, async () => {
      const { page, finish } = await open(path, {
        // Wide enough for the contents of the reference.
        viewport: { width: 1440, height: 900 },
      });
      await page.locator(selector).first().waitFor();
      await openAll(page, path);
      assert.deepEqual(await findViolations(page), []);
      await until('the page is light', async () => (await backgroundBrightness(page)) > 230);
      assert.deepEqual(await findViolations(page, 'dark'), []);
      await until('the page is dark', async () => (await backgroundBrightness(page)) < 60);
      await finish(['400', '404']);
    });
});
