/** The gallery keeps to the rate limit, and retries when another client at its address used it up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { startBrowser, type VisitOptions, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, seaCategoryId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
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
  const makeConfig = await importGalleryCatalogue();
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
      open: (path: string, prepare: VisitOptions['prepare'] = clock.install) =>
        visit(browser, origin + path, { prepare, extraHTTPHeaders }),
      async callJustBefore(route: Route) {
        await callFromElsewhere();
        await route.continue();
      },
    };
  };

  test('reloads, two open pages, a view with two requests and cancelled requests are never refused', async () => {
    const { open, callFromElsewhere } = newVisitor();
    const { page, finish } = await open('/');
    const firstImage = page.locator('.tile').first();
    await clock.advanceUntilVisible(firstImage);
    const statuses = recordStatuses(page);
    await page.reload();
    const other = await page.context().newPage();
    await other.goto(`${origin}/?category=${seaCategoryId}`);
    await clock.advanceUntilVisible(other.locator('.tile').first());
    await clock.advanceUntilVisible(firstImage);
    assert.deepEqual(statuses, [200, 200, 200]);

    await clock.advance(1000);
    const counted = Promise.withResolvers<void>();
    // The service counts the request, but its response takes too long.
    const handler = () => callFromElsewhere().then(() => counted.resolve());
    await page.route('**/api/**', handler, { times: 1 });
    await page.locator('#shuffle').click();
    await counted.promise;
    await page.goBack();
    await other.goto(`${origin}/`);
    await clock.advanceUntilVisible(other.locator('.tile').first());
    assert.deepEqual(statuses, [200, 200, 200, 200], 'a cancelled request counts for other pages');
    await finish();
  });

  testDeep('pages on plain HTTP, where browsers have no locks, wait for each other too', async () => {
    const { page, finish } = await newVisitor().open('/?in=artists', async (context) => {
      await clock.install(context);
      await context.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })");
    });
    await page.locator('.entries li').first().waitFor();
    const statuses = recordStatuses(page);
    const [one, other, closed] = [
      await page.context().newPage(),
      await page.context().newPage(),
      await page.context().newPage(),
    ];
    await Promise.all([one, other, closed].map((page) => page.goto(`${origin}/`)));
    await closed.close();
    await clock.advanceUntilVisible(one.locator('.tile').first());
    await clock.advanceUntilVisible(other.locator('.tile').first());
    assert.deepEqual(new Set(statuses), new Set([200]));
    for (const open of ['throw new Error()', 'return {}']) {
      const withoutDatabase = await page.context().newPage();
      await withoutDatabase.addInitScript(`IDBFactory.prototype.open = () => { ${open} }`);
      await withoutDatabase.goto(`${origin}/`);
      await clock.advanceUntilVisible(withoutDatabase.locator('.tile').first());
    }
    await finish();
  });

  test('a refused request shows a countdown and is retried, and so is a refused page of images', async () => {
    const { open, callJustBefore } = newVisitor();
    const { page, requests, finish } = await open('/?in=artists');
    // So small that the end of the first page of images is far away.
    await page.setViewportSize({ width: 390, height: 500 });
    await page.locator('.entries li').first().waitFor();
    await clock.advance(1000);
    await page.route('**/api/**', callJustBefore, { times: 1 });
    await page.getByRole('link', { name: 'zukan, home' }).click();
    await page.getByText(/Too many requests\. Retrying in [45] seconds/).waitFor();
    assert.equal(requests.length, 2);
    assert.equal(await page.locator('.tile').count(), 0);
    await clock.advanceUntilVisible(page.locator('.tile').first());
    await page.locator('#toast').waitFor({ state: 'hidden' });
    assert.equal(requests.length, 3);

    const hasImages = async (count: number) => (await page.locator('.tile').count()) >= count;
    const statuses = recordStatuses(page);
    await clock.advance(1000);
    await page.route('**/api/**', callJustBefore, { times: 1 });
    await scrollNearEnd(page);
    const toast = page.getByText(/Too many requests\. Retrying in [678] seconds/);
    await clock.advanceUntilVisible(toast);
    assert.equal(await page.locator('.tile').count(), 25);
    await clock.advanceUntil(() => hasImages(30));
    await page.getByText('All 30 images shown.', { exact: true }).waitFor();
    assert.deepEqual(statuses, [429, 200]);
    await page.locator('#toast').waitFor({ state: 'hidden' });
    assert.equal(new Set(await shownIds(page)).size, 30);
    await finish(['429']);
  });

  testDeep('suggestions and the search after them take one request, and none is refused', async () => {
    const { page, requests, finish } = await newVisitor().open('/?order=newest');
    const statuses = recordStatuses(page);
    await clock.advanceUntilVisible(page.locator('#search [role=combobox]'));
    await page.getByRole('combobox', { name: 'Search' }).pressSequentially('hok');
    await clock.advanceUntilVisible(page.getByRole('option', { name: 'Hokusai & Daughter' }));
    // Typing on stops a request for the earlier text that has not been sent.
    await page.getByRole('combobox', { name: 'Search' }).pressSequentially('u');
    await clock.advanceUntilVisible(page.getByText('Searching…'));
    await page.keyboard.press('Enter');
    await clock.advanceUntilVisible(page.locator('main[aria-busy="false"] #found-artists'));
    const searches = requests.filter((request) => request.startsWith('/search'));
    assert.equal(new Set(searches).size, searches.length, 'no request is made twice');
    assert.match(searches.at(-1) ?? '', /q=hoku&/);
    assert.deepEqual(new Set(statuses), new Set([200]));
    await finish(['ERR_ABORTED']);
  });

  testDeep('a blocked visitor sees for how long, and the page continues then', async () => {
    const { open, callFromElsewhere } = newVisitor();
    const { page, finish } = await open('/');
    await clock.advanceUntilVisible(page.locator('.tile').first());
    const before = await shownIds(page);
    for (let count = 0; count <= 10; count++) await callFromElsewhere();
    assert.match((await callFromElsewhere()).json.message, /blocked/);
    await clock.advance(18 * 60_000);
    await page.locator('#shuffle').click();
    const alert = page.getByRole('alert');
    await alert.getByText('You are blocked for too many requests. This continues in 42 minutes').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Try again' }).isVisible());
    await clock.advance(41 * 60_000);
    await alert.getByText('in 60 seconds').first().waitFor();
    await clock.advance(60_000);
    await clock.advanceUntilVisible(page.locator('.tile').first());
    assert.notDeepEqual(await shownIds(page), before);
    await finish(['429']);
  });
});
