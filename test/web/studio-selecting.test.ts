/** The studio in Chromium: one picture large, selecting with boxes, areas and keys, and everything with fingers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium } from '../support/browser/browser.ts';
import {
  openStudioPages,
  waitForMessage,
  waitForPanel,
  waitForUndo,
} from '../support/browser/studio-page.ts';
import { testDeep } from '../support/depth.ts';
import { until } from '../support/until.ts';

const IMAGES = 30;

describeInChromium('the studio', async () => {
  const { open } = await openStudioPages(IMAGES);
  const place = (page: Page, text: string) =>
    page.locator('#loupe-place', { hasText: new RegExp(`^${text} of`) }).waitFor();

  test('a person rates, tags, zooms and undoes in the large view, which gives the keyboard back', async () => {
    const { page, finish } = await open();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.keyboard.press('ArrowRight');
    await waitForPanel(page, 'One picture');
    await page.keyboard.press('Space');
    await place(page, '1');
    await page.locator('#loupe:focus').waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    const addressOf = (index: number) => page.locator(`#tile-${index} img`).getAttribute('src');
    const [next, afterNext] = [await addressOf(1), await addressOf(2)].map((address) =>
      address?.replace(/256$/, '1024'),
    );
    await page
      .locator('#stage img')
      .last()
      .evaluate((image: HTMLImageElement) => image.decode());
    assert.ok(
      loaded.includes(next ?? '') && loaded.includes(afterNext ?? ''),
      'the next pictures are loaded ahead',
    );

    await page.keyboard.press('3');
    await place(page, '2');
    await waitForUndo(page, 'rate nsfw: 1 image');
    await page.keyboard.press('c');
    await page.keyboard.type('large');
    await page.keyboard.press('Enter');
    await waitForUndo(page, 'add large: 1 image');
    await page.keyboard.press('Escape');
    await page.locator('#loupe:focus').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('.');
    await page.locator('.entries li', { hasText: 'large' }).waitFor();
    await place(page, '3');
    const zoom = page.locator('#loupe-zoom');
    const scale = () => page.locator('#stage .frame').evaluate(({ style }) => style.transform);
    // A pixel of the file is a pixel of the screen; this picture fits with more, so it is doubled.
    await page.keyboard.press('z');
    assert.deepEqual([await zoom.textContent(), await zoom.getAttribute('aria-pressed')], ['200 %', 'true']);
    assert.match(await scale(), /scale\(2\)/);
    // On a busy machine, the second click may come too late.
    await until('the picture fits again', async () => {
      await page.locator('#stage').dblclick({ position: { x: 200, y: 100 } });
      return (await zoom.textContent()) === '100 %';
    });
    assert.equal(await scale(), '');
    await page.getByLabel('Next after rating').uncheck();
    await page.locator('.toggles button[value="questionable"]').click();
    await waitForUndo(page, 'rate questionable: 1 image');
    await place(page, '3');
    await page.getByLabel('Next after rating').check();
    await page.keyboard.press('End');
    await place(page, String(IMAGES));
    await page.keyboard.press('Escape');
    await page.locator('#grid:focus').waitFor();
    await page.locator(`#tile-${IMAGES - 1}[aria-selected="true"]`).waitFor();
    assert.equal(await page.locator('#loupe').isVisible(), false);
    // The browser has gone back in its history.
    await page.waitForFunction(() => !history.state?.isLoupe);
    await page.locator(`#tile-${IMAGES - 1}`).dblclick();
    await place(page, String(IMAGES));
    // Back of the browser closes it too, also on a phone.
    await page.goBack();
    await page.locator('#grid:focus').waitFor();
    assert.equal(await page.locator('#loupe').isVisible(), false);
    await page.goForward();
    await place(page, String(IMAGES));
    await page.getByRole('button', { name: 'Previous picture' }).click();
    await place(page, String(IMAGES - 1));
    // A picture that is removed is followed by the next one.
    await page.keyboard.press('Delete');
    await page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
    await waitForUndo(page, 'move 1 image to the trash');
    await page.locator('#loupe-place', { hasText: `${IMAGES - 1} of ${IMAGES - 1}` }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('#loupe-place', { hasText: `${IMAGES} of ${IMAGES}` }).waitFor();
    // Each press undoes the step before the one of the last press, also if the server has answered none of them yet.
    await waitForUndo(page, 'rate questionable');
    let held = Promise.withResolvers<void>();
    await page.route('**/change/*', async (route) => {
      await held.promise;
      await route.continue();
    });
    for (const _ of ['rate questionable', 'add large', 'add large']) await page.keyboard.press('Control+z');
    held.resolve();
    await waitForUndo(page, 'rate nsfw');
    await page.keyboard.press('Control+z');
    await page.locator('#undo:disabled').waitFor();
    await page.keyboard.press('Home');
    await place(page, '1');
    held = Promise.withResolvers();
    await page.keyboard.down('2');
    // The key is held a little too long.
    await page.keyboard.down('2');
    await page.keyboard.up('2');
    await page.keyboard.press('Control+z');
    held.resolve();
    await waitForMessage(page, 'Undone: rate questionable');
    await page.locator('#undo:disabled').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('#lists h1').waitFor();
    assert.equal(await page.locator('#loupe').isVisible(), false);
    await finish();
  });

  testDeep(
    'boxes, areas and keys select, and the browser remembers the size of tiles and their captions',
    async () => {
      const { page, finish } = await open();
      for (const index of [0, 2]) {
        await page.locator(`#tile-${index}`).hover();
        await page.locator(`#tile-${index} .box`).click();
      }
      await waitForPanel(page, '2 pictures');
      await page.keyboard.press('Control+ArrowRight');
      await page.keyboard.press('x');
      await waitForPanel(page, '3 pictures');
      const box = async (index: number) => {
        const found = await page.locator(`#tile-${index}`).boundingBox();
        assert.ok(found);
        return { ...found, right: found.x + found.width, bottom: found.y + found.height };
      };
      const [first, second] = [await box(0), await box(1)];
      // From the gap left of the second tile into it, while the others stay.
      await page.keyboard.down('Control');
      await page.mouse.move(first.right + 2, first.y + 20);
      await page.mouse.down();
      await page.mouse.move(second.x + 40, second.y + 60, { steps: 3 });
      await page.locator('.rectangle').waitFor();
      await page.mouse.up();
      await page.keyboard.up('Control');
      await waitForPanel(page, '4 pictures');
      // Behind the lower edge, it scrolls until the last row.
      const columns = (await page.evaluate(`Math.round(
      document.querySelector('.space').clientWidth / (document.querySelector('.tile').clientWidth + 10))`)) as number;
      const rows = Math.ceil(IMAGES / columns);
      // On an unselected tile: a selected one would be moved. Escape works while nothing has the focus, too.
      await page.locator('#grid').evaluate((grid) => grid.blur());
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('.tile[aria-selected="true"]').count(), 0);
      await page.mouse.move(first.x + 5, first.y + 5);
      await page.mouse.down();
      await page.mouse.move(first.x + 60, 400, { steps: 2 });
      await page.mouse.move(first.x + 60, 700);
      await page.locator(`#tile-${(rows - 1) * columns}[aria-selected="true"]`).waitFor();
      await page.mouse.up();
      await waitForPanel(page, `${rows} pictures`);
      await page.getByRole('button', { name: 'Select all' }).click();
      await waitForPanel(page, `${IMAGES} pictures`);

      // Selected pictures are dropped on an album, and ordered in it with the mouse, keys and buttons.
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await waitForPanel(page, '3 pictures');
      const drag = async (from: number, x: number, y: number) => {
        const start = await box(from);
        await page.mouse.move(start.x + 40, start.y + 40);
        await page.mouse.down();
        await page.mouse.move(start.x + 60, start.y + 60, { steps: 2 });
        await page.mouse.move(x, y, { steps: 2 });
      };
      await drag(0, 500, 300);
      const target = await page.locator('#album-drop li', { hasText: 'New album' }).boundingBox();
      assert.ok(target);
      await page.mouse.move(target.x + 20, target.y + 10, { steps: 2 });
      await page.locator('#album-drop li.over').waitFor();
      await page.mouse.up();
      await page.locator('dialog input').fill('Drawer');
      await page.keyboard.press('Enter');
      await waitForUndo(page, 'add to Drawer: 3 images');
      await page.getByRole('link', { name: 'Albums' }).click();
      await page.getByRole('button', { name: '3: show the pictures of Drawer' }).click();
      await page.locator('#count', { hasText: /^3$/ }).waitFor();
      assert.match(page.url(), /[?&]album=[0-9a-f-]{36}\+Drawer/);
      const sources = () =>
        page
          .locator('.tile img')
          .evaluateAll((images) =>
            images
              .sort((a, b) => Number(a.parentElement?.dataset.index) - Number(b.parentElement?.dataset.index))
              .map((image) => image.getAttribute('src')),
          );
      const [a, b, c] = await sources();
      const expectOrder = async (undo: string, ...order: (string | null | undefined)[]) => {
        await page.locator(`#tile-0 img[src="${order[0]}"]`).waitFor();
        await page.locator(`#tile-1 img[src="${order[1]}"]`).waitFor();
        await waitForUndo(page, undo);
        assert.deepEqual(await sources(), order);
      };
      await page.locator('#tile-0').click();
      await page.keyboard.press('Alt+ArrowRight');
      await expectOrder('move 1 image', b, a, c);
      await page.locator('#tile-1[aria-selected="true"]').waitFor();
      await page.getByRole('button', { name: 'To end' }).click();
      await expectOrder('move 1 image', b, c, a);
      const goal = await box(0);
      await drag(2, goal.x + 5, goal.y + 50);
      await page.locator('.drop-marker').waitFor();
      await page.mouse.up();
      await expectOrder('move 1 image', a, b, c);
      await drag(0, goal.x + 400, goal.y + 50);
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await page.locator('#grid').press('Control+z');
      await expectOrder('move 1 image', b, c, a);
      for (const next of ['move 1 image', 'add to Drawer']) {
        await page.locator('#grid').press('Control+z');
        await waitForUndo(page, next);
      }
      await expectOrder('add to Drawer', a, b, c);
      await page.getByRole('button', { name: 'Remove the filter Drawer' }).click();
      await page.locator('#count', { hasText: new RegExp(`^${IMAGES}$`) }).waitFor();
      await page.locator('#grid').press('Control+z');
      await page.locator('#undo:disabled').waitFor();

      await page.getByLabel('Captions').selectOption('files');
      await page.getByLabel('Size of tiles').selectOption('large');
      await page.reload();
      await page
        .locator('.tile .caption', { hasText: /\.webp$/ })
        .first()
        .waitFor();
      const large = await box(0);
      assert.ok(large.width > 250 && large.height === large.width + 26);
      await finish();
    },
  );

  testDeep(
    'every way to pictures leaves the keyboard with them, and a phone rates what it shows large',
    async () => {
      const { page, finish } = await open();
      const focused = () => page.locator('#grid:focus').waitFor();
      await page.locator('.health button', { hasText: 'without an alternative text' }).focus();
      await page.keyboard.press('Enter');
      await focused();
      await page.locator('#show').selectOption('lacks=licence');
      await page.getByRole('button', { name: 'Remove the filter without a licence' }).click();
      await focused();
      await page
        .locator('.health button', { hasText: /pictures?$/ })
        .last()
        .click();
      await focused();
      await page.keyboard.press('ArrowRight');
      await page.locator('#tile-0[aria-selected="true"]').waitFor();
      await page.keyboard.press('Delete');
      await page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
      await waitForUndo(page, 'move 1 image to the trash');
      await focused();
      await page.keyboard.press('z');
      await page.locator('#undo:disabled').waitFor();
      await focused();

      await page.setViewportSize({ width: 390, height: 844 });
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await place(page, '1');
      const bar = page.locator('#bar');
      await bar.getByRole('button', { name: 'nsfw', exact: true }).click();
      await place(page, '2');
      await bar.getByRole('button', { name: 'Next' }).click();
      await place(page, '3');
      const heights = await bar
        .locator('.rate button')
        .evaluateAll((all) => all.map((one) => one.clientHeight));
      assert.ok(
        heights.every((height) => height >= 44),
        String(heights),
      );
      await bar.getByRole('button', { name: 'Undo' }).click();
      await page.locator('#undo:disabled').waitFor({ state: 'attached' });
      await finish();
    },
  );

  testDeep('fingers select, rate, tag, swipe and zoom on a phone', async () => {
    const { page, finish } = await open(undefined, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const cdp = await page.context().newCDPSession(page);
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
    const hold = async (index: number) => {
      const { x, y } = (await page.locator(`#tile-${index}`).boundingBox()) ?? { x: 0, y: 0 };
      await touch('touchStart', { x: x + 60, y: y + 60 });
      await page.locator(`#tile-${index}[aria-selected="true"]`).waitFor();
      await touch('touchEnd');
    };
    const count = (selected: number) =>
      page.locator('#selected-count', { hasText: new RegExp(`^${selected}$`) }).waitFor();
    const button = (name: string) => page.locator('#bar').getByRole('button', { name, exact: true });
    await hold(0);
    await page.locator('#tile-1').tap();
    await count(2);
    await hold(5);
    await count(6);
    await page.locator('#tile-2').tap();
    await count(5);
    await button('Edit').tap();
    await page.locator('.toggles button[value="nsfw"]').tap();
    await waitForUndo(page, 'rate nsfw: 5 images');
    await button('All').tap();
    await count(IMAGES);
    await page.getByRole('button', { name: `Deselect ${IMAGES}` }).tap();
    await page.locator('#bar').waitFor({ state: 'hidden' });
    // What needs attention has a page of its own, which leads to the pictures.
    await page.locator('#menu').tap();
    await page.getByRole('link', { name: 'Overview' }).tap();
    await page.locator('#lists .health button', { hasText: 'without a licence' }).tap();
    await page.locator('#tile-0').waitFor();
    assert.equal(await page.locator('#show').inputValue(), 'lacks=licence');

    await page.locator('#tile-0').tap();
    await page.locator('#tile-0').tap();
    await place(page, '1');
    await page.locator('.toggles button[value="sfw"]').tap();
    await place(page, '2');
    await page.getByRole('combobox', { name: 'Add a category' }).tap();
    await page.keyboard.type('cit');
    await page.locator('#panel .combobox li', { hasText: 'city' }).tap();
    await waitForUndo(page, 'add city: 1 image', 'attached');
    await touch('touchStart', { x: 300, y: 200 });
    for (const x of [250, 200, 150, 100]) await touch('touchMove', { x, y: 200 });
    await touch('touchEnd');
    await place(page, '3');
    // Not a tap: Chromium takes one right after a fling for the end of that.
    await button('Repeat').click();
    await page.locator('.entries li', { hasText: 'city' }).waitFor();
    await touch('touchStart', { x: 180, y: 200 }, { x: 220, y: 200 });
    for (const by of [20, 40, 60]) await touch('touchMove', { x: 180 - by, y: 200 }, { x: 220 + by, y: 200 });
    await touch('touchEnd');
    await page.locator('#loupe-zoom[aria-pressed="true"]').waitFor();
    await place(page, '3');
    await page.locator('#loupe-zoom').click();
    await page.locator('#loupe-zoom[aria-pressed="false"]').waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    for (const next of ['add city', 'rate sfw', 'rate nsfw']) {
      await button('Undo').tap();
      await waitForUndo(page, next, 'attached');
    }
    await button('Undo').tap();
    await page.locator('#undo:disabled').waitFor({ state: 'attached' });
    await button('Grid').tap();
    await count(1);
    await finish();
  });
});
