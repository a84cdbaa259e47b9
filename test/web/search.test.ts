/** Search in Chromium: suggestions while typing, results, and the pictures that a text means. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { artistId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { shownIds, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const field = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const options = (page: Page) => page.locator('[role=option] span[dir]').allTextContents();
/** Waits until no more suggestions come. */
const waitForSuggestions = async (page: Page) => {
  await page.locator('.popup').waitFor();
  await page.getByText('Searching…').waitFor({ state: 'hidden' });
};
const activeText = (page: Page) =>
  field(page).evaluate(
    (input) =>
      document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.querySelector('[dir]')
        ?.textContent,
  );

describe('search', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

  test('suggests what is loaded at once and then what one request finds, and works by keyboard', async () => {
    const { page, requests, finish } = await open('/?nsfw=questionable');
    await waitForFirstImage(page);
    await field(page).waitFor();
    await page.route('**/api/**', () => {});
    await field(page).fill('OKUS');
    await page.getByRole('group', { name: 'Artists' }).getByRole('option').waitFor();
    assert.deepEqual(await options(page), ['Hokusai & Daughter'], 'before any response');
    await page.unroute('**/api/**');
    await field(page).fill('i');
    await waitForSuggestions(page);
    assert.deepEqual(await options(page), ['Idle', 'Hokusai & Daughter', 'Nami <b>Umi</b>', 'city']);
    assert.match(requests.at(-1) ?? '', /^\/search\?q=i&include=/);
    await page.getByRole('option', { name: 'city 10 images' }).locator('img.loaded').waitFor();
    await field(page).fill('itx');
    await page.locator('.popup').getByText('Nothing found for “itx”.').waitFor();
    const count = requests.length;
    await field(page).fill('i');
    assert.deepEqual(await options(page), ['Idle', 'Hokusai & Daughter', 'Nami <b>Umi</b>', 'city']);
    assert.equal(requests.length, count, 'results are kept');

    assert.equal(await field(page).getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowUp');
    assert.equal(await activeText(page), 'city');
    await page.keyboard.press('ArrowDown');
    assert.equal(await activeText(page), undefined, 'back in the text');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await activeText(page), 'Hokusai & Daughter');
    await page.keyboard.press('Escape');
    assert.equal(await field(page).getAttribute('aria-expanded'), 'false');
    assert.equal(await field(page).inputValue(), 'i', 'Escape keeps the text');
    await page.keyboard.press('ArrowDown');
    assert.equal(await activeText(page), 'Idle', 'opens again');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/?artist=${artistId}`);
    assert.ok(!(await page.locator('.popup').isVisible()));
    await page.getByRole('heading', { level: 1, name: 'Hokusai & Daughter' }).waitFor();
    assert.equal(await field(page).inputValue(), '');
    await finish();
  });

  testDeep('Enter during a request for suggestions uses its response', async () => {
    const { page, requests, finish } = await open('/?in=characters');
    await field(page).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/search?**', (route) => held.promise.then(() => route.continue()));
    const requested = page.waitForRequest('**/api/search?**');
    await field(page).fill('i');
    await requested;
    await page.keyboard.press('Enter');
    await page.waitForURL('**/?search=i');
    held.resolve();
    await waitUntilIdle(page);
    assert.equal(await page.locator('#entries h2').count(), 3);
    assert.equal(requests.slice(1).length, 1);
    assert.ok(await page.locator('.popup').isHidden(), 'no suggestions over the results');
    await finish();
  });

  test('results are one request: names, titles, and the pictures that the text means', async () => {
    const artist = uuid(2, 1);
    const image = (index: number, more: object) => madeUpImage(uuid(4, index), { artist, ...more });
    const { origin } = await startMadeUpService([
      { type: 'artist', id: artist, name: 'Hoshino Ink' },
      { type: 'artist', name: 'Kumo' },
      ...['fox', 'day', 'night'].map((name) => ({ type: 'category', name })),
      image(1, { title: 'Snow', categories: ['fox', 'day'] }),
      image(2, { title: 'Snow at night', categories: ['fox', 'night'] }),
      image(3, { title: 'Snow', categories: ['fox'], artist: 'Kumo' }),
    ]);
    const { page, requests, finish } = await visit(await startBrowser(), `${origin}/?search=snow`);
    await page.getByRole('heading', { name: 'Pictures by title' }).waitFor();
    assert.deepEqual(await shownIds(page), [uuid(4, 3), uuid(4, 2), uuid(4, 1)]);
    await page.locator('.tile a').first().click();
    await page.locator('#detail[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/?search=snow');
    assert.equal(requests.filter((path) => path.startsWith('/search')).length, 1);

    await field(page).fill('fox -night artist:"hoshino ink"');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Show pictures: fox, without night, by Hoshino Ink' }).click();
    await page.waitForURL(`**/?categories=fox&exclude=night&artists=${artist}`);
    await page.getByRole('heading', { level: 1, name: 'fox without night by Hoshino Ink' }).waitFor();
    await waitUntilIdle(page);
    assert.deepEqual(await shownIds(page), [uuid(4, 1)]);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'fox without night by Hoshino Ink' }).waitFor();
    await page.getByRole('button', { name: 'by Hoshino Ink', pressed: true }).click();
    await page.waitForURL('**/?categories=fox&exclude=night');
    await waitUntilIdle(page);
    assert.deepEqual((await shownIds(page)).sort(), [uuid(4, 1), uuid(4, 3)]);
    await field(page).fill('zzz');
    await page.keyboard.press('Enter');
    await page.locator('#notice').getByText('Nothing found.').waitFor();
    // The images have no files.
    await finish(['404']);
  });
});
