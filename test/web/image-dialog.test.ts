/** The image dialog: opening, closing and the keyboard. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import {
  artistId,
  characterId,
  questionableImageId,
  seaCategoryId,
  sfwImageId,
} from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { ALL_RATINGS, shownIds, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const isNotSimilar = (call: string) => !call.includes('/similar?');

const focused = (page: Page) => page.locator(':focus');

describe('the image dialog', { skip }, async () => {
  if (skip) return;
  const { open, origin } = await openGallery();

  test('an image opens with its properties without a request, even if its script failed first, and going back closes it', async () => {
    let isBroken = true;
    const failed = Promise.withResolvers<unknown>();
    const { page, requests, finish } = await open('/?categories=city', {
      prepare(context: BrowserContext) {
        context.on('requestfailed', failed.resolve);
        return context.route('**/gallery/image-dialog.js*', (route) =>
          isBroken ? route.abort() : route.continue(),
        );
      },
    });
    // When it is loaded in advance.
    await failed.promise;
    const link = page.locator('.tile:not(.blurred) a').first();
    const id = await link.getAttribute('data-image');
    await link.click();
    await page.locator('#toast.shown').waitFor();
    await page.waitForURL('**/?categories=city');
    isBroken = false;
    await link.click();
    await page.waitForURL(`**/?categories=city&image=${id}`);
    await page.waitForFunction(() => document.title.includes(' by Hokusai & Daughter · '));
    const dialog = page.getByRole('dialog');
    for (const text of ['Hokusai & Daughter', 'A book', 'city', 'sea', 'WEBP'])
      assert.ok(await dialog.getByText(text).first().isVisible(), text);
    assert.match(await dialog.locator('.properties').first().innerText(), /\d+ × \d+/);
    assert.ok(!(await dialog.getByText('expires in').isVisible()), 'for developers only');
    await dialog.getByText('For developers').click();
    assert.ok(await dialog.getByText('expires in').isVisible());
    const shape = await dialog.locator('.developers .properties').innerText();
    assert.match(shape, /\d+:\d+ (landscape|portrait|square)/);
    assert.equal(
      await dialog.locator('.curl code').textContent(),
      `curl '${origin}/api/image/${id}?include=artist,thumbnails,details'`,
    );
    const json = JSON.parse((await dialog.locator('pre').textContent()) ?? '');
    assert.equal(json.id, id);
    assert.deepEqual(await findViolationsAtDepth(page, 'light', 'dialog'), []);
    assert.equal(await dialog.locator('img').getAttribute('src'), json.url);
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    // Closing it twice goes back once, although the browser takes a moment.
    await link.click();
    await dialog.waitFor();
    await page.locator('#close').evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL('**/?categories=city');
    assert.equal(requests.filter(isNotSimilar).length, 1);
    await finish(['net::ERR_FAILED']);
  });

  test('a shared image link has the images of its view as neighbours, and closing it shows them', async () => {
    const shared = '1 by Hokusai & Daughter · zukan';
    const { page, requests, finish } = await open(`/?categories=city&image=${sfwImageId}`);
    assert.equal(await page.title(), shared, 'as in link previews');
    await page.getByRole('dialog').locator('.properties').first().waitFor();
    await page.locator('#next:enabled').waitFor();
    assert.equal(await page.title(), shared);
    assert.equal(await page.locator('dialog button:focus, dialog a:focus').count(), 0, 'no focus ring');
    assert.ok(await page.locator('#previous').isDisabled());
    const ids = await shownIds(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/?categories=city&image=${ids[0]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/?categories=city&image=${ids[1]}`);
    await page.locator('#previous').click();
    await page.waitForURL(`**/?categories=city&image=${ids[0]}`);
    await page.locator('#close').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).search, '?categories=city');
    assert.equal(await page.title(), 'city · zukan');
    assert.deepEqual(
      requests.filter(isNotSimilar).map((call) => call.replace(/seed=[\d.-]+/, 'seed=…')),
      [
        `/image/${sfwImageId}?include=artist%2Cthumbnails%2Cdetails`,
        `/image/random?categories=city&${ALL_RATINGS}&limit=25&include=artist%2Cthumbnails%2Cdetails&seed=…`,
      ],
    );
    await finish();
  });

  testDeep('the character and category of an image open without loading their records', async () => {
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
    // Whether the view behind the dialog was asked for depends on how fast the test clicks.
    const calls = requests.filter((call) => isNotSimilar(call) && !/random\?nsfw/.test(call));
    assert.deepEqual(
      calls.map((call) =>
        call.replace('include=artist%2Cthumbnails%2Cdetails', '…').replace(/seed=[\d.-]+/, 'seed=…'),
      ),
      [
        `/image/${questionableImageId}?…`,
        `/image/random?character=${characterId}&${ALL_RATINGS}&limit=25&…&seed=…`,
        `/image/random?categories=sea&${ALL_RATINGS}&limit=25&…&seed=…`,
      ],
    );
    await finish();
  });

  test('the grid and the dialog work with the keyboard', async () => {
    const { page, finish } = await open(`/?artist=${artistId}&orientation=square`);
    await page.getByRole('heading', { name: 'Hokusai & Daughter' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page).textContent(), 'Skip to images');
    const ids = await shownIds(page);
    for (let presses = 0; !(await focused(page).and(page.locator('.tile a')).count()); presses++) {
      assert.ok(presses < 30, 'no image was reached');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[1]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[2]}`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**image=${ids[1]}`);
    await page.evaluate(() => {
      const focused: boolean[] = [];
      addEventListener('focusin', ({ target }) => focused.push(!!(target as Element).closest('dialog')));
      Object.assign(globalThis, { focused });
    });
    for (let presses = 0; presses < 20; presses++) await page.keyboard.press('Tab');
    const isInDialog = (await page.evaluate('focused')) as boolean[];
    assert.ok(isInDialog.length > 10 && isInDialog.every(Boolean), 'the focus stays in the dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await focused(page).getAttribute('data-image'), ids[1]);
    await finish();
  });
});
