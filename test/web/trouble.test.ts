/** The gallery without a connection, with unknown addresses, and with an empty catalogue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, seaCategoryId } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import {
  scrollNearEnd,
  shownIds,
  waitForFirstImage,
  waitForImageCount,
  waitUntilIdle,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const offline = 'You are offline. This continues when you are back online.';

describe('the gallery in trouble', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const service = await startService(makeConfig());
  const browser = await startBrowser();
  const open = (path: string) => visit(browser, service.origin + path);

  test('keeps what is shown without a connection, and continues with one', async () => {
    const { page, finish } = await open('/');
    await waitForFirstImage(page);
    const before = await shownIds(page);
    await page.context().setOffline(true);
    await page.locator('#shuffle').click();
    await page.getByRole('alert').getByText(offline).waitFor();
    assert.deepEqual(await shownIds(page), before);
    await page.context().setOffline(false);
    await page.getByText(offline).waitFor({ state: 'detached' });
    await waitUntilIdle(page);
    assert.notDeepEqual(await shownIds(page), before);
    await finish(['ERR_INTERNET_DISCONNECTED']);
  });

  test('loads more images, and those that failed, when the connection is back', async () => {
    const { page, finish } = await visit(browser, `${service.origin}/?nsfw=sfw`, {
      prepare: (context) => context.route('**/files/**', (route) => route.abort()),
    });
    await page.locator('.tile .failed').nth(3).waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await scrollNearEnd(page);
    await page.locator('#load-error').getByText(offline).waitFor();
    assert.equal(await page.locator('.tile').count(), 25);
    await page.context().unroute('**/files/**');
    await page.context().setOffline(false);
    await waitForImageCount(page, 26);
    await page.locator('.tile img.loaded').nth(3).waitFor();
    await finish(['ERR_INTERNET_DISCONNECTED', 'ERR_FAILED']);
  });

  test('has a page for what does not exist', async () => {
    const { page, finish } = await open(`/?artist=${seaCategoryId}`);
    await page.getByRole('heading', { level: 1, name: 'Artist not found' }).waitFor();
    assert.equal(await page.title(), 'Artist not found · zukan');
    await page.goto(`${service.origin}/?category=42`);
    await page.getByText('There is no category at this address. It may have been removed.').waitFor();
    await page.getByRole('link', { name: 'All categories' }).click();
    await page.getByRole('link', { name: 'moon' }).waitFor();
    await page.goto(`${service.origin}/?categories=dragons`);
    await page.getByText('Invalid categories: there is no category "dragons".').waitFor();
    await page.getByRole('link', { name: 'Random images' }).click();
    await waitForFirstImage(page);
    await page.goto(`${service.origin}/?image=42`);
    await page.getByText('Invalid ID: it must be a UUID.').waitFor();
    await finish(['400', '404']);
  });

  test('explains how to fill an empty catalogue', async () => {
    const { origin } = await startService(configFor(temporaryFolder()));
    const { page, finish } = await visit(browser, `${origin}/`);
    await page.getByText('The catalogue is empty.').waitFor();
    assert.ok(await page.getByText('npx zukan import path/to/pictures').isVisible());
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.getByText('No artists yet.').waitFor();
    await finish();
  });
});
