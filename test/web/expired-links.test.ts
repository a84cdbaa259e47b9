/** Links that expire while a page is open are renewed, all links of a page of images with one request. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, sfwImageId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import {
  loadEveryTile,
  recordFileStatuses,
  scrollNearEnd,
  scrollToTop,
  shownIds,
  waitForImageCount,
  waitForRequested,
} from './page-helpers.ts';
import { TestClock } from './test-clock.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const LIFETIME_MS = 60_000;
const PAGE_SIZE = 25;
/** So small that most images of a page are far from the screen. */
const viewport = { width: 360, height: 500 };

const isNotSimilar = (call: string) => !call.includes('/similar?');

describe('links that expire', { skip }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const config = makeConfig({ LINK_LIFETIME: String(LIFETIME_MS / 1000) });
  const browser = await startBrowser();
  const clock = new TestClock();
  /** How far the clock of the service is ahead of the visitor's clock. */
  let ahead = 0;
  const { origin } = await startService(config, { clock: () => clock.now() + ahead });
  const open = async (path: string, options = { viewport }) => {
    const opened = await visit(browser, origin + path, { prepare: clock.install, ...options });
    await waitForRequested(opened.page);
    return opened;
  };

  test('are renewed before images load, when the dialog opens with those of the page, and while it is open', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw');
    const statuses = recordFileStatuses(page);
    const ids = await shownIds(page);
    assert.ok((await page.locator('img.loaded').count()) < PAGE_SIZE, 'some images have not loaded');
    await clock.advance(LIFETIME_MS);
    await scrollNearEnd(page);
    await waitForImageCount(page, PAGE_SIZE + 1);
    await loadEveryTile(page);
    assert.equal(requests.filter((path) => path === requests[0]).length, 2, 'one request renews a page');
    assert.deepEqual((await shownIds(page)).slice(0, PAGE_SIZE), ids);
    assert.deepEqual([...statuses], [200]);

    await scrollToTop(page);
    const { length: count } = requests;
    // The script of the dialog has loaded.
    await page.locator('#choose-categories:enabled').waitFor();
    await clock.advance(LIFETIME_MS);
    await page.locator('.tile a').first().click();
    const dialog = page.getByRole('dialog');
    assert.ok(await dialog.locator('.properties').first().isVisible(), 'shows what it knows without waiting');
    await dialog.getByText('For developers').click();
    await dialog.locator('img.loaded').waitFor();
    await dialog.getByText('expires in 1 min 0 s').waitFor();
    const firstUrl = page.url();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.href !== firstUrl);
    await dialog.locator('img.loaded').waitFor();
    assert.equal(requests.filter(isNotSimilar).length, count + 1);

    // In the open dialog, the picture stays.
    const expiry = dialog.getByText('expires in');
    const link = dialog.getByRole('link', { name: 'Image', exact: true });
    const before = await link.getAttribute('href');
    const picture = page.locator('#stage img.loaded');
    const source = await picture.getAttribute('src');
    assert.equal(await expiry.textContent(), 'expires in 1 min 0 s');
    await clock.advance(LIFETIME_MS - 1000);
    assert.equal(await expiry.textContent(), 'expires in 1 s');
    assert.equal(requests.filter(isNotSimilar).length, count + 1);
    await clock.advance(1000);
    await dialog.getByText('expires in 1 min 0 s').waitFor();
    assert.notEqual(await link.getAttribute('href'), before);
    assert.equal(await picture.getAttribute('src'), source);
    assert.equal(requests.filter(isNotSimilar).length, count + 2);
    await finish();
  });

  testDeep('are renewed when images fail to load, because a clock may be wrong', async (t) => {
    t.after(() => {
      ahead = 0;
    });
    const { page, requests, finish } = await open('/?nsfw=sfw');
    const statuses = recordFileStatuses(page);
    await clock.advance(LIFETIME_MS - 1000);
    ahead = LIFETIME_MS;
    await loadEveryTile(page);
    assert.equal(requests.filter((path) => path === requests[0]).length, 2, 'one request renews a page');
    assert.deepEqual([...statuses].sort(), [200, 410]);
    assert.equal(await page.locator('.failed').count(), 0);
    await finish(['410']);
  });

  testDeep('are renewed in the open dialog of a shared link, and the picture stays', async () => {
    const { page, requests, finish } = await open(`/?image=${sfwImageId}`, {
      viewport: { width: 1000, height: 700 },
    });
    // The view behind the dialog has loaded too.
    await page.locator('#next:enabled').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For developers').click();
    const expiry = dialog.getByText('expires in');
    const link = dialog.getByRole('link', { name: 'Image', exact: true });
    const before = await link.getAttribute('href');
    const picture = page.locator('#stage img.loaded');
    const source = await picture.getAttribute('src');
    assert.equal(await expiry.textContent(), 'expires in 1 min 0 s');
    await clock.advance(LIFETIME_MS - 1000);
    assert.equal(await expiry.textContent(), 'expires in 1 s');
    assert.equal(requests.filter(isNotSimilar).length, 2);
    await clock.advance(1000);
    await dialog.getByText('expires in 1 min 0 s').waitFor();
    assert.notEqual(await link.getAttribute('href'), before);
    assert.equal(await picture.getAttribute('src'), source);
    assert.equal(requests.filter(isNotSimilar).length, 3);
    await finish();
  });
});
