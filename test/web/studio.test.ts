/** The studio in Chromium: signing in, the keyboard, undo after a reload, conflicts, entries, removal, accessibility. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startStudio } from '../../src/commands/studio.ts';
import { findViolations } from '../support/accessibility.ts';
import { startBrowser, type Visit, visit } from '../support/browser.ts';
import { tamper } from '../support/engines.ts';
import { importGalleryCatalogue } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { runCommand } from '../support/program.ts';
import { tinyPicture } from '../support/tiny.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const IMAGES = 60;

describe('the studio', { skip }, async () => {
  if (skip) return;
  // Before the folder of the catalogue is removed: at its end, the studio deletes files.
  after(() => studio[Symbol.asyncDispose]());
  const config = (await importGalleryCatalogue(IMAGES))();
  const studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  const browser = await startBrowser();
  const open = async (): Promise<Visit> => {
    const opened = await visit(browser, studio.newAddress(), { viewport: { width: 1300, height: 800 } });
    await opened.page.locator('.tile[data-rating]').first().waitFor();
    return opened;
  };
  const undoLabel = (page: Page) => page.locator('#undo').textContent();
  /** The label of the button, once it is this one. */
  const waitForUndo = (page: Page, text: string) => page.locator('#undo', { hasText: text }).waitFor();
  const heading = (page: Page, text: string) => page.locator('#panel h2', { hasText: text }).waitFor();
  const undo = async (page: Page) => {
    await page.keyboard.press('z');
    await page.locator('#toast', { hasText: 'Undone' }).waitFor();
  };

  test('the secret leaves the address, and only a part of the pictures is in the document', async () => {
    const { page, finish } = await open();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/');
    assert.equal(await page.locator('#count').textContent(), String(IMAGES));
    assert.ok((await page.locator('.tile').count()) < IMAGES);
    await page.locator('#grid').press('End');
    await page.locator(`#tile-${IMAGES - 1}`).waitFor();
    assert.equal(await page.locator('#tile-0').count(), 0);
    await page.locator('#grid').press('Home');
    await page.locator('#tile-0').waitFor();
    await finish();
  });

  test('a person rates and tags with the keyboard alone, and undoes it after a reload', async () => {
    const { page, finish } = await open();
    await page.keyboard.press('ArrowRight');
    await heading(page, 'One picture');
    await page.keyboard.press('3');
    await waitForUndo(page, 'Rate nsfw: 1 picture');
    await page.locator('#tile-1[aria-selected="true"]').waitFor();
    await page.locator('#tile-0[data-rating="nsfw"]').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await heading(page, '2 pictures');
    await page.keyboard.press('c');
    await page.keyboard.type('brand new');
    await page.locator('.combobox li', { hasText: 'Create “brand new”' }).waitFor();
    await page.keyboard.press('Enter');
    await waitForUndo(page, 'Add brand new: 2 pictures');
    await page.locator('.entries li', { hasText: 'brand new' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('.');
    await waitForUndo(page, 'Add brand new: 1 picture');
    // A key right after another one applies to what is selected by then.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('2');
    await waitForUndo(page, 'Rate questionable: 2 pictures');
    await page.reload();
    await page.locator('.tile[data-rating]').first().waitFor();
    for (const next of ['Add brand new: 1 picture', 'Add brand new: 2 pictures', 'Rate nsfw']) {
      await page.keyboard.press('z');
      await waitForUndo(page, next);
    }
    await undo(page);
    await page.locator('#undo:disabled').waitFor();
    await page.locator('#tile-0[data-rating="nsfw"]').waitFor({ state: 'detached' });
    await finish();
  });

  test('ranges, all pictures, and removing an entry from all of them with the mouse', async () => {
    const { page, finish } = await open();
    await page.locator('#tile-1').click();
    await page.locator('#tile-3').click({ modifiers: ['Shift'] });
    await heading(page, '3 pictures');
    await page.locator('#tile-2').click({ modifiers: ['Control'] });
    await heading(page, '2 pictures');
    await page.keyboard.press('Control+a');
    await heading(page, `${IMAGES} pictures`);
    await page.getByRole('button', { name: 'Remove sea' }).click();
    await waitForUndo(page, `Remove sea: ${IMAGES} pictures`);
    await page.locator('#grid').press('z');
    await page.locator('.entries li', { hasText: 'sea' }).waitFor();
    await page.keyboard.press('Escape');
    await heading(page, 'Nothing selected');
    await finish();
  });

  test('filters and order are kept in the address', async () => {
    const { page, finish } = await open();
    await page.selectOption('#rating-filter', 'questionable');
    await page.locator('#count', { hasText: /^7$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Filter by name' }).fill('cit');
    await page.locator('.combobox li', { hasText: 'city' }).click();
    await page.locator('#count', { hasText: /^2$/ }).waitFor();
    await page.selectOption('#order', 'oldest');
    await page.reload();
    await page.locator('#count', { hasText: /^2$/ }).waitFor();
    assert.equal(await page.locator('#order').inputValue(), 'oldest');
    await page.getByRole('button', { name: 'Remove the filter city' }).click();
    await page.locator('#count', { hasText: /^7$/ }).waitFor();
    await page.selectOption('#rating-filter', '');
    await page.selectOption('#show', 'without=character');
    await page.locator('#empty').waitFor();
    await finish();
  });

  test('a change based on an old state is refused, and the new state is shown', async () => {
    const { page, finish } = await open();
    await page.keyboard.press('ArrowRight');
    await heading(page, 'One picture');
    const id = (await page.locator('#panel .head img').getAttribute('src'))?.split('/')[2] as string;
    const environment = { DATA_DIR: config.dataDir };
    assert.equal((await runCommand(['edit', id, '--rating', 'nsfw'], environment)).status, 0);
    await page.locator('.toggles button[value="sfw"]').click();
    await page.locator('#toast', { hasText: '1 picture changed meanwhile; look again' }).waitFor();
    await page.locator('.toggles button[value="nsfw"][aria-pressed="true"]').waitFor();
    assert.equal(await undoLabel(page), 'Undo');
    await finish(['409']);
  });

  test('entries are renamed and merged', async () => {
    const { page, finish } = await open();
    await page.getByRole('link', { name: 'Categories' }).click();
    await page.locator('tbody').getByRole('button', { name: 'moon', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('luna');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('tr', { hasText: 'luna' }).filter({ hasText: 'moon' }).waitFor();
    await page.locator('tbody').getByRole('button', { name: 'city', exact: true }).click();
    await page.getByRole('button', { name: 'Merge…' }).click();
    await page.keyboard.type('lun');
    await page.locator('dialog .combobox li', { hasText: 'luna' }).click();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.locator('tr', { hasText: 'luna' }).filter({ hasText: 'city' }).waitFor();
    await page.getByLabel('Which entries').selectOption('unused');
    await page.locator('tbody tr').waitFor({ state: 'detached' });
    await page.locator('#undo').click();
    await page.locator('#undo', { hasText: 'Change the category moon' }).waitFor();
    await page.locator('#undo').click();
    await page.locator('#undo:disabled').waitFor();
    await finish();
  });

  test('a removed picture can be restored', async () => {
    const { page, finish } = await open();
    await page.keyboard.press('ArrowRight');
    await heading(page, 'One picture');
    await page.keyboard.press('Delete');
    await page.keyboard.type('asked to');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.locator('#count', { hasText: String(IMAGES - 1) }).waitFor();
    await page.getByRole('link', { name: 'Removed' }).click();
    await page.locator('tr', { hasText: 'asked to' }).getByRole('button', { name: 'Restore' }).click();
    await page.locator('#lists p', { hasText: 'Nothing was removed.' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('#count', { hasText: String(IMAGES) }).waitFor();
    await finish();
  });

  test('of pictures that look alike, one can be kept', async () => {
    const before = (await runCommand(['export'], { DATA_DIR: config.dataDir })).output;
    const rows = [1, 2].map((image) => `(${image}, '${'0f'.repeat(16)}')`);
    tamper(config, `insert or replace into perceptual_hash (image, hash) values ${rows.join()}`);
    const { page, finish } = await open();
    await page.getByRole('link', { name: 'Review' }).click();
    const group = page.locator('.alike').filter({ has: page.locator('li') });
    await group.first().waitFor();
    assert.deepEqual(await findViolations(page, 'light'), []);
    await group.first().getByRole('button').first().click();
    await page.locator('#toast', { hasText: 'You can undo this.' }).waitFor();
    await page.locator('#undo').click();
    await page.locator('#toast', { hasText: 'Undone: Remove' }).waitFor();
    const sorted = (text: string) => text.split('\n').sort();
    const { output } = await runCommand(['export'], { DATA_DIR: config.dataDir });
    assert.deepEqual(sorted(output), sorted(before));
    await finish();
  });

  test('pictures are added with a rating and tags, and refused ones say why', async () => {
    const { page, finish } = await open();
    await page.getByRole('link', { name: 'Add', exact: true }).click();
    await page
      .locator('.drop input')
      .first()
      .setInputFiles([
        { name: 'one.png', mimeType: 'image/png', buffer: tinyPicture(70) },
        { name: 'two.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
      ]);
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('#toast', { hasText: 'Choose a rating first.' }).waitFor();
    await page.getByLabel('Rating of all of them').selectOption('questionable');
    await page.getByRole('combobox', { name: 'Add a category' }).last().fill('beach');
    await page.locator('#lists .combobox li', { hasText: 'Create “beach”' }).click();
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('.added li', { hasText: 'one.png: added' }).waitFor();
    await page.locator('.added li.refused', { hasText: 'two.png: ' }).waitFor();
    assert.deepEqual(await findViolations(page, 'light'), []);
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#count', { hasText: String(IMAGES + 1) }).waitFor();
    await page.locator('#tile-0[data-rating="questionable"]').waitFor();
    const { output } = await runCommand(['find', '--category', 'beach'], { DATA_DIR: config.dataDir });
    assert.equal((await runCommand(['remove', output.trim()], { DATA_DIR: config.dataDir })).status, 0);
    await finish(['422']);
  });

  test('no view has an accessibility violation, in either colour scheme', async () => {
    const { page, finish } = await open();
    const check = async (view: string) => {
      for (const colorScheme of ['light', 'dark'] as const)
        assert.deepEqual(await findViolations(page, colorScheme), [], `${view}, ${colorScheme}`);
    };
    await check('nothing selected');
    await page.keyboard.press('ArrowRight');
    await heading(page, 'One picture');
    await page.keyboard.press('c');
    await page.locator('.combobox li').first().waitFor();
    await check('one picture');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await heading(page, `${IMAGES} pictures`);
    await check('all pictures');
    await page.getByRole('link', { name: 'Characters' }).click();
    await page.locator('tbody button').first().click();
    await page.locator('dialog h2').waitFor();
    await check('an entry');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Removed' }).click();
    await page.locator('h1', { hasText: 'Removed' }).waitFor();
    await check('removed');
    await finish();
  });
});
