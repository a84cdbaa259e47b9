/** The page around the images: its header when it is narrow, long texts, the size of pictures, keys, and a reload. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { openPage } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { seaCategoryId } from '../support/catalogues/gallery.ts';
import { atDepth, testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { scrollNearEnd, shownIds, waitForFirstImage, waitForImageCount } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

describe('the page', { skip }, async () => {
  if (skip) return;
  const { browser, origin, open } = await openGallery();

  test('at any width, the search field and the title have room, and nothing overflows', async () => {
    const { page, finish } = await open('/?categories=city', { viewport: { width: 640, height: 700 } });
    await waitForFirstImage(page);
    // As with a catalogue that has everything.
    await page.locator('.top nav').evaluate((nav) => {
      for (const link of nav.querySelectorAll('a')) link.hidden = false;
    });
    for (const width of atDepth([820], [650, 820, 930, 960])) {
      await page.setViewportSize({ width, height: 700 });
      const isCut = await page
        .locator('.wordmark span')
        .evaluate((name) => name.scrollWidth > name.clientWidth);
      assert.equal(isCut, false, `a short name is cut at ${width} px`);
    }
    await page.locator('.wordmark span').evaluate((name) => {
      name.textContent = 'A name of a site that is as long as they come, nearly';
    });
    for (const width of atDepth([320, 780], [320, 500, 640, 641, 700, 780, 801, 960, 1300])) {
      await page.setViewportSize({ width, height: 700 });
      const field = await page.locator('#search-text').boundingBox();
      assert.ok((field?.width ?? 0) >= 110, `${field?.width} px of ${width}`);
      await page.locator('h1').evaluate((title) => {
        title.textContent = 'Long names are the rule, notwithstanding';
      });
      const title = await page.locator('h1').boundingBox();
      assert.ok((title?.width ?? 0) >= 110, `the title has ${title?.width} px of ${width}`);
      // The rows of images follow a moment later.
      await page.waitForFunction(
        () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
      );
    }
    await finish();
  });

  testDeep('pictures are on paper too', async () => {
    const page = await openPage(browser);
    await page.goto(`${origin}/?categories=city`);
    await waitForFirstImage(page);
    await page.emulateMedia({ media: 'print' });
    // It may still be loading. The order is random, and blurred pictures are left out.
    await page.waitForFunction(
      () => (document.querySelector('.tile:not(.blurred) img')?.clientWidth ?? 0) > 50,
    );
    await page.context().close();
  });

  test('without JavaScript, one sentence says so, and nothing is offered that does not work', async () => {
    const page = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(origin);
    const message = page.locator('.problem p');
    assert.match(await message.innerText(), /^The gallery needs JavaScript\. .* API reference\.$/);
    // Fonts differ in width between machines. The sentence takes no more lines than its text needs.
    const { shown, needed } = await message.evaluate((element) => {
      const { width, height } = element.getBoundingClientRect();
      const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight);
      Object.assign(element.style, { width: 'max-content', maxWidth: 'none' });
      return {
        shown: Math.round(height / lineHeight),
        needed: Math.ceil(element.getBoundingClientRect().width / width),
      };
    });
    assert.equal(shown, needed, 'lines');
    assert.equal(await page.locator('button:visible, input:visible').count(), 0);
    await page.context().close();
  });

  test('a long description leaves room for the images, and texts choose their direction', async () => {
    const description = `ספר ${'A long story about the sea. '.repeat(100)}`;
    const { page, finish } = await open('/?in=categories', { viewport: { width: 390, height: 844 } });
    await page.route(`**/api/category?**`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const category of json.data) category.description = description;
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('link', { name: 'sea' }).click();
    await waitForFirstImage(page);
    const top = async () => (await page.locator('.tile').first().boundingBox())?.y ?? 0;
    assert.ok((await top()) < 844 / 2, `${await top()} px`);
    const direction = (element: Element) => getComputedStyle(element).direction;
    assert.equal(await page.locator('.lead').evaluate(direction), 'rtl');
    assert.equal(await page.locator('h1').evaluate(direction), 'ltr');
    // The images move, as the visitor expects. Chromium ignores that only within half a second after the click.
    assert.ok(((await page.evaluate('globalThis.layoutShift')) as number) < 0.01);
    await page.evaluate('globalThis.layoutShift = Number.NEGATIVE_INFINITY');
    await page.getByRole('button', { name: 'Show all', expanded: false }).click();
    assert.ok((await top()) > 844, 'all of it is there');
    await page.getByRole('button', { name: 'Show less', expanded: true }).click();
    assert.ok((await top()) < 844 / 2);
    assert.equal(new URL(page.url()).searchParams.get('category'), seaCategoryId);
    await finish();
  });

  test('pictures have three sizes, and the choice is remembered', async () => {
    const { page, requests, finish } = await open('/?order=newest&categories=city');
    await waitForFirstImage(page);
    const height = async () => Math.round((await page.locator('#grid').boundingBox())?.height ?? 0);
    const medium = await height();
    await page.getByRole('button', { name: 'Picture size: medium' }).click();
    const large = await height();
    assert.ok(large > medium, `${large} and ${medium}`);
    await page.getByRole('button', { name: 'Picture size: large' }).click();
    const small = await height();
    assert.ok(small < medium, `${small} and ${medium}`);
    assert.equal(requests.length, 1);
    await page.reload();
    await waitForFirstImage(page);
    assert.equal(await height(), small);
    await page.getByRole('button', { name: 'Picture size: small' }).click();
    assert.equal(await height(), medium);
    await finish();
  });

  test('a reload far down keeps the place without a request, and one at the top asks for what is new', async () => {
    const { page, requests, finish } = await open('/?order=newest', {
      viewport: { width: 500, height: 600 },
    });
    await waitForImageCount(page, 25);
    await scrollNearEnd(page);
    await waitForImageCount(page, 26);
    const ids = await shownIds(page);
    await page.evaluate(() => scrollTo(0, 900));
    requests.length = 0;
    await page.reload();
    await page.waitForFunction(() => Math.abs(scrollY - 900) < 3);
    assert.deepEqual(await shownIds(page), ids);
    await page.locator('.tile img.loaded').first().waitFor();
    assert.deepEqual(requests, []);
    await page.evaluate(() => scrollTo(0, 0));
    await page.reload();
    await waitForFirstImage(page);
    assert.match(requests[0] ?? '', /^\/image\/latest\?/);
    await finish();
  });

  test('keys: / searches, arrows go through the grid, and ? lists them', async () => {
    const { page, finish } = await open('/?categories=sea&nsfw=sfw');
    await page.locator('#choose-categories:enabled').waitFor();
    await page.keyboard.press('/');
    const field = page.locator('#search-text:focus');
    await field.waitFor();
    await page.keyboard.type('a/?');
    assert.equal(await field.inputValue(), 'a/?', 'in a field, they are text');
    const focused = () =>
      page.evaluate(() => {
        const tile = document.activeElement?.closest('.tile');
        const { left = 0, top = 0 } = tile?.getBoundingClientRect() ?? {};
        const index = tile ? [...document.querySelectorAll('.tile')].indexOf(tile) : -1;
        return { index, left, top: top + scrollY };
      });
    await page.locator('.tile a').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal((await focused()).index, 1);
    const { top, left } = await focused();
    await page.keyboard.press('ArrowDown');
    const below = await focused();
    assert.ok(below.top > top && below.index > 1);
    await page.keyboard.press('ArrowUp');
    assert.ok((await focused()).top === top && Math.abs((await focused()).left - left) < 400);
    await page.locator('.tile a').first().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    assert.equal((await focused()).index, 0, 'stays at the first one');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page, 'light', '#key-dialog'), []);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await finish();
  });
});
