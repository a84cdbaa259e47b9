/** The site's own look and default ratings in the gallery, and the visitor's choice, which is remembered. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, seaCategoryId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { startService } from '../support/zukan/service.ts';
import { ALL_RATINGS, openFilters, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const button = (page: Page, name: string) =>
  page.locator('.toggles').getByRole('button', { name, exact: true });
const toggle = async (page: Page, name: string) => {
  await openFilters(page);
  await button(page, name).click();
  await waitUntilIdle(page);
};
const pressed = (page: Page) =>
  page
    .locator('#filters [aria-pressed="true"]')
    .evaluateAll((buttons) => buttons.map((button) => (button as HTMLButtonElement).value));

describe('ratings', { skip }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const logo = join(temporaryFolder(), 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><path d="M0 0h9v9z"/></svg>',
  );
  const site = { SITE_NAME: 'Kura & Co', SITE_LOGO: logo, SITE_ACCENT: '#06c', SITE_RATINGS: 'sfw' };
  const { origin } = await startService(makeConfig(site));
  const browser = await startBrowser();
  const open = (path: string) => visit(browser, origin + path);

  test('settings give the look and the default ratings, and the choice of the visitor is kept', async () => {
    const { page, requests, finish } = await open('/');
    await waitForFirstImage(page);
    assert.equal(await page.title(), 'Kura & Co');
    assert.ok(await page.getByRole('link', { name: 'Kura & Co, home' }).isVisible());
    const shownLogo = await page.locator('.wordmark img').evaluate(async (image) => {
      await (image as HTMLImageElement).decode();
      const { width, height } = image.getBoundingClientRect();
      return [(width / height).toFixed(1), getComputedStyle(image).opacity];
    });
    assert.deepEqual(shownLogo, ['1.5', '1']);
    const background = (element: Element) => getComputedStyle(element).backgroundColor;
    assert.equal(await page.locator('#shuffle').evaluate(background), 'rgb(0, 102, 204)');
    assert.deepEqual(await pressed(page), ['sfw']);
    assert.match(requests[0] ?? '', /^\/image\/random\?nsfw=sfw&/);
    assert.equal(requests.length, 1);
    assert.equal(await page.locator('.blurred').count(), 0);
    await page.locator('nav').getByRole('link', { name: 'Artists' }).click();
    await page.getByRole('link', { name: 'Hokusai & Daughter', exact: true }).click();
    await waitForFirstImage(page);
    assert.equal(await page.title(), 'Hokusai & Daughter · Kura & Co');

    // A choice is kept from page to page and between visits, and going back undoes it.
    await page.goBack();
    await page.goBack();
    await page.waitForURL(`${origin}/`);
    await toggle(page, 'questionable');
    await toggle(page, 'sfw');
    assert.deepEqual(await pressed(page), ['questionable']);
    assert.equal(await page.locator('.blurred').count(), 3);
    await page.locator('nav').getByRole('link', { name: 'Categories' }).click();
    await page.locator('#entries').getByRole('link', { name: 'sea' }).click();
    await page.getByText('All 3 images shown.').waitFor();
    assert.deepEqual(await pressed(page), ['questionable']);

    const later = await page.context().newPage();
    await later.goto(`${origin}/?category=${seaCategoryId}`);
    await later.getByText('All 3 images shown.').waitFor();
    assert.deepEqual(await pressed(later), ['questionable']);
    await toggle(later, 'questionable');
    assert.deepEqual(await pressed(later), [], 'no rating is selected, so all are shown');
    await later.close();

    const requestCount = requests.length;
    for (const _ of ['sea', 'categories', 'sfw']) await page.goBack();
    await page.waitForURL('**/?nsfw=sfw,questionable');
    assert.deepEqual(await pressed(page), ['sfw', 'questionable']);
    await page.goBack();
    await page.waitForURL(`${origin}/`);
    assert.deepEqual(await pressed(page), ['sfw']);
    assert.equal(requests.length, requestCount, 'everything is cached');

    await page.goto(`${origin}/?nsfw=nsfw,dragons`);
    await page.getByText('No images match these filters.').waitFor();
    assert.deepEqual(await pressed(page), ['nsfw']);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await waitForFirstImage(page);
    assert.deepEqual(await pressed(page), [], 'all ratings are shown');
    assert.ok((requests.at(-1) ?? '').includes(ALL_RATINGS));
    await finish();
  });

  testDeep('a shared link neither changes the choice nor lifts the blur', async () => {
    const { page, finish } = await open('/?nsfw=questionable,nsfw');
    await waitForFirstImage(page);
    assert.equal(await page.locator('.blurred').count(), 3);
    assert.deepEqual(await pressed(page), ['questionable', 'nsfw']);
    await page.goto(`${origin}/`);
    await waitForFirstImage(page);
    assert.deepEqual(await pressed(page), ['sfw']);
    await finish();
  });
});
