/** Takes the screenshot of the gallery with the demo catalogue. */
import sharp from 'sharp';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { fillWithDrawnDemo } from '../support/catalogues/demo.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';

export async function takeScreenshot(path: string): Promise<void> {
  const config = configFor(temporaryFolder());
  await fillWithDrawnDemo(config);
  const { origin } = await startService(config);
  const { page, finish } = await visit(await startBrowser(), origin, {
    viewport: { width: 1440, height: 900 },
    // A fixed seed, so the screenshot shows the same images each time.
    prepare: (context) =>
      context.addInitScript(`history.replaceState({ key: '', seed: 'zukan', ratings: [] }, '')`),
  });
  await page.locator('.tile img.loaded').nth(8).waitFor();
  await page.waitForLoadState('networkidle');
  await sharp(await page.screenshot())
    .webp({ quality: 85 })
    .toFile(path);
  await finish();
}
