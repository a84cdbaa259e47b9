/**
 * How the gallery looks: to the rules of accessibility in both schemes, and in the picture that the README shows.
 * `UPDATE_SCREENSHOT=1 node --test test/web/looks.test.ts` takes that picture anew.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { fillWithDemo } from '../../demo/fill.ts';
import { startBrowser, visit } from '../support/browser.ts';
import { galleryCatalogue, painter, sfwImage } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { configFor as configIn, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const root = join(import.meta.dirname, '../..');
const screenshot = join(root, 'docs/gallery.webp');
const size = { width: 1440, height: 900 };
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)';
  const violations = (await page.evaluate(run)) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

describe('the looks of the gallery', { skip }, async () => {
  if (skip) return;
  const configFor = await galleryCatalogue();
  const service = await startService(configFor());
  const browser = await startBrowser();

  const views = {
    '/?categories=sea&nsfw=sfw&orientation=portrait': '#all',
    [`/?artist=${painter}`]: '#pages a',
    [`/?image=${sfwImage}`]: 'dialog .facts',
    '/?in=characters': '#entries li',
    '/?in=artists&search=[': '.problem',
  };
  test('axe finds nothing serious anywhere, light and dark', async () => {
    const { page, finish } = await visit(browser, service.origin);
    for (const [path, sign] of Object.entries(views)) {
      await page.goto(service.origin + path);
      await page.locator(sign).first().waitFor();
      if (path.includes('image=')) await page.locator('summary').click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousViolations(page), [], `${path}, ${colorScheme}`);
        const paper = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
        const brightness = Math.max(...(paper.match(/\d+/g) ?? []).map(Number));
        assert.ok(colorScheme === 'dark' ? brightness < 60 : brightness > 230, `${colorScheme}: ${paper}`);
      }
    }
    await finish(['400']);
  });

  test('the README shows the gallery as it is', async () => {
    if (process.env.UPDATE_SCREENSHOT) await takeScreenshot();
    const bytes = readFileSync(screenshot);
    const { width, height } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height }, size);
    assert.ok(bytes.length < 200_000, `${bytes.length} bytes`);
    assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /!\[[^\]]+\]\(docs\/gallery\.webp\)/);
  });

  async function takeScreenshot(): Promise<void> {
    const config = configIn(temporaryFolder());
    await fillWithDemo(config);
    const demo = await startService(config);
    const { page, finish } = await visit(browser, `${demo.origin}/docs`, { viewport: size });
    await page.addInitScript(`history.replaceState({ key: '', seed: 'zukan' }, '')`);
    await page.goto(demo.origin);
    await page.locator('.tile img.loaded').nth(8).waitFor();
    await page.waitForLoadState('networkidle');
    await sharp(await page.screenshot())
      .webp({ quality: 85 })
      .toFile(screenshot);
    await finish();
  }
});
