/** The dialog that combines and excludes categories, in a catalogue with more of them than one response has. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { importFiles } from '../../src/cli/importing/import.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue, seaCategoryId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { startService } from '../support/zukan/service.ts';
import { shownIds, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Categories' });
const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });
const choice = (page: Page, name: string) =>
  page.locator('.choices').getByRole('button', { name, exact: true });
const openDialog = async (page: Page) => {
  await page.locator('#choose-categories:enabled').press('Enter');
  await dialog(page).waitFor();
};
const apply = async (page: Page) => {
  await button(page, 'Show images').click();
  await dialog(page).waitFor({ state: 'hidden' });
  await waitUntilIdle(page);
};

describe('the category dialog', { skip }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const more = join(temporaryFolder(), 'more.ndjson');
  const names = Array.from({ length: 300 }, (_, index) => `tag_${String(index).padStart(3, '0')}`);
  await writeFile(more, names.map((name) => `${JSON.stringify({ type: 'category', name })}\n`).join(''));
  await importFiles(makeConfig(), [more]);
  const service = await startService(makeConfig());
  const browser = await startBrowser();
  const open = (path: string, options = {}) => visit(browser, service.origin + path, options);

  test('lists all categories in pages, starts from the page of a category, and excludes one with one request', async () => {
    const { page, requests, finish } = await open(`/?category=${seaCategoryId}&nsfw=questionable`);
    await waitForFirstImage(page);
    await openDialog(page);
    await dialog(page).getByText('303 categories').waitFor();
    await choice(page, 'moon').waitFor();
    const rows = page.locator('.choices li');
    assert.equal(await rows.count(), 25);
    await button(page, 'Show more').press('Enter');
    await choice(page, 'tag_046').waitFor();
    assert.equal(await rows.count(), 50);
    assert.equal(await page.locator(':focus').textContent(), 'tag_022', 'the focus is on the first new one');
    assert.equal(requests.filter((request) => request.startsWith('/category?')).length, 2);
    const count = requests.length;
    await choice(page, 'not city').click();
    assert.equal(requests.length, count);
    await apply(page);
    assert.equal(new URL(page.url()).search, '?categories=sea&exclude=city&nsfw=questionable');
    assert.equal(await page.locator('h1').textContent(), 'sea without city');
    assert.equal((await shownIds(page)).length, 2);
    assert.equal(requests.length, count + 1);
    await page.getByRole('button', { name: 'not city', pressed: true }).click();
    await page.waitForURL('**/?categories=sea&nsfw=questionable');
    await waitUntilIdle(page);
    assert.equal((await shownIds(page)).length, 3);
    await finish();
  });

  testDeep('finds by the API what is not loaded, by keyboard, and keeps the URL', async () => {
    const { page, requests, finish } = await open('/?categories=city&nsfw=questionable');
    await waitForFirstImage(page);
    await openDialog(page);
    assert.equal(await page.locator(':focus').getAttribute('aria-label'), 'Find a category');
    await page.keyboard.type('moo');
    await dialog(page).getByText('1 category found.').waitFor();
    assert.equal(await page.locator('.choices li').count(), 1);
    await page.keyboard.press('Escape');
    await choice(page, 'tag_000').waitFor();
    await page.keyboard.type('G_27');
    await dialog(page).getByText('10 categories found.').waitFor();
    assert.ok(requests.includes('/category?limit=25&offset=0&include=count%2Ccover&search=%25G%5C_27%25'));
    await choice(page, 'tag_273').press('Enter');
    await button(page, 'any of these').press('Enter');
    await page.keyboard.press('Shift+Tab');
    await choice(page, 'not tag_270').press('Space');
    assert.equal(await choice(page, 'not tag_270').getAttribute('aria-pressed'), 'true');
    await choice(page, 'tag_270').press('Space');
    assert.equal(await choice(page, 'not tag_270').getAttribute('aria-pressed'), 'false', 'never both');
    await choice(page, 'not tag_270').press('Space');
    await apply(page);
    const url = '?categories=city,tag_273&match=any&exclude=tag_270&nsfw=questionable';
    assert.equal(new URL(page.url()).search, url);
    assert.equal(await page.locator('h1').textContent(), 'city or tag_273 without tag_270');
    const shown = await shownIds(page);
    assert.ok(shown.length > 0);
    await page.reload();
    await waitForFirstImage(page);
    assert.deepEqual(await shownIds(page), shown);
    await openDialog(page);
    assert.deepEqual(await page.locator('.chosen button').allTextContents(), [
      ...['city', 'tag_273', 'not tag_270'],
    ]);
    assert.ok(await dialog(page).getByRole('button', { name: 'any of these', pressed: true }).isVisible());
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    assert.equal(await page.locator(':focus').getAttribute('id'), 'choose-categories');
    assert.equal(new URL(page.url()).search, url, 'cancelled');
    await finish();
  });

  testDeep('shows all that is selected, and no chip is cut off', async () => {
    const selected = names.slice(0, 12).join();
    const { page, finish } = await open(`/?exclude=${selected}`, { viewport: { width: 390, height: 844 } });
    await waitForFirstImage(page);
    assert.match(await page.title(), /^Random without tag_000, /);
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const chips = page.locator('#categories .chip:visible');
      assert.ok((await chips.count()) >= 13);
      const isCut = await page.locator('#categories').evaluate((row) => {
        const { left, right, top, bottom } = row.getBoundingClientRect();
        return [...row.children].some((chip) => {
          if ((chip as HTMLElement).hidden) return false;
          const box = chip.getBoundingClientRect();
          return box.left < left || box.right > right + 0.5 || box.top < top || box.bottom > bottom + 0.5;
        });
      });
      assert.equal(isCut, false, `${width} px`);
    }
    await finish();
  });
});
