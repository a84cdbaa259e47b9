/** Going on and on: pictures come as one scrolls, none twice, until all were shown; by mouse, keyboard and in the dialog. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goOn, startBrowser, visit } from '../support/browser.ts';
import { galleryCatalogue, heroine } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { startService } from '../support/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const COUNT = 230;
/** The first page, and as many as come of themselves. */
const IN_A_ROW = 9 * 25;

const shownIds = (page: Page) =>
  page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset.id ?? ''));
/** Where every tile is, as text. */
const places = (page: Page) =>
  page
    .locator('.tile')
    .evaluateAll((tiles) =>
      tiles.map((tile) => tile.getAttribute('style')?.replace(/background[^;]+;/, '') ?? ''),
    );
const seedsOf = (calls: string[]) => new Set(calls.map((call) => /seed=([^&]+)/.exec(call)?.[1]));
const atLeast = (page: Page, count: number) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.tile').length >= wanted, count);
const toTheEnd = (page: Page) => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
const rowOf = (style: string | undefined) =>
  /translate\([^,)]+(?:, ([^)]+))?\)/.exec(style ?? '')?.[1] ?? '0';

describe('endless pictures', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const configFor = await galleryCatalogue(COUNT);
  const service = await startService(configFor());
  const browser = await startBrowser();
  const open = (path: string, options = {}) => visit(browser, service.origin + path, options);

  test('all of them come, each once, and full rows stay where they are', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    while ((await shownIds(page)).length < IN_A_ROW) {
      const before = await places(page);
      await page.mouse.wheel(0, 700);
      await page.waitForTimeout(30);
      const after = await places(page);
      const last = rowOf(before.at(-1));
      for (const [index, style] of before.entries())
        if (rowOf(style) !== last) assert.equal(after[index], style);
    }
    // Then it waits to be asked, and the footer can be reached.
    await toTheEnd(page);
    await page.waitForTimeout(200);
    assert.equal((await shownIds(page)).length, IN_A_ROW);
    assert.ok(await page.locator('footer a').first().isVisible());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(`That is all: ${COUNT} pictures.`, { exact: true }).waitFor();
    const ids = await shownIds(page);
    assert.equal(new Set(ids).size, COUNT);
    assert.equal(ids.length, COUNT);
    assert.ok(await page.locator('#more').isHidden());
    assert.equal(calls.length, Math.ceil(COUNT / 25));
    assert.equal(seedsOf(calls).size, 1);
    assert.equal(await page.locator('#status').textContent(), `5 more. That is all: ${COUNT} pictures.`);
    await finish();
  });

  test('back brings all that had come, at the same height, without a call', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    const first = await shownIds(page);
    await goOn(page);
    await atLeast(page, 50);
    // At one moment: more may come at any time.
    const ids = await page.evaluate(() => {
      scrollTo(0, 900);
      const tiles = [...document.querySelectorAll<HTMLElement>('.tile')];
      document.querySelector<HTMLElement>('nav a')?.click();
      return tiles.map((tile) => tile.dataset.id ?? '');
    });
    await page.locator('#entries li').first().waitFor();
    const made = calls.length;
    await page.goBack();
    await page.waitForFunction(() => scrollY === 900);
    assert.deepEqual(await shownIds(page), ids);
    assert.equal(calls.length, made);
    await page.evaluate(() => scrollTo(0, 0));
    await page.reload();
    await page.locator('.tile').first().waitFor();
    assert.deepEqual((await shownIds(page)).slice(0, 25), first, 'the seed outlives a reload');
    await page.locator('#others').click();
    await page.waitForFunction(
      (before) => document.querySelector<HTMLElement>('.tile')?.dataset.id !== before,
      first[0],
    );
    assert.equal(seedsOf(calls.filter((call) => call.startsWith('/image'))).size, 2);
    await finish();
  });

  test("a character's pictures go on too, also from one to the next in the dialog", async () => {
    const { page, calls, finish } = await open(`/?character=${heroine}`);
    await page.locator('.tile').nth(24).waitFor();
    await page.evaluate(() => document.querySelector<HTMLElement>('.tile:nth-child(24) a')?.click());
    const ids = await shownIds(page);
    await page.waitForURL(`**&image=${ids[23]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**&image=${ids[24]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.search.includes(ids[24] as string));
    const more = await shownIds(page);
    assert.ok(page.url().endsWith(`&image=${more[25]}`));
    assert.ok(calls.every((call) => call.includes(`character=${heroine}`)));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.waitForFunction(
      (id) => document.activeElement?.closest('.tile')?.matches(`[data-id="${id}"]`),
      more[25],
    );
    const box = await page.locator(`[data-id="${more[25]}"]`).boundingBox();
    assert.ok(box && box.y > -box.height && box.y < 700, 'it is in sight');
    await finish();
  });

  test('by keyboard nothing comes uncalled: there is a button, and what lies below is reached', async () => {
    const { page, calls, finish } = await open('/?nsfw=sfw');
    await page.locator('.tile').nth(24).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('.tile a').nth(23).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    assert.equal(await focused.textContent(), 'Show more');
    await page.keyboard.press('Tab');
    assert.equal(await focused.textContent(), 'API reference');
    await page.waitForTimeout(100);
    assert.equal(calls.length, 1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await atLeast(page, 50);
    const ids = await shownIds(page);
    assert.equal(await focused.getAttribute('data-open'), ids[25], 'on the first that came');
    assert.equal(await page.locator('#status').textContent(), '25 more. 50 pictures so far.');
    await finish();
  });

  test('when it fails in the middle, what is there stays, and it goes on when told to', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    const before = await shownIds(page);
    await page.context().setOffline(true);
    await toTheEnd(page);
    await page.getByRole('alert').getByText('You are offline.').waitFor();
    assert.deepEqual(await shownIds(page), before);
    await page.mouse.wheel(0, -2000);
    await page.waitForTimeout(50);
    await toTheEnd(page);
    const made = calls.length;
    const dialog = page.getByRole('dialog');
    await page
      .locator('.tile a')
      .last()
      .evaluate((link: HTMLElement) => link.click());
    await page.locator('#next').click();
    await dialog.getByText('You are offline.').waitFor();
    await page.locator('#close').click();
    await dialog.waitFor({ state: 'hidden' });
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await atLeast(page, 50);
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(made, 2, 'scrolling alone does not try again');
    const ids = await shownIds(page);
    assert.equal(new Set(ids).size, ids.length);
    await finish(['ERR_INTERNET_DISCONNECTED']);
  });
});
