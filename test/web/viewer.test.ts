/** The image dialog as a viewer: zoom, panning, swiping, full screen, slideshow, download, sharing, animations and similar pictures. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
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
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import { ALL_RATINGS, recordFiles } from './page-helpers.ts';
import { TestClock } from './test-clock.ts';
import { boxOf, line, middleOf, picture, touch, waitForFile, waitUntilWider } from './viewer-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const wide = { width: 1300, height: 1000 };
const similarPath = `/image/${photoId}/similar?${ALL_RATINGS}&limit=9&include=artist%2Cthumbnails%2Cdetails`;
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('the viewer', { skip }, async () => {
  if (skip) return;
  const { makeConfig, photo } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig({ REPORT_URL: 'mailto:team@example.org?subject={id}' }));
  const browser = await startBrowser();
  const open = async (id: string, options = {}) => {
    const opened = await visit(browser, `${origin}/?order=newest&image=${id}`, options);
    await opened.page.locator('#stage :is(img.loaded, canvas)').first().waitFor();
    await opened.page.locator('#next:enabled').waitFor();
    return opened;
  };

  testDeep(
    'the wheel and the keys + - 0 zoom, dragging and arrows move, and a double click fits again',
    async () => {
      const { page, finish } = await open(photoId, { prepare: new TestClock().install });
      const fitted = await boxOf(page);
      const { x, y } = { x: fitted.x + 100, y: fitted.y + 10 };
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, -400);
      await waitUntilWider(page, fitted);
      const enlarged = await boxOf(page);
      assert.equal(Math.round(enlarged.width), Math.round(2 * fitted.width));
      assert.ok(Math.abs(enlarged.x - (fitted.x - 100)) < 12, 'what is below the pointer stays there');
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
      await page.keyboard.press('0');
      for (const key of ['+', '=', '+']) await page.keyboard.press(key);
      const large = await boxOf(page);
      assert.equal(Math.round(large.width / fitted.width), 3);
      assert.deepEqual(middleOf(large), middleOf(fitted));
      await page.keyboard.press('-');
      assert.ok((await boxOf(page)).width < large.width);
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
    },
  );

  test('fingers pinch, which loads the original, move, tap twice and swipe', async () => {
    const clock = new TestClock();
    const { page, finish } = await open(photoId, {
      ...phone,
      async prepare(context: BrowserContext) {
        await clock.install(context);
        await context.addInitScript('Element.prototype.requestFullscreen = undefined');
      },
    });
    const fitted = await boxOf(page);
    const { x, y } = middleOf(fitted);
    await waitForFile(page, '-400.webp');
    await touch(page, line([x - 20, y], [x - 60, y]), line([x + 20, y], [x + 60, y]));
    const pinched = await boxOf(page);
    await waitForFile(page, '.jpg');
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

    // Without the API for full screens, the picture fills the page.
    await page.getByRole('button', { name: 'Full screen' }).click();
    const { width, height } = (await page.locator('#stage').boundingBox()) ?? {};
    assert.deepEqual({ width, height }, phone.viewport);
    await page.keyboard.press('f');
    assert.ok(await page.locator('#panel').isVisible());

    // A tap hides the controls. Up are the properties, down the picture and then the view.
    await page.touchscreen.tap(x, y);
    await page.locator('#viewer.idle').waitFor();
    await clock.advance(1000);
    await page.touchscreen.tap(x, y);
    await page.locator('#viewer:not(.idle)').waitFor();
    const scrolled = () => page.locator('#viewer').evaluate(({ scrollTop }) => scrollTop);
    await touch(page, line([x, y], [x, y - 150]));
    assert.ok((await scrolled()) > 300);
    await touch(page, line([x, 100], [x, 250]));
    assert.equal(await scrolled(), 0);
    assert.ok(await page.getByRole('dialog').isVisible());
    await touch(page, line([x, y], [x, y + 150]));
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await finish();
  });

  testDeep(
    'a strip starts at its top, a panorama can fill the height, and a blurred image cannot be enlarged',
    async () => {
      const { page, finish } = await open(stripId, phone);
      const stage = await page.locator('#stage').boundingBox();
      const strip = await boxOf(page);
      assert.deepEqual([Math.round(strip.width), Math.round(strip.y) + 0], [stage?.width, stage?.y]);
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

      for (const id of [animationId, copyId, questionableCopyId]) {
        await page.keyboard.press('0');
        await page.keyboard.press('ArrowRight');
        await page.waitForURL(`**image=${id}`);
      }
      assert.ok(await page.getByRole('button', { name: 'Zoom' }).isDisabled());
      await page.keyboard.press('+');
      const frame = (await page.locator('.frame').boundingBox()) ?? assert.fail();
      assert.equal(Math.round(frame.width), phone.viewport.width);
      const { x, y } = middleOf(frame);
      await touch(page, line([x - 125, y], [x + 125, y]));
      await page.waitForURL(`**image=${copyId}`);
      await finish();
    },
  );

  test('zooms with the wheel, has a full screen, downloads the original, and copies and shares the link', async () => {
    const { page, finish } = await open(photoId, {
      permissions: ['clipboard-read', 'clipboard-write'],
      async prepare(context: BrowserContext) {
        await context.addInitScript('navigator.share = async (data) => { globalThis.shared = data; }');
      },
    });
    const report = page.getByRole('link', { name: 'Report this picture' });
    assert.equal(await report.getAttribute('href'), `mailto:team@example.org?subject=${photoId}`);
    assert.equal(await page.getByText('Source', { exact: true }).count(), 0, 'it has none');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `photo by A B C (${photoId.slice(0, 8)}).jpg`);
    assert.deepEqual(await readFile(await download.path()), photo);

    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    assert.equal(await copied(), page.url());
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
    await page.getByText('For developers').click();
    await page.locator('.curl button').click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.match(await copied(), /^curl 'http/);
    await page.getByRole('button', { name: 'Share' }).click();
    assert.deepEqual(await page.evaluate('shared'), { title: 'photo by A/B: C', url: page.url() });

    // A long description is cut.
    const heightOf = async () => (await page.locator('#panel .lead').boundingBox())?.height ?? 0;
    const cut = await heightOf();
    await page.getByRole('button', { name: 'Show more' }).click();
    assert.ok((await heightOf()) > 2 * cut);

    const fitted = await boxOf(page);
    const { x, y } = middleOf(fitted);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -400);
    await waitUntilWider(page, fitted);
    await page.keyboard.press('0');
    assert.deepEqual(await boxOf(page), fitted);
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

  test('fills a large window, hides the details, and plays a slideshow that waits for the visitor', async () => {
    const clock = new TestClock();
    const { page, finish } = await open(photoId, {
      // Not as high as such windows are: each pixel takes CPU time.
      viewport: { width: 2560, height: 700 },
      prepare: clock.install,
    });
    const files = recordFiles(page);
    const stage = () => page.locator('#stage').boundingBox();
    const { width = 0, height = 0 } = (await stage()) ?? {};
    assert.ok(width >= 2000 && height === 700, `${width} × ${height}`);
    await page.keyboard.press('i');
    assert.equal((await stage())?.width, 2560);
    assert.ok(!(await page.locator('#panel').isVisible()));
    await page.reload();
    await page.locator('#next:enabled').waitFor();
    await page.locator('#stage img.loaded').waitFor();
    assert.ok(!(await page.locator('#panel').isVisible()), 'it is remembered');
    await page.keyboard.press('i');
    assert.ok(await page.locator('#panel').isVisible());

    // On paper: one copy of the whole picture, its details, and nothing to click.
    await page.keyboard.press('+');
    await page.emulateMedia({ media: 'print' });
    assert.equal(
      await page.locator('#detail').evaluate((dialog) => getComputedStyle(dialog).position),
      'absolute',
    );
    assert.equal(await page.locator('button:visible, summary:visible, #main:visible').count(), 0);
    const printed = await boxOf(page);
    assert.ok(printed.x >= 0 && printed.width > 100 && printed.x + printed.width <= 2560);
    assert.ok(await page.locator('#detail-title').isVisible());
    await page.emulateMedia({ media: 'screen' });
    await page.keyboard.press('0');

    const button = page.getByRole('button', { name: 'Slideshow' });
    const isShown = (id: string) => assert.match(page.url(), new RegExp(`image=${id}$`));
    const waitForImage = async (id: string) => {
      await page.waitForURL(`**image=${id}`);
      await page.locator('#stage img.loaded').waitFor();
    };
    await page.keyboard.press('Space');
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.ok(!(await page.locator('#panel').isVisible()), 'nothing but the pictures');
    await page.keyboard.press('+');
    await clock.advance(15_000);
    isShown(photoId);
    await page.keyboard.press('0');
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await clock.advance(15_000);
    isShown(photoId);
    await page.evaluate('delete document.hidden');
    await page.keyboard.press('0');
    await clock.advance(4000);
    isShown(photoId);
    await clock.advance(1000);
    await waitForImage(stripId);
    for (const id of [panoramaId, animationId, copyId]) {
      await clock.advance(5000);
      await waitForImage(id);
    }
    await page.locator('#viewer.idle').waitFor();
    await clock.advance(5000);
    await page.locator('#slideshow[aria-pressed=false]').waitFor();
    isShown(copyId);
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    assert.ok(await page.getByRole('dialog').isVisible(), 'the key stops the slideshow first');
    assert.ok(
      !files.some((path) => path.includes(questionableCopyId)),
      'what is blurred does not load ahead',
    );
    await finish();
  });

  testDeep(
    'an animation plays on demand with reduced motion, and similar pictures open in the dialog',
    async () => {
      // The length of the history counts, so the page is a new one.
      const { page, requests, finish } = await visit(browser, `${origin}/?order=newest`, {
        viewport: wide,
        prepare: async () => {},
      });
      const length = (await page.evaluate('history.length')) as number;
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
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });

      // Going back shows the picture before, and closing the view.
      await page.locator(`[data-image="${photoId}"]`).click();
      const items = page.locator('.similar li');
      await items.first().waitFor();
      assert.equal(await items.count(), 2);
      assert.equal(await items.locator('.unblur').count(), 1);
      await items.locator('img.loaded').waitFor();
      assert.deepEqual(await findViolationsAtDepth(page), []);
      assert.ok(!files.some((file) => file.includes(questionableCopyId)), 'no file of a blurred picture');
      await items.locator(`a[data-image="${copyId}"]`).click();
      await page.waitForURL(`**/?order=newest&image=${copyId}`);
      assert.equal(await page.evaluate('document.activeElement.id'), 'detail-title');
      await page.goBack();
      await page.waitForURL(`**image=${photoId}`);
      await items.first().waitFor();
      assert.equal(requests.filter((request) => request === similarPath).length, 1, 'they are cached');
      await items.locator(`a[data-image="${copyId}"]`).click();
      await page.waitForURL(`**image=${copyId}`);
      await page.getByRole('button', { name: 'Close' }).click();
      await page.waitForURL(`${origin}/?order=newest`);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate('history.length'), length + 2);
      await finish();
    },
  );

  testDeep(
    'similar pictures wait for the picture, for their turn, and until they come into view',
    async () => {
      const clock = new TestClock();
      const config = makeConfig({ RATE_LIMIT: 'on' });
      const limited = await startService(config, { clock: clock.now });
      const release = Promise.withResolvers<void>();
      const statuses: number[] = [];
      const { page, requests, finish } = await visit(
        browser,
        `${limited.origin}/?order=newest&image=${photoId}`,
        {
          viewport: { width: 390, height: 844 },
          async prepare(context) {
            await clock.install(context);
            await context.route('**/files/**', (route) => release.promise.then(() => route.continue()));
            context.on('response', (response) => {
              if (response.url().includes('/api/')) statuses.push(response.status());
            });
          },
        },
      );
      await clock.advanceUntilVisible(page.locator('#next:enabled'));
      await page.locator('.similar').scrollIntoViewIfNeeded();
      assert.ok(!requests.includes(similarPath));
      await page.evaluate("document.getElementById('viewer').scrollTop = 0");
      release.resolve();
      await page.locator('#stage img.loaded').waitFor();
      assert.ok(!requests.includes(similarPath));
      await page.locator('.similar').scrollIntoViewIfNeeded();
      await clock.advanceUntilVisible(page.locator('.similar li').first());
      await page.keyboard.press('ArrowRight');
      await page.waitForURL((url) => !url.search.includes(photoId));
      assert.deepEqual(statuses, [200, 200, 200]);
      assert.deepEqual(requests.slice(2), [similarPath]);
      await finish();
    },
  );
});
