/** The studio in Chromium: signing in, the keyboard, undo after a reload, conflicts, entries, removal, accessibility. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startStudio } from '../../src/commands/studio.ts';
import { findViolations } from '../support/accessibility.ts';
import { startBrowser, type Visit, type VisitOptions, visit } from '../support/browser.ts';
import { tamper } from '../support/engines.ts';
import { importGalleryCatalogue } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { paint } from '../support/painting.ts';
import { runCommand } from '../support/program.ts';
import { tinyPicture } from '../support/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const IMAGES = 60;

describe('the studio', { skip }, async () => {
  if (skip) return;
  // Before the folder of the catalogue is removed: at its end, the studio deletes files.
  after(() => studio[Symbol.asyncDispose]());
  const config = (await importGalleryCatalogue(IMAGES))();
  const studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  const browser = await startBrowser();
  const open = async (prepare?: VisitOptions['prepare']): Promise<Visit> => {
    const viewport = { width: 1300, height: 800 };
    const opened = await visit(browser, studio.newAddress(), { viewport, ...(prepare && { prepare }) });
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

  test('tiles have a placeholder until their picture has loaded', async () => {
    const held = Promise.withResolvers<void>();
    const { page, finish } = await open((context) =>
      context.route('**/picture/**', (route) => held.promise.then(() => route.continue())),
    );
    await page.locator('#tile-0 canvas').waitFor();
    held.resolve();
    await page.locator('.tile canvas').first().waitFor({ state: 'detached' });
    await page.waitForFunction(`document.querySelector('#tile-0 img').naturalWidth > 0`);
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

  test('Enter before the suggestions arrive means what was typed, and the pictures selected by then', async () => {
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
    await heading(page, 'One picture');
    await pressBeforeSuggestions('c', 'm', 'o', 'Enter', 'Escape', 'ArrowRight');
    await waitForUndo(page, 'Add moon: 1 picture');
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

  test('a dropped picture that looks like another one replaces it, is kept too, or is skipped', async () => {
    const { page, finish } = await open();
    const painting = paint(1, 96, 64);
    const sizes = await Promise.all(
      [60, 72, 84, 96].map((width) => painting().resize(width).png().toBuffer()),
    );
    const files = sizes.map((buffer, index) => ({ name: `${index}.png`, mimeType: 'image/png', buffer }));
    const add = async (...pictures: typeof files) => {
      await page.locator('.drop input').first().setInputFiles(pictures);
      await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    };
    const [first, second, third, fourth] = files as [File, File, File, File];
    type File = (typeof files)[number];
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'inside'));
    writeFileSync(join(folder, 'inside', first.name), first.buffer);
    const devTools = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devTools.send('Input.dispatchDragEvent', {
        ...{ type, x: 300, y: 300 },
        data: { items: [], files: [folder], dragOperationsMask: 1 },
      });
    await page.locator('.drop p', { hasText: 'One file chosen.' }).waitFor();
    await page.getByLabel('Rating of all of them').selectOption('nsfw');
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('.added li', { hasText: '0.png: added' }).waitFor();
    await add(second);
    await page.locator('.question', { hasText: '1.png looks like another picture' }).waitFor();
    await page.locator('.question p', { hasText: '72 × 48' }).waitFor();
    assert.deepEqual(await findViolations(page, 'light'), []);
    await page.getByRole('button', { name: 'Replace this' }).click();
    await page.locator('.added li', { hasText: '1.png: replaced the file of' }).waitFor();
    await waitForUndo(page, 'Replace the file of 1 picture');
    await add(third, fourth);
    await page.locator('.all', { hasText: '2 pictures look like others.' }).waitFor();
    await page.getByRole('button', { name: 'Skip 2.png' }).click();
    await page.locator('.added li', { hasText: '2.png: skipped' }).waitFor();
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.locator('.added li', { hasText: '3.png: added' }).waitFor();
    await page.locator('#undo').click();
    await page.locator('#toast', { hasText: 'Undone: Add 1 picture' }).waitFor();
    await page.locator('#undo').click();
    await page.locator('#toast', { hasText: 'Undone: Replace the file of 1 picture' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#count', { hasText: String(IMAGES + 1) }).waitFor();
    await page.locator('#tile-0').click();
    await page.locator('#panel p', { hasText: '60 × 40' }).waitFor();
    const { output } = await runCommand(['find', '--limit', '1'], { DATA_DIR: config.dataDir });
    assert.equal((await runCommand(['remove', output.trim()], { DATA_DIR: config.dataDir })).status, 0);
    await finish();
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
