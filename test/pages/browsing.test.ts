/** Pages in a browser without scripts: finding a picture and downloading it, on a phone and on a desktop, for everyone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, startBrowser } from '../support/browser/browser.ts';
import { importGalleryCatalogue, questionableImageId } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

test('a visitor without scripts filters, pages, searches, and downloads a picture', { skip }, async () => {
  const { origin } = await startService((await importGalleryCatalogue())());
  const page = await openPage(await startBrowser(), {
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  await page.goto(origin);
  assert.equal(await page.locator('.tile').count(), 24);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  await page.locator('.filters summary').click();
  await page.getByLabel('portrait').check();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL(/orientation=portrait/);
  for (const image of await page.locator('.tile img').all()) {
    const [width = 0, height = 0] = [
      await image.getAttribute('width'),
      await image.getAttribute('height'),
    ].map(Number);
    assert.ok(width < height);
  }
  await page.getByRole('link', { name: 'Newest' }).click();
  await page.getByRole('link', { name: 'More pictures' }).click();
  assert.equal(await page.locator('.tile').count(), 6);
  await page.getByRole('searchbox').fill('city');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.tile:not(.blurred) a').first().click();
  await page.locator('article.picture-page').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.downloads a').first().click(),
  ]);
  assert.match(download.suggestedFilename(), /-[0-9a-f]{8}\.webp$/);
  await page.locator('.artist a').click();
  assert.equal(await page.locator('h1').textContent(), 'Hokusai & Daughter');
  await page.goto(`${origin}/?image=${questionableImageId}`);
  assert.equal(await page.locator('img').count(), 0);
  await page.getByRole('link', { name: 'Show the picture' }).click();
  await page.locator('.stage a.full').waitFor();
  await page.waitForLoadState('load');
  assert.equal(await page.evaluate(`document.querySelector('.stage img').naturalWidth > 0`), true);
  await page.context().close();
});
