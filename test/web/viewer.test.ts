/** The viewer: opening and closing, neighbours, zoom, fingers, full screen, the slideshow, animations and blurred pictures. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium, startBrowser, visit } from '../support/browser/browser.ts';
import {
  animationId,
  copyId,
  importViewerCatalogue,
  panoramaId,
  photoId,
  questionableCopyId,
  stripId,
} from '../support/catalogues/viewer.ts';
import { startService } from '../support/zukan/service.ts';
import { TestClock } from './test-clock.ts';
import { boxOf, line, middleOf, picture, touch, waitForFile, waitUntilWider } from './viewer-helpers.ts';

const wide = { width: 1300, height: 1000 };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describeInChromium('the viewer', async () => {
  const { makeConfig, photo } = await importViewerCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();
  const dialog = (page: Page) => page.getByRole('dialog');
  const tile = (page: Page, id: string) => page.locator(`main .tile[data-id="${id}"] > a`);
  const waitForPicture = async (page: Page, id: string) => {
    await page.waitForURL(`**/pictures/${id}**`);
    await page.waitForFunction(
      (id) =>
        document.querySelector<HTMLImageElement>('#stage .frame:not(.leaving) img')?.complete &&
        document.querySelector('#panel .downloads a')?.getAttribute('href')?.includes(id),
      id,
    );
  };
  const open = async (id: string, options = {}) => {
    const opened = await visit(browser, `${origin}/newest`, options);
    await tile(opened.page, id).click();
    await waitForPicture(opened.page, id);
    return opened;
  };

  test('opens a picture at the address of its page, goes on with keys and buttons, and closes where it was', async () => {
    // The length of the history counts, so the page is a new one.
    const { page, finish } = await visit(browser, `${origin}/newest`, {
      viewport: wide,
      permissions: ['clipboard-read', 'clipboard-write'],
      prepare: async (context) =>
        context.addInitScript('navigator.share = async (data) => { globalThis.shared = data; }'),
    });
    const [title, length] = [await page.title(), await page.evaluate('history.length')];
    const href = await tile(page, photoId).getAttribute('href');
    await tile(page, photoId).click();
    await waitForPicture(page, photoId);
    assert.equal(page.url(), origin + href);
    assert.match(await page.title(), /^photo by A\/B: C/);
    assert.equal(await dialog(page).getByRole('heading', { level: 1 }).textContent(), 'photo');
    assert.deepEqual(await findViolationsAtDepth(page), []);

    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
    await page.evaluate(
      "navigator.clipboard.readText().then(() => document.querySelector('#panel [role=status]').textContent = '')",
    );
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    assert.deepEqual(await page.evaluate('shared'), { title: await page.title(), url: page.url() });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#panel .downloads a').first().click(),
    ]);
    assert.equal(download.suggestedFilename(), `photo-${photoId.slice(0, 8)}.jpg`);
    assert.deepEqual(await readFile(await download.path()), photo);

    assert.ok(await page.getByRole('button', { name: 'Previous picture' }).isHidden());
    await page.getByRole('button', { name: 'Next picture' }).click();
    await waitForPicture(page, stripId);
    await page.keyboard.press('0');
    await page.keyboard.press('ArrowRight');
    await waitForPicture(page, panoramaId);
    await page.keyboard.press('ArrowLeft');
    await waitForPicture(page, stripId);
    await page.keyboard.press('Escape');
    await page.waitForURL(`${origin}/newest`);
    await dialog(page).waitFor({ state: 'hidden' });
    assert.equal(await page.title(), title);
    assert.equal(await page.evaluate('document.activeElement.parentElement.dataset.id'), stripId);
    await page.keyboard.press('Enter');
    await waitForPicture(page, stripId);
    await page.goBack();
    await dialog(page).waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('history.length'), (length as number) + 1, 'no entry for each picture');

    // A reload shows the page of the picture, and going back from it the view.
    await page.goForward();
    await waitForPicture(page, stripId);
    await page.reload();
    await page.locator('.picture-page').waitFor();
    await page.goBack();
    await page.waitForURL(`${origin}/newest`);
    await tile(page, stripId).waitFor();
    await finish();
  });

  test('opens similar pictures, each an entry of the history, and shows blurred ones only when asked to', async () => {
    const { page, finish } = await visit(browser, `${origin}/newest`, {
      viewport: wide,
      prepare: async () => {},
    });
    const files: string[] = [];
    page.on('request', (request) => files.push(request.url()));
    await tile(page, photoId).click();
    const similar = page.locator('#panel .similar .tile');
    await similar.first().waitFor();
    assert.equal(await similar.count(), 2);
    await similar.locator(`a[href*="${copyId}"]`).click();
    await waitForPicture(page, copyId);
    await page.goBack();
    await waitForPicture(page, photoId);
    await similar.locator(`a[href*="${copyId}"]`).click();
    await waitForPicture(page, copyId);
    // Next to it in the view is a blurred one.
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/pictures/${questionableCopyId}**`);
    const show = page.locator('#stage .button');
    await show.waitFor();
    assert.ok(!page.url().includes('nsfw'), page.url());
    const isExplicit = (url: string) => url.includes(questionableCopyId) && /\.(webp|png)/.test(url);
    assert.ok(!files.some(isExplicit), 'no file of a blurred picture');
    assert.ok(await page.getByRole('button', { name: 'Zoom' }).isDisabled());
    await show.click();
    await page.waitForURL('**nsfw=questionable');
    await waitForPicture(page, questionableCopyId);
    await picture(page).waitFor();
    assert.ok(files.some(isExplicit));
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL(`${origin}/newest`);
    await dialog(page).waitFor({ state: 'hidden' });
    await tile(page, questionableCopyId).click();
    await waitForPicture(page, questionableCopyId);
    await finish();
  });

  test('zooms with the wheel, the mouse and keys, and has a full screen', async () => {
    const { page, finish } = await open(photoId);
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
    assert.ok(await dialog(page).isVisible(), 'the end of a drag is no click');
    await page.keyboard.press('ArrowRight');
    assert.equal((await boxOf(page)).x, moved.x - 80);
    assert.ok(page.url().includes(photoId));
    await page.mouse.dblclick(x, y);
    assert.deepEqual(await boxOf(page), fitted);
    for (const key of ['+', '=', '+', '-']) await page.keyboard.press(key);
    assert.equal(Math.round(((await boxOf(page)).width / fitted.width) * 100), 200);
    await page.keyboard.press('0');
    assert.deepEqual(await boxOf(page), fitted);

    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement?.id === 'viewer');
    await waitUntilWider(page, fitted);
    assert.ok(!(await page.locator('#panel').isVisible()));
    await page.keyboard.press('Escape');
    await page.locator('#panel').waitFor();
    await page.waitForFunction(() => !document.fullscreenElement);
    assert.ok(await dialog(page).isVisible());
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction(() => document.fullscreenElement);
    await page.getByRole('button', { name: 'Close' }).click();
    await dialog(page).waitFor({ state: 'hidden' });
    await page.waitForFunction(() => !document.fullscreenElement);
    await finish();
  });

  test('fingers pinch, which loads the original, move, tap twice and swipe', async () => {
    const { page, finish } = await open(photoId, {
      ...phone,
      prepare: (context: BrowserContext) =>
        context.addInitScript('Element.prototype.requestFullscreen = undefined'),
    });
    const fitted = await boxOf(page);
    const { x, y } = middleOf(fitted);
    await touch(page, line([x - 20, y], [x - 60, y]), line([x + 20, y], [x + 60, y]));
    const pinched = await boxOf(page);
    await waitForFile(page, 'original');
    assert.equal(Math.round(pinched.width / fitted.width), 3);
    await touch(page, line([x, y], [x - 100, y]));
    assert.ok((await boxOf(page)).x < pinched.x - 80);
    assert.ok(page.url().includes(photoId), 'moving an enlarged picture is no swipe');
    await page.keyboard.press('0');
    await touch(page, line([x, y], [x - 40, y]));
    assert.deepEqual(await boxOf(page), fitted, 'a short swipe does nothing');
    await touch(page, line([x + 100, y], [x - 100, y]));
    await waitForPicture(page, stripId);
    const strip = await boxOf(page);
    assert.deepEqual(
      [Math.round(strip.width), Math.round(strip.y) + 0],
      [phone.viewport.width, 0],
      'its top',
    );
    await page.keyboard.press('0');
    await touch(page, line([x - 100, y], [x + 100, y]));
    await waitForPicture(page, photoId);

    // Without the API for full screens, the picture fills the page.
    await page.getByRole('button', { name: 'Full screen' }).click();
    const { width, height } = (await page.locator('#stage').boundingBox()) ?? {};
    assert.deepEqual({ width, height }, phone.viewport);
    await page.keyboard.press('f');

    // A tap hides the controls. Up are the properties, down the picture and then the view.
    await page.touchscreen.tap(x, y);
    await page.locator('#viewer.idle').waitFor();
    await page.getByRole('button', { name: 'Full screen' }).focus();
    const scrolled = () => page.locator('#viewer').evaluate(({ scrollTop }) => scrollTop);
    await touch(page, line([x, y], [x, y - 150]));
    assert.ok((await scrolled()) > 100);
    await touch(page, line([x, 100], [x, 250]));
    assert.equal(await scrolled(), 0);
    await touch(page, line([x, y], [x, y + 150]));
    await dialog(page).waitFor({ state: 'hidden' });
    await finish();
  });

  test('hides the details for good, and plays a slideshow that waits for the visitor', async () => {
    const clock = new TestClock();
    const { page, finish } = await visit(browser, `${origin}/newest`, {
      viewport: wide,
      prepare: clock.install,
    });
    await tile(page, photoId).click();
    await waitForPicture(page, photoId);
    await page.keyboard.press('i');
    assert.ok(!(await page.locator('#panel').isVisible()));
    await page.goBack();
    await page.reload();
    await tile(page, photoId).click();
    await waitForPicture(page, photoId);
    assert.ok(!(await page.locator('#panel').isVisible()), 'it is remembered');
    await page.keyboard.press('i');
    assert.ok(await page.locator('#panel').isVisible());

    const button = page.getByRole('button', { name: 'Slideshow' });
    const isShown = (id: string) => assert.ok(page.url().includes(id), page.url());
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
    await waitForPicture(page, stripId);
    for (const id of [panoramaId, animationId, copyId]) {
      await clock.advance(5000);
      await waitForPicture(page, id);
    }
    await page.locator('#viewer.idle').waitFor();
    await clock.advance(5000);
    await page.locator('.slideshow[aria-pressed=false]').waitFor();
    isShown(copyId);
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    assert.ok(await dialog(page).isVisible(), 'the key stops the slideshow first');
    await finish();
  });

  test('an animation plays on demand with reduced motion, in the viewer and on its page', async () => {
    const { page, finish } = await open(animationId);
    await waitForFile(page, '40.webp');
    await page.getByRole('button', { name: 'Play animation' }).click();
    await waitForFile(page, 'original.gif');
    await page.getByRole('button', { name: 'Stop animation' }).click();
    await waitForFile(page, '40.webp');
    await page.reload();
    await page.getByRole('button', { name: 'Play animation' }).click();
    await page.waitForFunction(() =>
      document.querySelector<HTMLImageElement>('.full img')?.src.includes('original'),
    );
    await finish();
  });

  test('a phone loads no more of a tall picture than it shows', async () => {
    const { page, finish } = await visit(browser, `${origin}/pictures/${stripId}`, phone);
    const { slot, shown } = await page.locator('.stage img').evaluate((image: HTMLImageElement) => {
      const probe = document.body.appendChild(document.createElement('div'));
      probe.style.width = image.sizes.replace(/^.*?\) (.*), min.*$/, '$1');
      const { clientWidth, clientHeight } = image.closest('.stage') as Element;
      const ratio = Number(image.getAttribute('width')) / Number(image.getAttribute('height'));
      return {
        slot: probe.getBoundingClientRect().width,
        shown: Math.min(clientWidth, clientHeight * ratio),
      };
    });
    assert.ok(Math.abs(slot - shown) < 2, `${slot} for ${shown}`);
    await finish();
  });

  test('the picture of a page opens in the viewer, which goes on with the similar ones', async () => {
    const { page, finish } = await visit(browser, `${origin}/pictures/${photoId}`, { viewport: wide });
    await page.locator('.stage > .full').click();
    await waitForPicture(page, photoId);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.pathname.includes(photoId));
    await page.keyboard.press('Escape');
    await page.waitForURL(`${origin}/pictures/${photoId}`);
    await dialog(page).waitFor({ state: 'hidden' });
    await finish();
  });
});
