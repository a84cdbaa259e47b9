// depth: all
/** Similar pictures in the dialog: the ratings of the view, and pictures without similar ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importViewerCatalogue, photoId, stripId } from '../support/catalogues/viewer.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const viewport = { width: 1300, height: 1000 };

describe('similar pictures', { skip }, async () => {
  if (skip) return;
  const { makeConfig } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();

  test('have the ratings of the view', async () => {
    const { page, finish } = await visit(browser, `${origin}/?nsfw=sfw&image=${photoId}`, { viewport });
    await page.locator('.similar li').first().waitFor();
    assert.equal(await page.locator('.similar li').count(), 1);
    await finish();
  });

  test('an image without any has no heading for them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { page, finish } = await visit(browser, `${origin}/?order=newest&image=${stripId}`, {
      viewport,
      prepare: async (context) =>
        context.on('requestfinished', (request) => request.url().includes('/similar') && resolve()),
    });
    await promise;
    await page.locator('#next:enabled').waitFor();
    assert.equal(await page.locator('.similar').textContent(), '');
    await finish();
  });
});
