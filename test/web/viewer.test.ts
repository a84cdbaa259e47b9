/** The image dialog as a viewer: zoom, panning, swiping, full screen, download, sharing and animations. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import {
  animationId,
  copyId,
  importViewerCatalogue,
  panoramaId,
  photoId,
  questionableCopyId,
  stripId,
} from '../support/catalogues/viewer.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import { recordFiles } from './page-helpers.ts';
import { TestClock } from './test-clock.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const picture = (page: Page) => page.locator('#stage img');
const boxOf = async (page: Page) => {
  const box = await picture(page).boundingBox();
  assert.ok(box);
  return box;
};
const middleOf = ({ x, y, width, height }: Awaited<ReturnType<typeof boxOf>>) => ({
  x: x + width / 2,
  y: y + height / 2,
});
/** With one step per call, as a finger moves. Each finger is a list of its positions. */
async function touch(page: Page, ...fingers: [x: number, y: number][][]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const points = (step: number) =>
    fingers.map((positions, id) => {
      const [x = 0, y = 0] = positions[step] ?? [];
      return { x, y, id };
    });
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
  for (let step = 1; step < (fingers[0]?.length ?? 0); step++)
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(step) });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
/** From one point to another in ten steps. */
const line = (from: [number, number], to: [number, number]) =>
  Array.from({ length: 11 }, (_, step): [number, number] => [
    from[0] + ((to[0] - from[0]) * step) / 10,
    from[1] + ((to[1] - from[1]) * step) / 10,
  ]);
/** The dialog reacts to a wheel and to a resized stage a moment later. */
const waitUntilWider = (page: Page, { width }: { width: number }) =>
  page.waitForFunction(
    (width) => (document.querySelector('#stage img')?.getBoundingClientRect().width ?? 0) > width,
    width,
  );
const waitForFile = (page: Page, type: string) =>
  page.waitForFunction(
    (type) => document.querySelector<HTMLImageElement>('#stage img')?.currentSrc.includes(type),
    type,
  );

