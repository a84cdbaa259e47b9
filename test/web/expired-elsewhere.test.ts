// depth: all
/** Links that expire are also renewed after going back, in lists, and when an import has moved the images. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/cli/importing/import.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, writeGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { startService } from '../support/zukan/service.ts';
import { loadEveryTile, recordFileStatuses, shownIds, waitForRequested } from './page-helpers.ts';
import { TestClock } from './test-clock.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const LIFETIME_MS = 60_000;
const PAGE_SIZE = 25;
/** So small that most images of a page are far from the screen. */
const viewport = { width: 360, height: 500 };

describe('links that expire elsewhere', { skip }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue(60);
  const config = makeConfig({ LINK_LIFETIME: String(LIFETIME_MS / 1000) });
  const browser = await startBrowser();
  const clock = new TestClock();
  const { origin } = await startService(config, { clock: clock.now });
  const open = async (path: string, options = { viewport }) => {
    const opened = await visit(browser, origin + path, { prepare: clock.install, ...options });
    await waitForRequested(opened.page);
    return opened;
  };

  test('are renewed after going back, which keeps the images', async () => {
    const { page, requests, finish } = await open('/?nsfw=sfw');
    const ids = await shownIds(page);
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.locator('#entries li .cover img.loaded').first().waitFor();
    await waitForRequested(page);
    await clock.advance(LIFETIME_MS);
    await page.goBack();
    assert.deepEqual(await shownIds(page), ids);
    await page.locator('.tile img.loaded').first().waitFor();
    // Covers of artists that come into sight later need new links too.
    const ofImages = requests.filter((path) => path.startsWith('/image'));
    assert.deepEqual(ofImages, [requests[0], requests[0]]);
    await finish();
  });

  test('are renewed for all covers of a list', async () => {
    const { page, requests, finish } = await open('/?in=characters');
    const statuses = recordFileStatuses(page);
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.locator('.entries .name', { hasText: 'Hokusai' }).waitFor();
    await clock.advance(LIFETIME_MS);
    await page.goBack();
    await page.locator('.cover img.loaded').nth(1).waitFor();
    // One of the covers is also that of an artist, and came with the artists last.
    assert.deepEqual(requests.slice(2).sort(), requests.slice(0, 2).sort(), 'one request renews a list');
    assert.deepEqual([...statuses], [200]);
    await finish();
  });

  test('images that an import has moved are found on the next pages', async () => {
    const { page, requests, finish } = await open('/?order=newest&nsfw=sfw');
    const ids = await shownIds(page);
    await importFiles(config, [await writeGalleryCatalogue(temporaryFolder(), 100)]);
    await clock.advance(LIFETIME_MS);
    await loadEveryTile(page);
    assert.deepEqual((await shownIds(page)).slice(0, PAGE_SIZE), ids);
    assert.equal(requests.filter((path) => path === requests[0]).length, 2);
    assert.ok(requests.every((path) => path.startsWith('/image/latest?')));
    await finish();
  });

  test('images that an import has moved far away are renewed one by one', async () => {
    const { page, requests, finish } = await open('/?order=newest&nsfw=sfw');
    const ids = await shownIds(page);
    await importFiles(config, [await writeGalleryCatalogue(temporaryFolder(), 300)]);
    await clock.advance(LIFETIME_MS);
    await loadEveryTile(page);
    const single = requests.filter((path) => !path.startsWith('/image/latest?'));
    assert.ok(single.length > 0 && single.length < PAGE_SIZE, `${single.length} requests`);
    assert.ok(single.every((path) => ids.some((id) => path.startsWith(`/image/${id}?`))));
    assert.equal(new Set(single).size, single.length);
    await finish();
  });
});
