/** The image dialog: opening, closing and the keyboard. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.ts';
import { uuid } from '../support/catalogue.ts';
import {
  artistId,
  characterId,
  importGalleryCatalogue,
  questionableImageId,
  seaCategoryId,
  sfwImageId,
} from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { startKnownService, startService } from '../support/service.ts';
import { shownIds, waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const focused = (page: Page) => page.locator(':focus');

describe('the image dialog', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const service = await startService(makeConfig());
  const browser = await startBrowser();
  const open = (path: string, options = {}) => visit(browser, service.origin + path, options);

  test('an image opens with its properties without a request, and going back closes it', async () => {
    const { page, requests, finish } = await open('/?categories=city');
    const link = page.locator('.tile:not(.blurred) a').first();
    const id = await link.getAttribute('data-image');
    await link.click();
    await page.waitForURL(`**/?categories=city&image=${id}`);
    const dialog = page.getByRole('dialog');
    for (const text of ['Hokusai & Daughter', 'A book', 'city', 'sea', 'WEBP', 'expires in'])
      assert.ok(await dialog.getByText(text).first().isVisible(), text);
    assert.match(
      await dialog.locator('.properties').innerText(),
      /\d+ × \d+, \d+:\d+ (landscape|portrait|square)/,
    );
    assert.equal(
      await dialog.locator('.curl code').textContent(),
      `curl '${service.origin}/api/image/${id}?include=artist,thumbnails'`,
    );
    const json = JSON.parse((await dialog.locator('pre').textContent()) ?? '');
    assert.equal(json.id, id);
    assert.equal(await dialog.locator('img').getAttribute('src'), json.url);
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(requests.length, 1);
    await finish();
  });

  test('a shared image link takes one request, and closing it shows the view behind', async () => {
    const { page, requests, finish } = await open(`/?categories=city&image=${sfwImageId}`);
    await page.getByRole('dialog').locator('.properties').waitFor();
    assert.deepEqual(requests, [`/image/${sfwImageId}?include=artist%2Cthumbnails`]);
    assert.ok(await page.locator('#next').isDisabled());
    await page.locator('#close').click();
    await waitForFirstImage(page);
    assert.equal(new URL(page.url()).search, '?categories=city');
    assert.equal(requests.length, 2);
    await finish();
  });

  test('the character and category of an image open without loading their records', async () => {
    const { page, requests, finish } = await open(`/?image=${questionableImageId}`);
    await page.getByRole('dialog').getByRole('link', { name: 'Nami <b>Umi</b>' }).click();
    await page.waitForURL(`**/?character=${characterId}`);
    await waitUntilIdle(page);
    assert.match(await page.locator('#description').innerText(), /Swims\.[\s\S]*Waves[\s\S]*diver/);
    assert.equal((await shownIds(page)).length, 15);
    assert.equal(await page.locator('#load-more').innerText(), 'All 15 images shown.');
    await page.goBack();
    await page.getByRole('dialog').getByRole('link', { name: 'sea', exact: true }).click();
    await page.waitForURL(`**/?category=${seaCategoryId}`);
    await waitUntilIdle(page);
    assert.equal((await shownIds(page)).length, 25);
    assert.deepEqual(
      requests.map((call) =>
        call.replace('include=artist%2Cthumbnails', '…').replace(/seed=[\d.-]+/, 'seed=…'),
      ),
      [
        `/image/${questionableImageId}?…`,
        `/image/random?character=${characterId}&limit=25&…&seed=…`,
        '/image/random?categories=sea&limit=25&…&seed=…',
      ],
    );
    await finish();
  });

  test('the artist of an image whose artist is unknown is "Unknown"', async () => {
    const { origin } = await startKnownService();
    const { page, finish } = await visit(browser, `${origin}/?image=${uuid(4, 4)}`);
    const dialog = page.getByRole('dialog');
    const artist = dialog.getByRole('link', { name: 'Unknown' });
    await artist.waitFor();
    assert.equal(await dialog.getByText('Source', { exact: true }).count(), 0);
    await artist.click();
    await page.getByRole('heading', { name: 'Unknown' }).waitFor();
    assert.deepEqual(await shownIds(page), [uuid(4, 4)]);
    await finish();
  });

  test('the grid and the dialog work with the keyboard', async () => {
    const { page, finish } = await open(`/?artist=${artistId}`);
    await page.getByRole('heading', { name: 'Hokusai & Daughter' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page).textContent(), 'Skip to images');
    const ids = await shownIds(page);
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 30; presses++) {
        if (await focused(page).evaluate((element, selector) => element.matches(selector), selector)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${selector} was not reached`);
    };
    await tabTo('.tile a');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[1]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[2]}`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**image=${ids[1]}`);
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      // Between the last element and the first, the browser itself has the focus.
      const isInDialog = await page.evaluate(
        () => document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
      );
      assert.ok(isInDialog, 'the focus stays in the dialog');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await focused(page).getAttribute('data-image'), ids[1]);
    await finish();
  });
});
