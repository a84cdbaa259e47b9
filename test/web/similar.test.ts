/** Similar pictures in the dialog: blurred ones stay blurred, and the rate limit is kept. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBrowser, visit } from '../support/browser/browser.ts';
import {
  copyId,
  importViewerCatalogue,
  photoId,
  questionableCopyId,
  stripId,
} from '../support/catalogues/viewer.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import { recordFiles } from './page-helpers.ts';
import { TestClock } from './test-clock.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const viewport = { width: 1300, height: 1000 };
const path = `/image/${photoId}/similar?limit=9&include=artist%2Cthumbnails`;

describe('similar pictures', { skip }, async () => {
  if (skip) return;
  const { makeConfig } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();

  test('open in the dialog. Going back shows the picture before, and closing the view', async () => {
    const { page, requests, finish } = await visit(browser, `${origin}/?order=newest`, { viewport });
    const files = recordFiles(page);
    const length = (await page.evaluate('history.length')) as number;
    await page.locator(`[data-image="${photoId}"]`).click();
    const items = page.locator('.similar li');
    await items.first().waitFor();
    assert.equal(await items.count(), 2);
    assert.equal(await items.locator('.unblur').count(), 1);
    await items.locator('img.loaded').waitFor();
    assert.ok(!files.some((file) => file.includes(questionableCopyId)), 'no file of a blurred picture');
    await items.locator(`a[data-image="${copyId}"]`).click();
    await page.waitForURL(`**/?order=newest&image=${copyId}`);
    assert.equal(await page.evaluate('document.activeElement.id'), 'detail-title');
    await page.goBack();
    await page.waitForURL(`**image=${photoId}`);
    await items.first().waitFor();
    assert.equal(requests.filter((request) => request === path).length, 1, 'they are cached');
    await items.locator(`a[data-image="${copyId}"]`).click();
    await page.waitForURL(`**image=${copyId}`);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL(`${origin}/?order=newest`);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('history.length'), length + 2);
    await finish();
  });

  test('have the ratings of the view', async () => {
    const { page, finish } = await visit(browser, `${origin}/?nsfw=sfw&image=${photoId}`, { viewport });
    await page.locator('.similar li').first().waitFor();
    assert.equal(await page.locator('.similar li').count(), 1);
    await finish();
  });

  test('wait for the picture, for their turn, and until they come into view', async () => {
    const clock = new TestClock();
    const config = makeConfig({ RATE_LIMIT: 'on' });
    const limited = await startService(config, { clock: clock.now });
    const release = Promise.withResolvers<void>();
    const statuses: number[] = [];
    const { page, requests, finish } = await visit(
      browser,
      `${limited.origin}/?order=newest&image=${photoId}`,
      {
        viewport: { width: 390, height: 844 },
        async prepare(context) {
          await clock.install(context);
          await context.route('**/files/**', (route) => release.promise.then(() => route.continue()));
          context.on('response', (response) => {
            if (response.url().includes('/api/')) statuses.push(response.status());
          });
        },
      },
    );
    await clock.advanceUntilVisible(page.locator('#next:enabled'));
    await page.locator('.similar').scrollIntoViewIfNeeded();
    assert.ok(!requests.includes(path));
    await page.evaluate("document.getElementById('viewer').scrollTop = 0");
    release.resolve();
    await page.locator('#stage img.loaded').waitFor();
    assert.ok(!requests.includes(path));
    await page.locator('.similar').scrollIntoViewIfNeeded();
    await clock.advanceUntilVisible(page.locator('.similar li').first());
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.search.includes(photoId));
    assert.deepEqual(statuses, [200, 200, 200]);
    assert.deepEqual(requests.slice(2), [path]);
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
