/** The studio in Chromium: signing in, the grid, the keyboard, undo after a reload, conflicts, filters and entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolations, findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium } from '../support/browser/browser.ts';
import {
  openStudioPages,
  waitForMessage,
  waitForPanel,
  waitForUndo,
} from '../support/browser/studio-page.ts';
import { testDeep } from '../support/depth.ts';
import { runCommand } from '../support/zukan/program.ts';

const IMAGES = 30;

describeInChromium('the studio', async () => {
  const { config, open } = await openStudioPages(IMAGES);

  test('a person rates and tags with the keyboard alone, undoes it after a reload, and selects with the mouse', async () => {
    const { page, finish } = await open();
    await page.keyboard.press('ArrowRight');
    await waitForPanel(page, 'One picture');
    await page.keyboard.press('3');
    await waitForUndo(page, 'rate nsfw: 1 image');
    await page.locator('#tile-1[aria-selected="true"]').waitFor();
    await page.locator('#tile-0[data-rating="nsfw"]').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await waitForPanel(page, '2 pictures');
    await page.keyboard.press('c');
    await page.keyboard.type('brand new');
    await page.locator('.combobox li', { hasText: 'Create “brand new”' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Enter');
    await waitForUndo(page, 'add brand new: 2 images');
    await page.locator('.entries li', { hasText: 'brand new' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('.');
    await waitForUndo(page, 'add brand new: 1 image');
    // A key right after another one applies to what is selected by then.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('2');
    await waitForUndo(page, 'rate questionable: 2 images');
    await page.reload();
    await page.locator('.tile[data-rating]').first().waitFor();
    await waitForUndo(page, 'rate questionable: 2 images');
    for (const next of ['add brand new: 1 image', 'add brand new: 2 images', 'rate nsfw']) {
      await page.keyboard.press('z');
      await waitForUndo(page, next);
    }
    await page.keyboard.press('z');
    await waitForMessage(page, 'Undone');
    await page.locator('#undo:disabled').waitFor();
    await page.locator('#tile-0[data-rating="nsfw"]').waitFor({ state: 'detached' });

    await page.locator('#tile-1').click();
    await page.locator('#tile-3').click({ modifiers: ['Shift'] });
    await waitForPanel(page, '3 pictures');
    await page.locator('#tile-2').click({ modifiers: ['Control'] });
    await waitForPanel(page, '2 pictures');
    await page.keyboard.press('Control+a');
    await waitForPanel(page, `${IMAGES} pictures`);
    await page.getByRole('button', { name: 'Remove sea' }).click();
    await waitForUndo(page, `remove sea: ${IMAGES} images`);
    await page.locator('#grid').press('z');
    await page.locator('.entries li', { hasText: 'sea' }).waitFor();
    await page.keyboard.press('Escape');
    await waitForPanel(page, 'Nothing selected');

    // Categories at hand have keys, a pasted list asks once about new ones, and the empty panel leads to what is to do.
    await page.locator('#tile-0').click();
    await waitForPanel(page, 'One picture');
    const name = (await page.locator('.tags .chip').first().textContent())?.slice(1) as string;
    await page.keyboard.press('4');
    await page.locator('#panel .entries li', { hasText: name }).waitFor();
    await page.keyboard.press('c');
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'alpha, ${name}; beta');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    }`);
    await page.locator('dialog p', { hasText: 'These do not exist yet: alpha, beta.' }).waitFor();
    await page.getByRole('button', { name: 'Create and add' }).click();
    await page.locator('#panel .entries li', { hasText: 'beta' }).waitFor();
    await page.locator('#tile-1').click();
    await page.getByRole('button', { name: 'Add alpha, which pictures nearby have' }).click();
    await page.locator('#panel .entries li', { hasText: 'alpha' }).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.locator('#grid').press('z');
    await page.locator('#panel .entries li', { hasText: 'alpha' }).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.locator('#undo:disabled, #undo:not(:has-text("alpha"))').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /categor.* without pictures/ }).click();
    await page.locator('h1', { hasText: 'Categories' }).waitFor();
    assert.equal(await page.getByLabel('Which entries').inputValue(), 'unused');
    await finish();
  });

  /** Lets a person do something before the server answers. */
  async function delayAnswers(page: Page) {
    let held = Promise.withResolvers<void>();
    held.resolve();
    let changes = 0;
    await page.route(/\/(change|data)\/[^?]/, async (route) => {
      if (route.request().url().includes('/change/')) changes++;
      await held.promise;
      // The page may no longer want it.
      await route.continue().catch(() => {});
    });
    return {
      changes: () => changes,
      beforeAnswers(work: () => Promise<void>) {
        held = Promise.withResolvers();
        return work().finally(held.resolve);
      },
    };
  }

  test('a person who is faster than the server changes what they see, and not what others have changed', async () => {
    const { page, finish } = await open();
    const { beforeAnswers } = await delayAnswers(page);
    await page.locator('#tile-0').click();
    await waitForPanel(page, 'One picture');
    const rate = (rating: string) => page.locator(`.toggles button[value="${rating}"]`).click();
    await beforeAnswers(async () => {
      for (const _ of [1, 2]) {
        await rate('nsfw');
        await page.keyboard.press('Control+z');
      }
      await rate('questionable');
      await page.locator('#grid').press('ArrowRight');
    });
    await waitForUndo(page, 'rate questionable: 1 image');
    await page.locator('#tile-0[data-rating="questionable"]').waitFor();
    const id = (await page.locator('#tile-0 img').getAttribute('src'))?.split('/')[2] as string;
    await page.locator('#grid').press('ArrowLeft');
    await page.locator('#panel .form:not(.loading)').waitFor();

    // Somebody else has changed the picture: what was queued is refused, and an undo of it undoes nothing else.
    const environment = { DATA_DIR: config.dataDir };
    assert.equal((await runCommand(['edit', id, '--rating', 'nsfw'], environment)).status, 0);
    await beforeAnswers(async () => {
      await rate('sfw');
      await rate('sfw');
      await page.keyboard.press('Control+z');
    });
    await waitForMessage(page, '1 image changed meanwhile; look again');
    await page.locator('.toggles button[value="nsfw"][aria-pressed="true"]').waitFor();
    await waitForUndo(page, 'rate questionable: 1 image');
    const { output } = await runCommand(['history', '--limit', '1'], environment);
    const [number = ''] = /^\d+/m.exec(output) ?? [];
    assert.equal((await runCommand(['undo', number], environment)).status, 0);
    await page.locator('#undo').click();
    await page.locator('#undo:disabled').waitFor();

    await finish(['409']);
  });

  testDeep('a slow server neither mixes up pages nor texts, and a dialog saves once', async () => {
    const { page, finish } = await open();
    const { beforeAnswers, changes } = await delayAnswers(page);
    await page.locator('#tile-0').click();
    await waitForPanel(page, 'One picture');
    const source = page.getByLabel('Name of the source');
    await source.fill('of the first');
    await source.press('Enter');
    await waitForUndo(page, 'change the source: 1 image');
    await source.press('Escape');
    await beforeAnswers(async () => {
      await page.locator('#grid').press('ArrowRight');
      await page.keyboard.press('s');
      assert.equal(await source.inputValue(), '');
    });
    await page.locator('#panel .form:not(.loading)').waitFor();
    assert.notEqual(await source.inputValue(), 'of the first');
    await page.locator('#undo').click();
    await page.locator('#undo:disabled').waitFor();

    // The list of the page before does not replace that of this one, and a dialog saves once.
    const sea = page.locator('tbody').getByRole('button', { name: 'sea', exact: true });
    const late = Promise.withResolvers<void>();
    await page.route('**/data/entries?kind=artist', async (route) => {
      await late.promise;
      await route.continue().catch(() => {});
    });
    await page.getByRole('link', { name: 'Artists' }).click();
    await page.getByRole('link', { name: 'Categories' }).click();
    await sea.waitFor();
    late.resolve();
    await page.evaluate(() => fetch('/data/session'));
    await sea.waitFor();
    await beforeAnswers(async () => {
      await page.getByRole('link', { name: 'Characters' }).click();
      await page.locator('h1', { hasText: 'Characters' }).waitFor();
      assert.equal(await page.locator('tbody tr').count(), 0);
    });
    await page.getByRole('link', { name: 'Categories' }).click();
    await sea.waitFor();
    await page.getByRole('button', { name: 'Create…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('once');
    const before = changes();
    await beforeAnswers(async () => {
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
    });
    await page.locator('dialog').waitFor({ state: 'hidden' });
    assert.equal(changes(), before + 1);
    await waitForUndo(page, 'create the category once');
    await page.locator('#undo').click();
    await page.locator('#undo:disabled').waitFor();
    await finish();
  });

  testDeep(
    'entries are renamed and merged, and Enter before the suggestions arrive means what was typed',
    async () => {
      const { page, finish } = await open();
      let held = Promise.withResolvers<void>();
      await page.route('**/data/suggestions?*', (route) =>
        held.promise.then(() => route.continue()).catch(() => {}),
      );
      const pressBeforeSuggestions = async (...keys: string[]) => {
        held = Promise.withResolvers();
        for (const key of keys) await page.keyboard.press(key);
        held.resolve();
      };
      await page.keyboard.press('ArrowRight');
      await waitForPanel(page, 'One picture');
      await pressBeforeSuggestions('c', 'm', 'o', 'Enter', 'Escape', 'ArrowRight');
      await waitForUndo(page, 'add moon: 1 image');
      await page.keyboard.press('ArrowLeft');
      await page.locator('.entries li', { hasText: 'moon' }).waitFor();
      await page.keyboard.press('z');
      await page.locator('#undo:disabled').waitFor();
      await page.getByRole('link', { name: 'Categories' }).click();
      await page.locator('tbody').getByRole('button', { name: 'city', exact: true }).click();
      await page.getByRole('button', { name: 'Merge…' }).click();
      await pressBeforeSuggestions('s', 'e', 'Enter');
      await page.locator('dialog p', { hasText: 'city becomes another name of sea' }).waitFor();
      await pressBeforeSuggestions('n', 'o', 'x', 'Enter');
      await page.locator('dialog .note', { hasText: 'There is no category “nox”.' }).waitFor();
      assert.deepEqual(await findViolationsAtDepth(page), []);
      await page.getByRole('button', { name: 'Cancel' }).click();

      await page.locator('tbody').getByRole('button', { name: 'moon', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('luna');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('tr', { hasText: 'luna' }).filter({ hasText: 'moon' }).waitFor();
      await page.locator('tbody button:focus').waitFor();
      await page.locator('tbody').getByRole('button', { name: 'city', exact: true }).click();
      await page.getByRole('button', { name: 'Merge…' }).click();
      await page.keyboard.type('lun');
      await page.locator('dialog .combobox li', { hasText: 'luna' }).click();
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.locator('tr', { hasText: 'luna' }).filter({ hasText: 'city' }).waitFor();
      await page.getByLabel('Which entries').selectOption('unused');
      await page.locator('tbody tr').waitFor({ state: 'detached' });
      await page.locator('#undo').click();
      await page.locator('#undo', { hasText: 'change the category moon' }).waitFor();
      await page.locator('#undo').click();
      await page.locator('#undo:disabled').waitFor();
      await finish();
    },
  );
});
