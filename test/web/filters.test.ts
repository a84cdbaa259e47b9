/** The rating and orientation filters, which are part of the URL. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { artistId, questionableImageId, seaCategoryId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import {
  openFilters,
  shownIds,
  waitForFirstImage,
  waitForImageCount,
  waitUntilIdle,
} from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const toggle = async (page: Page, name: string) => {
  await openFilters(page);
  await page.locator('.toggles').getByRole('button', { name, exact: true }).click();
  await waitUntilIdle(page);
};
const pressedFilters = (page: Page) =>
  page
    .locator('#filters [aria-pressed="true"]')
    .evaluateAll((buttons) => buttons.map((button) => (button as HTMLButtonElement).value));
const queryOf = (page: Page) => new URL(page.url()).search;

describe('filters', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

  test('keep the order of the remaining images, and going back removes them', async () => {
    const { page, requests, finish } = await open('/');
    await waitForImageCount(page, 25);
    const all = await shownIds(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#main');
    assert.deepEqual(await shownIds(page), all, 'the skip link only adds a history entry');
    assert.equal(requests.length, 1);
    await toggle(page, 'portrait');
    assert.equal(queryOf(page), '?orientation=portrait');
    const portraits = await shownIds(page);
    assert.equal(portraits.length, 12);
    const remaining = all.filter((id) => portraits.includes(id));
    assert.deepEqual(portraits.slice(0, remaining.length), remaining);
    await toggle(page, 'square');
    await toggle(page, 'sfw');
    assert.equal(queryOf(page), '?nsfw=sfw&orientation=portrait,square');
    assert.deepEqual(await pressedFilters(page), ['sfw', 'portrait', 'square']);
    assert.equal(await page.locator(':focus').textContent(), 'sfw', 'the button keeps the focus');
    assert.equal(await page.locator('.blurred').count(), 0);
    assert.ok(await page.getByLabel('Unblur all').isDisabled(), 'nothing is blurred');
    assert.match(
      requests.at(-1) ?? '',
      /^\/image\/random\?nsfw=sfw&orientation=portrait%2Csquare&limit=25&include=artist%2Cthumbnails%2Cdetails&seed=/,
    );
    const requestCount = requests.length;
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/?orientation=portrait');
    assert.deepEqual(await shownIds(page), portraits);
    assert.deepEqual(await pressedFilters(page), ['portrait']);
    assert.equal(requests.length, requestCount);
    await toggle(page, 'portrait');
    assert.equal(queryOf(page), '');
    assert.deepEqual((await shownIds(page)).slice(0, 25), all);
    await finish();
  });

  testDeep('combine with categories', async () => {
    const { page, requests, finish } = await open(`/?category=${seaCategoryId}&nsfw=questionable`);
    await waitForFirstImage(page);
    assert.deepEqual((await shownIds(page)).length, 3);
    assert.equal(await page.locator('.blurred').count(), 3, 'a shared link does not unblur images');
    await page.locator('#categories').getByRole('button', { name: 'city', exact: true }).click();
    await page.waitForURL('**/?categories=sea,city&nsfw=questionable');
    await page.getByText('Only 1 image.').waitFor();
    assert.match(requests.at(-1) ?? '', /^\/image\/random\?categories=sea%2Ccity&nsfw=questionable&/);
    await finish();
  });

  testDeep('work in the view of an artist', async () => {
    const { page, requests, finish } = await open(`/?artist=${artistId}`);
    await page.getByText('30 images').waitFor();
    await toggle(page, 'questionable');
    assert.equal(queryOf(page), `?artist=${artistId}&nsfw=questionable`);
    assert.ok((await shownIds(page)).includes(questionableImageId));
    assert.equal(await page.locator('.tile').count(), 3);
    assert.ok(await page.getByText('30 images').isVisible(), 'the total does not depend on the filter');
    assert.equal(
      requests.at(-1),
      `/artist/${artistId}/images?nsfw=questionable&limit=25&offset=0&include=artist%2Cthumbnails%2Cdetails`,
    );
    await finish();
  });
});
