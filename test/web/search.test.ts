/** Search in Chromium: suggestions while typing, results by kind, patterns. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { artistId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { send } from '../support/zukan/service.ts';
import { waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const field = (page: Page) => page.getByRole('combobox', { name: 'Name or pattern' });
const options = (page: Page) => page.getByRole('option').allTextContents();
/** Waits until no more suggestions come. */
const waitForSuggestions = async (page: Page) => {
  await page.locator('.popup').waitFor();
  await page.getByText('Searching…').waitFor({ state: 'hidden' });
};
const activeText = (page: Page) =>
  field(page).evaluate(
    (input) => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent,
  );

describe('search', { skip }, async () => {
  if (skip) return;
  const { open, origin } = await openGallery();

  test('suggests what is loaded at once and the rest by kind, and works by keyboard', async () => {
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
    const count = requests.length;
    await field(page).fill('it');
    await waitForSuggestions(page);
    assert.deepEqual(await options(page), ['city']);
    await field(page).fill('itx');
    await page.getByText('No names contain “itx”.').waitFor();
    assert.equal(requests.length, count, 'complete results need no other request');

    await field(page).fill('i');
    await waitForSuggestions(page);
    assert.equal(await field(page).getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowUp');
    assert.equal(await activeText(page), 'city');
    await page.keyboard.press('ArrowDown');
    assert.equal(await activeText(page), undefined, 'back in the text');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await activeText(page), 'Hokusai & Daughter');
    assert.equal(await page.locator('[aria-selected="true"]').textContent(), 'Hokusai & Daughter');
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

  test('finds names that contain the text, by kind, as soon as each kind is there, and takes patterns', async () => {
    const { page, requests, finish } = await open('/?in=artists');
    await page.locator('.entries li').first().waitFor();
    const categories = Promise.withResolvers<void>();
    await page.route('**/api/category?**', async (route) => {
      await categories.promise;
      await route.continue();
    });
    await page.getByLabel('Name or pattern').fill('i');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/?search=i');
    await page.getByRole('region', { name: 'Characters' }).getByRole('link').waitFor();
    assert.equal(await page.locator('main').getAttribute('aria-busy'), 'true');
    categories.resolve();
    await page.getByRole('region', { name: 'Categories' }).getByRole('link', { name: 'city' }).waitFor();
    await waitUntilIdle(page);
    assert.deepEqual(await page.locator('#entries h2').allTextContents(), [
      ...['Artists 2', 'Characters 1', 'Categories 1'],
    ]);
    assert.deepEqual(
      requests.slice(1),
      ['artist', 'character', 'category'].map(
        (kind) => `/${kind}?limit=25&offset=0&include=count%2Ccover&search=%25i%25`,
      ),
    );
    await page.getByRole('link', { name: 'Hokusai & Daughter' }).click();
    await page.getByText('30 images').waitFor();
    const count = requests.length;
    await page.goBack();
    await page.getByRole('region', { name: 'Categories' }).waitFor();
    assert.equal(requests.length, count);

    // Patterns, their text, and the error of the API.
    await field(page).fill('h_k%');
    assert.equal(await page.getByRole('option').count(), 0, 'nothing is suggested for a pattern');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    await field(page).fill('b>u_');
    await page.keyboard.press('Enter');
    await page.getByText('No names match.').waitFor();
    await field(page).fill('<b>um(');
    await page.keyboard.press('Enter');
    const { message } = (await send(new URL('/api/artist?search=<b>um(', origin))).json;
    await page.getByRole('alert').getByText(message).waitFor();
    assert.equal(await page.locator('.tile, .entries li:visible').count(), 0);
    await field(page).fill('b>um_');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Names that contain “b>um_”' }).click();
    await page.waitForURL((url) => url.searchParams.get('search') === '%b>um\\_%');
    await page.getByText('No names match.').waitFor();
    await finish(['400']);
  });

  testDeep('Enter during a request for suggestions uses its response', async () => {
    const { page, requests, finish } = await open('/?in=characters');
    await field(page).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/artist?**', (route) => held.promise.then(() => route.continue()));
    const requested = page.waitForRequest('**/api/artist?**');
    await field(page).fill('i');
    await requested;
    await page.keyboard.press('Enter');
    await page.waitForURL('**/?search=i');
    held.resolve();
    await waitUntilIdle(page);
    assert.equal(await page.locator('#entries h2').count(), 3);
    assert.equal(requests.slice(1).length, 3, 'one request for each kind');
    assert.ok(await page.locator('.popup').isHidden(), 'no suggestions over the results');
    await finish();
  });
});
