/** The gallery, the reference, and the page of an address where there is nothing pass the axe accessibility rules in both colour schemes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { artistId, importGalleryCatalogue, sfwImageId } from '../support/catalogues/gallery.ts';
import {
  animationId,
  importViewerCatalogue,
  photoId,
  questionableCopyId,
} from '../support/catalogues/viewer.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules that depend on the colour scheme. */
const colourRules = ['color-contrast', 'link-in-text-block'];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Checks the default rules, or only the given ones. */
async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  const runOnly = rules && { type: 'rule', values: rules };
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  const run = `axe.run(document, ${options}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** From 0 to 255. */
async function backgroundBrightness(page: Page): Promise<number> {
  const colour = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  return Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
}

/** Opens what the page shows only on request. */
async function openAll(page: Page, path: string): Promise<void> {
  if (path.includes('image=')) await page.locator('summary').click();
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

describe('the image dialog has no accessibility violation', { skip, concurrency: 2 }, async () => {
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
      await page.evaluate(axeSource);
      await page.emulateMedia({ colorScheme: 'light' });
      assert.deepEqual(await findViolations(page), []);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findViolations(page, colourRules), []);
      await page.keyboard.press('f');
      await page.waitForFunction(() => document.fullscreenElement);
      assert.deepEqual(await findViolations(page), []);
      await finish();
    });
});

describe('the pages have no accessibility violation', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const service = await startService(makeConfig());
  const browser = await startBrowser();

  /** For each view, an element that appears when it has loaded. */
  const views = {
    '/?categories=sea&nsfw=sfw&orientation=portrait': '#all-shown',
    '/?order=newest': '.tile img.loaded',
    [`/?artist=${artistId}`]: '#pages a',
    [`/?image=${sfwImageId}`]: 'dialog .properties',
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
      const { page, finish } = await visit(browser, service.origin + path, {
        // Wide enough for the contents of the reference.
        viewport: { width: 1440, height: 900 },
      });
      await page.locator(selector).first().waitFor();
      await openAll(page, path);
      await page.evaluate(axeSource);
      await page.emulateMedia({ colorScheme: 'light' });
      assert.deepEqual(await findViolations(page), []);
      assert.ok((await backgroundBrightness(page)) > 230);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findViolations(page, colourRules), []);
      assert.ok((await backgroundBrightness(page)) < 60);
      await finish(['400', '404']);
    });
});
