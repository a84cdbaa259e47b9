/** The gallery keeps to the rate limit, and retries when another client at its address used it up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.ts';
import { importGalleryCatalogue, seaCategoryId } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { scrollNearEnd, shownIds } from './page-helpers.ts';
import { TestClock } from './test-clock.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

/** The statuses of all API responses of the context, from now on. */
function recordStatuses(page: Page): number[] {
  const statuses: number[] = [];
  page.context().on('response', (response) => {
    if (response.url().includes('/api/')) statuses.push(response.status());
  });
  return statuses;
}

describe('the gallery and the rate limit', { skip }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue(90);
  const browser = await startBrowser();
  const clock = new TestClock();
  const config = makeConfig({ RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' });
  const { origin, get } = await startService(config, { clock: clock.now });

  let clients = 0;
  /** A visitor with a new address, which the service takes from the header of a proxy. */
  const newVisitor = () => {
    const extraHTTPHeaders = { 'X-Forwarded-For': `203.0.113.${clients++}` };
    /** A request from another client at the same address. */
    const callFromElsewhere = () => get('/api/stats', extraHTTPHeaders);
    return {
      callFromElsewhere,
      open: (path: string) => visit(browser, origin + path, { prepare: clock.install, extraHTTPHeaders }),
      async callJustBefore(route: Route) {
        await callFromElsewhere();
        await route.continue();
      },
    };
  };

  test('reloads, two open pages and a view with two requests are never refused', async () => {
    const { page, finish } = await newVisitor().open('/');
    const firstImage = page.locator('.tile').first();
    await clock.advanceUntilVisible(firstImage);
    const statuses = recordStatuses(page);
    await page.reload();
    const other = await page.context().newPage();
    await other.goto(`${origin}/?category=${seaCategoryId}`);
    await clock.advanceUntilVisible(other.locator('.tile').first());
    await clock.advanceUntilVisible(firstImage);
    assert.deepEqual(statuses, [200, 200, 200]);
    await finish();
  });

  test('a refused request shows a countdown and is retried', async () => {
    const { open, callJustBefore } = newVisitor();
    const { page, requests, finish } = await open('/?in=artists');
    await page.locator('#entries li').first().waitFor();
    await clock.advance(1000);
    await page.route('**/api/**', callJustBefore, { times: 1 });
    await page.getByRole('link', { name: 'zukan, home' }).click();
    await page.getByText('Too many requests. Retrying in 1 s').waitFor();
    assert.equal(requests.length, 2);
    assert.equal(await page.locator('.tile').count(), 0);
    await clock.advanceUntilVisible(page.locator('.tile').first());
    await page.locator('#toast').waitFor({ state: 'hidden' });
    assert.equal(requests.length, 3);
    await finish(['429']);
  });

  test('scrolling is never refused, and a refused page of images is retried', async () => {
    const { open, callJustBefore } = newVisitor();
    const { page, finish } = await open('/');
    const statuses = recordStatuses(page);
    const hasImages = async (count: number) => (await page.locator('.tile').count()) >= count;
    await clock.advanceUntil(() => hasImages(25));
    await page.route('**/api/**', callJustBefore, { times: 1 });
    await scrollNearEnd(page);
    const toast = page.getByText('Too many requests. Retrying in 1 s');
    await clock.advanceUntilVisible(toast);
    assert.equal(await page.locator('.tile').count(), 25);
    for (const count of [50, 75, 90]) {
      await clock.advanceUntil(() => hasImages(count));
      await scrollNearEnd(page);
    }
    await page.getByText('All 90 images shown.', { exact: true }).waitFor();
    assert.deepEqual(statuses, [200, 429, 200, 200, 200]);
    await page.locator('#toast').waitFor({ state: 'hidden' });
    assert.equal(new Set(await shownIds(page)).size, 90);
    await finish(['429']);
  });

  test('a blocked visitor sees the reason and can try again', async () => {
    const { open, callFromElsewhere } = newVisitor();
    for (let count = 0; count <= 10; count++) await callFromElsewhere();
    const { message } = (await callFromElsewhere()).json;
    assert.match(message, /blocked/);
    const { page, finish } = await open('/');
    await page
      .getByRole('alert')
      .getByText(/blocked/)
      .waitFor();
    assert.ok(await page.getByRole('button', { name: 'Try again' }).isVisible());
    await finish(['429']);
  });
});
