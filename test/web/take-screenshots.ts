/** Takes the screenshots of the gallery and the studio with the demo catalogue. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { waitForPanel } from '../support/browser/studio-page.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { startService } from '../support/zukan/service.ts';

const viewport = { width: 1440, height: 900 };

export async function takeScreenshots(folder: string): Promise<void> {
  const config = await restoreDemo();
  const browser = await startBrowser();

  const { origin } = await startService(config);
  // A fixed seed, so the screenshot shows the same images each time, none of them blurred.
  const gallery = await visit(browser, `${origin}/?nsfw=sfw&seed=zukan`, { viewport });
  await save(gallery.page, join(folder, 'gallery.webp'));
  await gallery.finish();

  await using studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  const { page, finish } = await visit(browser, studio.newAddress(), { viewport });
  await page.locator('.tile[data-rating]').nth(12).click();
  await waitForPanel(page, 'One picture');
  await save(page, join(folder, 'studio.webp'));
  await finish();
}

async function save(page: Page, path: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await sharp(await page.screenshot())
    .webp({ quality: 80, effort: 6 })
    .toFile(path);
}
