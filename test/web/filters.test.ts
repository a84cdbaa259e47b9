/** Ratings and shapes to choose from: they are in the address, and the API does the choosing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.ts';
import { galleryCatalogue, heroine, painter, questionableImage, sea } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { startService } from '../support/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const shownIds = (page: Page) =>
  page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset.id ?? ''));
const settled = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
const choose = async (page: Page, name: string) => {
  await page.locator('.choice').getByRole('button', { name, exact: true }).click();
  await settled(page);
};
const pressed = (page: Page) =>
  page
    .locator('.choice [aria-pressed="true"]')
    .evaluateAll((buttons) => buttons.map((button) => (button as HTMLButtonElement).value));
const search = (page: Page) => new URL(page.url()).search;

describe('filters', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const configFor = await galleryCatalogue();
  const service = await startService(configFor());
  const browser = await startBrowser();
  const open = (path: string) => visit(browser, service.origin + path);

  test('work after the link that skips to the pictures, which makes an entry of its own in the history', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').nth(24).waitFor();
    const all = await shownIds(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/#main');
    assert.deepEqual(await shownIds(page), all);
    assert.equal(calls.length, 1);
    await choose(page, 'portrait');
    assert.equal(search(page), '?orientation=portrait');
    await page.goBack();
    await page.goBack();
    await page.waitForURL((url) => url.search + url.hash === '');
    assert.deepEqual(await shownIds(page), all);
    assert.equal(calls.length, 2);
    await finish();
  });

  test('narrow what is shown without mixing it anew, and back takes them off', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').nth(24).waitFor();
    const all = await shownIds(page);
    await choose(page, 'portrait');
    assert.equal(search(page), '?orientation=portrait');
    const portraits = await shownIds(page);
    assert.equal(portraits.length, 12);
    const seen = all.filter((id) => portraits.includes(id));
    assert.deepEqual(portraits.slice(0, seen.length), seen);
    await choose(page, 'square');
    await choose(page, 'sfw');
    assert.equal(search(page), '?nsfw=sfw&orientation=portrait,square');
    assert.deepEqual(await pressed(page), ['sfw', 'portrait', 'square']);
    assert.equal(await page.locator(':focus').textContent(), 'sfw', 'the focus stays');
    assert.equal(await page.locator('.veiled').count(), 0);
    assert.ok(await page.getByLabel('Unblur all').isDisabled(), 'nothing is blurred');
    assert.match(
      calls.at(-1) ?? '',
      /^\/image\/random\?nsfw=sfw&orientation=portrait%2Csquare&limit=25&seed=/,
    );
    const made = calls.length;
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/?orientation=portrait');
    assert.deepEqual(await shownIds(page), portraits);
    assert.deepEqual(await pressed(page), ['portrait']);
    assert.equal(calls.length, made);
    await choose(page, 'portrait');
    assert.equal(search(page), '');
    assert.deepEqual((await shownIds(page)).slice(0, 25), all);
    await finish();
  });

  test('go together with categories, and are kept when one chooses among those', async () => {
    const { page, calls, finish } = await open(`/?category=${sea}&nsfw=questionable`);
    await page.locator('.tile').first().waitFor();
    assert.deepEqual((await shownIds(page)).length, 3);
    assert.equal(await page.locator('.veiled').count(), 3, 'who follows a link is not shown them unasked');
    await page.locator('#filter').getByRole('button', { name: 'city', exact: true }).click();
    await page.waitForURL('**/?categories=sea,city&nsfw=questionable');
    await page.getByText('That is the only picture.').waitFor();
    assert.match(calls.at(-1) ?? '', /^\/image\/random\?categories=sea%2Ccity&nsfw=questionable&/);
    await finish();
  });

  test('work on the pages of artists and characters', async () => {
    const { page, calls, finish } = await open(`/?artist=${painter}&page=2`);
    await page.getByText('30 pictures').waitFor();
    await choose(page, 'questionable');
    assert.equal(search(page), `?artist=${painter}&nsfw=questionable`, 'from the first page on');
    assert.ok((await shownIds(page)).includes(questionableImage));
    assert.equal(await page.locator('.tile').count(), 3);
    assert.ok(await page.getByText('30 pictures').isVisible(), 'of the artist, not of the filter');
    assert.equal(calls.at(-1), `/artist/${painter}/images?nsfw=questionable&limit=25&offset=0`);
    await page.goto(`${service.origin}/?character=${heroine}&nsfw=sfw`);
    await page.getByText('That is all: 12 pictures.').waitFor();
    await finish();
  });

  test('where nothing is left, there is a way back', async () => {
    const { page, finish } = await open('/?nsfw=nsfw,dragons');
    await page.getByText('No picture here has such a rating and shape.').waitFor();
    assert.deepEqual(await pressed(page), ['nsfw']);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.locator('.tile').first().waitFor();
    assert.equal(search(page), '');
    await finish();
  });
});
