/** Long lists of names: scrolling, their order, the field that filters them, and the letters. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('browsing', { skip }, async () => {
  if (skip) return;
  const names = [
    'Alps',
    'azalea',
    ...Array.from({ length: 30 }, (_, index) => `Meadow ${index}`),
    '2024',
    '花',
  ];
  const { origin } = await startMadeUpService([
    ...names.map((name) => ({ type: 'category', name })),
    { type: 'category', name: 'Meadow without images' },
    { type: 'artist', id: uuid(2, 1), name: 'Hokusai' },
    madeUpImage(uuid(4, 1), { categories: names, artist: uuid(2, 1) }),
    madeUpImage(uuid(4, 2), { categories: ['Meadow 7', 'azalea'], artist: uuid(2, 1) }),
    madeUpImage(uuid(4, 3), { categories: ['Meadow 7'], artist: uuid(2, 1) }),
  ]);
  const browser = await startBrowser();

  test('letters and the field shorten a long list, and a short list has neither', async () => {
    const { page, finish } = await visit(browser, `${origin}/?in=categories`);
    const shown = async () => {
      await waitUntilIdle(page);
      return page.locator('.entries .name').allTextContents();
    };
    const letter = (name: string) =>
      page.getByRole('navigation', { name: 'First letters' }).getByRole('link', { name, exact: true });
    await page.locator('.entries li').nth(24).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.mouse.wheel(0, 5000);
    await page.locator('#all-shown').getByText('All 34 categories shown.').waitFor();
    assert.equal((await shown()).length, names.length, 'all but the one without images');
    await page.getByRole('button', { name: 'Most images' }).click();
    await page.waitForURL('**/?in=categories&sort=images');
    await waitUntilIdle(page);
    assert.deepEqual((await shown()).slice(0, 3), ['Meadow 7', 'azalea', '2024']);
    await page.mouse.wheel(0, 5000);
    await page.locator('#all-shown').getByText('All 34 categories shown.').waitFor();
    await page.goBack();
    await page.waitForURL('**/?in=categories');
    assert.equal((await shown()).length, names.length, 'the whole list is back');
    assert.equal(await page.locator('.entries .name').first().textContent(), '2024');
    await letter('A').click();
    await page.waitForURL('**/?in=categories&search=a%25');
    assert.deepEqual(await shown(), ['Alps', 'azalea']);
    assert.equal(await page.locator('h1').innerText(), 'Categories');
    assert.equal(await letter('A').getAttribute('aria-current'), 'true');
    await letter('Other characters').click();
    await page.waitForURL((url) => url.searchParams.get('search') === '[^a-z]%');
    assert.deepEqual(await shown(), ['2024', '花']);
    await letter('All').click();
    await page.waitForURL('**/?in=categories');
    await page.getByLabel('Filter by name').fill('meadow 2');
    await page.waitForURL('**/?in=categories&search=meadow%202');
    assert.equal((await shown()).length, 11);
    assert.ok(await page.locator('#browse-text:focus').isVisible(), 'the field keeps the focus');
    await page.getByLabel('Filter by name').fill('meadow w');
    await page.waitForURL('**/?in=categories&search=meadow%20w');
    assert.deepEqual(await shown(), ['Meadow without images'], 'who asks for it finds it');
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('search') === '[^a-z]%');
    await page.locator('header').getByRole('link', { name: 'Artists' }).click();
    await page.getByRole('link', { name: 'Hokusai' }).waitFor();
    assert.ok(await page.locator('#browse').isHidden());
    // The image has no file.
    await finish(['404']);
  });
});
