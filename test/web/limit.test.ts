/** The gallery within the rate limit: it never runs into it by itself, and when others do, it waits and goes on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { goOn, startBrowser, visit } from '../support/browser.ts';
import { galleryCatalogue, painter } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { type Service, startService } from '../support/service.ts';

/** Someone else at the same address calls a moment before the page does. */
const beQuicker = (get: Service['get']) => async (route: Route) => {
  await get('/api/stats');
  await route.continue();
};

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('the gallery and the rate limit', { skip }, async () => {
  if (skip) return;
  const configFor = await galleryCatalogue(90);
  const browser = await startBrowser();
  const limited = () => startService(configFor({ RATE_LIMIT: 'on' }));

  test('reloading, two pages at once and a page that takes two calls are never refused', async () => {
    const { origin } = await limited();
    const { page, finish } = await visit(browser, origin);
    const statuses: number[] = [];
    page.context().on('response', (response) => {
      if (response.url().includes('/api/')) statuses.push(response.status());
    });
    await page.locator('.tile').first().waitFor();
    await page.reload();
    const other = await page.context().newPage();
    await other.goto(`${origin}/?artist=${painter}`);
    await other.getByRole('heading', { name: 'Hokusai & Daughter' }).waitFor();
    await page.locator('.tile').first().waitFor();
    assert.ok(statuses.length >= 3);
    assert.deepEqual(new Set(statuses), new Set([200]));
    await finish();
  });

  test('a 429 is told with a countdown, and then the pictures come', async () => {
    const { origin, get } = await limited();
    const { page, calls, finish } = await visit(browser, `${origin}/?in=artists`);
    await page.locator('#entries li').first().waitFor();
    await pause(1000);
    await page.route('**/api/**', beQuicker(get), { times: 1 });
    await page.getByRole('link', { name: 'zukan, the first page' }).click();
    await page.getByText('Too many requests. Going on in 1 s').waitFor();
    await page.locator('.tile').first().waitFor();
    await page.locator('#toast').waitFor({ state: 'hidden' });
    assert.equal(calls.length, 3);
    await finish(['429']);
  });

  test('scrolling on and on is never refused, and a 429 in the middle is waited for', async () => {
    const { origin, get } = await limited();
    const { page, calls, finish } = await visit(browser, origin);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) statuses.push(response.status());
    });
    const hasCome = (count: number) =>
      page.waitForFunction((wanted) => document.querySelectorAll('.tile').length >= wanted, count);
    await hasCome(25);
    await page.route('**/api/**', beQuicker(get), { times: 1 });
    await goOn(page);
    await page.getByText('Too many requests. Going on in 1 s').waitFor();
    assert.equal(await page.locator('.tile').count(), 25);
    for (const count of [50, 75, 90]) {
      await hasCome(count);
      await goOn(page);
    }
    await page.getByText('That is all: 90 pictures.', { exact: true }).waitFor();
    assert.deepEqual(statuses, [200, 429, 200, 200, 200]);
    await page.locator('#toast').waitFor({ state: 'hidden' });
    const ids = await page
      .locator('.tile')
      .evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset.id));
    assert.equal(new Set(ids).size, 90);
    assert.equal(calls.length, 5);
    await finish(['429']);
  });

  test('who is shut out for an hour is told so, and can try again', async () => {
    const { origin, get } = await limited();
    for (let request = 0; request <= 10; request++) await get('/api/stats');
    const { message } = (await get('/api/stats')).json;
    assert.match(message, /blocked/);
    const { page, finish } = await visit(browser, origin);
    await page
      .getByRole('alert')
      .getByText(/blocked/)
      .waitFor();
    assert.ok(await page.getByRole('button', { name: 'Try again' }).isVisible());
    await finish(['429']);
  });
});