describe('the viewer', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const { makeConfig, photo } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();
  const open = async (id: string, options = {}) => {
    const opened = await visit(browser, `${origin}/?order=newest&image=${id}`, options);
    await opened.page.locator('#stage :is(img.loaded, canvas)').first().waitFor();
    await opened.page.locator('#next:enabled').waitFor();
    return opened;
  };

  test('the wheel zooms at the pointer, dragging moves, and a double click fits again', async () => {
    const { page, finish } = await open(photoId, { prepare: new TestClock().install });
    const fitted = await boxOf(page);
    const { x, y } = { x: fitted.x + 10, y: fitted.y + 10 };
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -400);
    await waitUntilWider(page, fitted);
    const enlarged = await boxOf(page);
    assert.equal(Math.round(enlarged.width), Math.round(2 * fitted.width));
    assert.ok(Math.abs(enlarged.x - (fitted.x - 10)) < 12, 'what is below the pointer stays there');
    await page.mouse.down();
    await page.mouse.move(x - 60, y - 40, { steps: 4 });
    await page.mouse.up();
    const moved = await boxOf(page);
    assert.ok(moved.x < enlarged.x - 40 && moved.y <= enlarged.y, 'the picture follows');
    assert.ok(await page.getByRole('dialog').isVisible(), 'the end of a drag is no click');
    await page.mouse.dblclick(x, y);
    assert.deepEqual(await boxOf(page), fitted);
    await page.mouse.dblclick(x, y);
    assert.ok((await boxOf(page)).width >= 2 * fitted.width - 1);
    await finish();
  });

  test('the keys + - 0 zoom, arrows move what is enlarged and step otherwise', async () => {
    const { page, finish } = await open(photoId);
    const fitted = await boxOf(page);
    for (const key of ['+', '=', '+']) await page.keyboard.press(key);
    const enlarged = await boxOf(page);
    assert.equal(Math.round(enlarged.width / fitted.width), 3);
    assert.deepEqual(middleOf(enlarged), middleOf(fitted));
    await page.keyboard.press('-');
    assert.ok((await boxOf(page)).width < enlarged.width);
    const before = await boxOf(page);
    await page.keyboard.press('ArrowRight');
    assert.equal((await boxOf(page)).x, before.x - 80);
    await page.keyboard.press('ArrowDown');
    assert.ok((await boxOf(page)).y < before.y);
    assert.ok(page.url().endsWith(photoId));
    await page.keyboard.press('0');
    assert.deepEqual(await boxOf(page), fitted);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${stripId}`);
    await finish();
  });

  test('fingers pinch, move, tap twice and swipe', async () => {
    const { page, finish } = await open(photoId, { ...phone, prepare: new TestClock().install });
    const fitted = await boxOf(page);
    const { x, y } = middleOf(fitted);
    await touch(page, line([x - 20, y], [x - 60, y]), line([x + 20, y], [x + 60, y]));
    const pinched = await boxOf(page);
    assert.equal(Math.round(pinched.width / fitted.width), 3);
    await touch(page, line([x, y], [x - 100, y]));
    assert.ok((await boxOf(page)).x < pinched.x - 80);
    assert.ok(page.url().endsWith(photoId), 'moving an enlarged picture is no swipe');
    await page.touchscreen.tap(x, y);
    await page.touchscreen.tap(x, y);
    assert.deepEqual(await boxOf(page), fitted);
    await touch(page, line([x, y], [x - 40, y]));
    assert.deepEqual(await boxOf(page), fitted, 'a short swipe does nothing');
    await touch(page, line([x + 100, y], [x - 100, y]));
    await page.waitForURL(`**image=${stripId}`);
    await touch(page, line([x - 100, y], [x + 100, y]));
    await page.waitForURL(`**image=${photoId}`);
    await finish();
  });

  test('a strip starts with its top in full width, and a panorama can fill the height', async () => {
    const { page, finish } = await open(stripId, phone);
    const stage = await page.locator('#stage').boundingBox();
    const strip = await boxOf(page);
    assert.deepEqual([Math.round(strip.width), Math.round(strip.y)], [stage?.width, stage?.y]);
    await page.keyboard.press('ArrowDown');
    assert.equal((await boxOf(page)).y, strip.y - 80);
    await page.keyboard.press('0');
    assert.ok((await boxOf(page)).height <= (stage?.height ?? 0));
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${panoramaId}`);
    await page.getByRole('button', { name: 'Zoom' }).click();
    const height = await page.locator('#stage').evaluate(({ clientHeight }) => clientHeight);
    assert.equal(Math.round((await boxOf(page)).height), height);
    assert.ok(height > 300);
    await finish();
  });

  test('full screen shows the picture alone, and Escape leaves it', async () => {
    const { page, finish } = await open(photoId);
    const fitted = await boxOf(page);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement?.id === 'viewer');
    await waitUntilWider(page, fitted);
    assert.ok(!(await page.locator('#panel').isVisible()));
    assert.ok(await page.getByRole('button', { name: 'Next image' }).isVisible());
    await page.keyboard.press('Escape');
    await page.locator('#panel').waitFor();
    await page.waitForFunction(() => !document.fullscreenElement);
    assert.ok(await page.getByRole('dialog').isVisible());
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction(() => document.fullscreenElement);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.waitForFunction(() => !document.fullscreenElement);
    await finish();
  });

  test('without the API for full screens, the picture fills the page', async () => {
    const { page, finish } = await open(photoId, {
      ...phone,
      prepare: (context: BrowserContext) =>
        context.addInitScript('Element.prototype.requestFullscreen = undefined'),
    });
    await page.getByRole('button', { name: 'Full screen' }).click();
    const { width, height } = (await page.locator('#stage').boundingBox()) ?? {};
    assert.deepEqual({ width, height }, phone.viewport);
    await page.keyboard.press('f');
    assert.ok(await page.locator('#panel').isVisible());
    await finish();
  });

  test('the original can be downloaded under a readable name', async () => {
    const { page, finish } = await open(photoId);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `Nami by A B C (${photoId.slice(0, 8)}).jpg`);
    assert.deepEqual(await readFile(await download.path()), photo);
    await finish();
  });

  test('the link can be copied and shared', async () => {
    const { page, finish } = await open(photoId, {
      permissions: ['clipboard-read', 'clipboard-write'],
      prepare: (context: BrowserContext) =>
        context.addInitScript('navigator.share = async (data) => { globalThis.shared = data; }'),
    });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    assert.equal(await copied(), page.url());
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
    await page.locator('.curl button').click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.match(await copied(), /^curl 'http/);
    await page.getByRole('button', { name: 'Share' }).click();
    assert.deepEqual(await page.evaluate('shared'), { title: 'Nami by A/B: C', url: page.url() });
    await finish();
  });

  test('an animation carries a badge, and plays on demand if the visitor prefers reduced motion', async () => {
    const { page, finish } = await visit(browser, `${origin}/?order=newest`);
    const files = recordFiles(page);
    await page.locator(`[data-id="${animationId}"] img.loaded`).waitFor();
    assert.deepEqual(await page.locator('.tile:has(.badge)').getAttribute('data-id'), animationId);
    await page.locator(`[data-image="${animationId}"]`).click();
    await page.locator('#stage img.loaded').waitFor();
    assert.match((await picture(page).getAttribute('src')) ?? '', /-40\.webp/);
    await page.keyboard.press('+');
    assert.ok(!files.some((path) => path.endsWith('.gif')), 'zooming does not start it');
    await page.getByRole('button', { name: 'Play animation' }).click();
    await waitForFile(page, '.gif');
    await page.getByRole('button', { name: 'Stop animation' }).click();
    await waitForFile(page, '.webp');
    await finish();
  });

  test('a blurred image cannot be enlarged, and swiping goes on', async () => {
    const { page, finish } = await visit(
      browser,
      `${origin}/?order=newest&image=${questionableCopyId}`,
      phone,
    );
    await page.locator('#previous:enabled').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Zoom' }).isDisabled());
    await page.keyboard.press('+');
    const { x, y, width, height } = (await page.locator('.frame').boundingBox()) ?? assert.fail();
    assert.equal(Math.round(width), phone.viewport.width);
    await touch(page, line([x + 50, y + height / 2], [x + 300, y + height / 2]));
    await page.waitForURL(`**image=${copyId}`);
    await finish();
  });
});
