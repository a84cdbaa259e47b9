/** The gallery without a connection, with unknown addresses, and with an empty catalogue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { seaCategoryId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import {
  loadEveryTile,
  scrollNearEnd,
  scrollToEnd,
  scrollToTop,
  shownIds,
  waitForFirstImage,
  waitForImageCount,
  waitForRequested,
  waitUntilIdle,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const offline = 'You are offline. This continues when you are back online.';

describe('the gallery in trouble', { skip }, async () => {
  if (skip) return;
  const { browser, open, origin } = await openGallery();

  test('a first call that fails can be tried again, and what is shown stays without a connection until there is one', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw', {
      prepare: (context) => context.route('**/api/**', (route) => route.abort(), { times: 1 }),
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForFirstImage(page);
    assert.equal(requests.length, 2);
    const before = await shownIds(page);
    await page.context().setOffline(true);
    await page.locator('#shuffle').click();
    await page.getByRole('alert').getByText(offline).waitFor();
    assert.deepEqual(await shownIds(page), before);
    await page.context().setOffline(false);
    await page.getByText(offline).waitFor({ state: 'detached' });
    await waitUntilIdle(page);
    assert.notDeepEqual(await shownIds(page), before);
    await finish(['ERR_INTERNET_DISCONNECTED', 'ERR_FAILED']);
  });

  testDeep('loads more images, and those that failed, when the connection is back', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw', {
      prepare: (context) => context.route('**/files/**', (route) => route.abort()),
    });
    await page.locator('.tile .failed').nth(3).waitFor({ state: 'attached' });
    // The rest of the page has loaded.
    await page.locator('#choose-categories:enabled').waitFor();
    await page.context().setOffline(true);
    await scrollToEnd(page);
    await page.locator('#load-error').getByText(offline).waitFor();
    const before = await shownIds(page);
    assert.equal(before.length, 25);
    assert.equal(requests.length, 2);
    await scrollToTop(page);
    await scrollToEnd(page);
    assert.ok(await page.locator('#load-error').isVisible());
    assert.equal(requests.length, 2, 'scrolling does not retry');
    const dialog = page.getByRole('dialog');
    await page
      .locator('.tile a')
      .last()
      .evaluate((link: HTMLElement) => link.click());
    await page.locator('#next').click();
    await dialog.getByText('You are offline.').waitFor();
    await page.locator('#close').click();
    await dialog.waitFor({ state: 'hidden' });
    // So the last row does not move in sight when more images arrive.
    await scrollToTop(page);
    await page.context().unroute('**/files/**');
    await page.context().setOffline(false);
    await waitForImageCount(page, 26);
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual((await shownIds(page)).slice(0, 25), before);
    await page.locator('.tile img.loaded').nth(3).waitFor();
    await finish(['ERR_INTERNET_DISCONNECTED', 'ERR_FAILED']);
  });

  testDeep('an image that cannot load stays a placeholder and is tried again', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw', { viewport: { width: 360, height: 500 } });
    await waitForRequested(page);
    await page.route('**/files/**', (route) => route.abort());
    await scrollNearEnd(page);
    const last = page.locator('.tile').nth(24);
    await last.locator('img.failed').waitFor();
    assert.equal(await last.locator('img').getAttribute('src'), null);
    assert.ok(await last.locator('canvas').isVisible());
    assert.equal(requests.filter((path) => path === requests[0]).length, 1, 'the links are still fresh');
    await page.unroute('**/files/**');
    // A picture is tried again when it comes near the screen, so it must have been away for a frame.
    await scrollToTop(page);
    await loadEveryTile(page);
    await finish(['ERR_FAILED']);
  });

  test('has a page for what does not exist', async () => {
    const { page, requests, finish } = await open(`/?artist=${seaCategoryId}`);
    await page.getByRole('heading', { level: 1, name: 'Artist not found' }).waitFor();
    assert.equal(await page.title(), 'Artist not found · zukan');
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByText('There is no artist at this address. It may have been removed.').waitFor();
    await page.getByRole('link', { name: 'All artists' }).click();
    await page.getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    await page.goto(`${origin}/?categories=dragons`);
    await page.getByText('Invalid categories: there is no category "dragons".').waitFor();
    await page.getByRole('link', { name: 'Random images' }).click();
    await waitForFirstImage(page);
    const count = requests.length;
    await page.goto(`${origin}/?image=42`);
    await page.getByText('Invalid ID: it must be a UUID.').waitFor();
    assert.equal(requests.length, count, 'an id that is none starts no call');
    await page.goto(`${origin}/?image=${seaCategoryId}`);
    const dialog = page.getByRole('dialog', { name: 'Picture not found' });
    await dialog.getByRole('link', { name: 'Go to the gallery' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await waitForFirstImage(page);
    await page.goto(`${origin}/nowhere`);
    await page.getByRole('link', { name: 'Open the gallery' }).waitFor();
    await finish(['400', '404']);
  });

  test('explains how to fill an empty catalogue', async () => {
    const { origin } = await startService(configFor(temporaryFolder()));
    const { page, finish } = await visit(browser, `${origin}/`);
    await page.getByText('The catalogue is empty.').waitFor();
    assert.ok(await page.getByText('npx zukan import path/to/pictures').isVisible());
    assert.deepEqual(await page.locator('header nav a:visible, .tools :visible').allTextContents(), [
      'Newest',
    ]);
    await page.goto(`${origin}/?in=artists`);
    await page.getByText('No artists yet.').waitFor();
    await finish();
  });
});
