/** Imports in the studio, in Chromium: adding is undone after a reload; imports are listed, shown and reverted by keyboard. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const IMAGES = 12;

describe('imports in the studio', { skip }, async () => {
  if (skip) return;
  after(() => studio[Symbol.asyncDispose]());
  const config = (await importGalleryCatalogue(IMAGES))();
  const environment = { DATA_DIR: config.dataDir, THUMBNAILS: 'off' };
  const pictures = join(temporaryFolder(), 'pictures');
  mkdirSync(pictures);
  for (const index of [1, 2, 3]) writeTiny(pictures, `${index}.png`, index);
  writeFileSync(join(pictures, '1.json'), JSON.stringify({ categories: ['bridge'] }));
  assert.equal((await runCommand(['import', pictures], environment)).status, 0);
  const studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  const browser = await startBrowser();
  const open = async () => {
    const opened = await visit(browser, studio.newAddress(), { viewport: { width: 1300, height: 500 } });
    await opened.page.locator('.tile[data-rating]').first().waitFor();
    return opened;
  };
  const counted = (page: Page, count: number) =>
    page.locator('#count', { hasText: new RegExp(`^${count}$`) }).waitFor();
  const press = async (page: Page, name: RegExp) => {
    await page.getByRole('button', { name }).first().focus();
    await page.keyboard.press('Enter');
  };

  test('pictures that were added together are one step, and imports are a filter and can be reverted', async () => {
    const { page, finish } = await open();
    await counted(page, IMAGES + 3);
    await page.getByRole('link', { name: 'Add', exact: true }).click();
    await page
      .locator('.drop input')
      .first()
      .setInputFiles(
        [71, 72].map((index) => ({
          name: `${index}.png`,
          mimeType: 'image/png',
          buffer: tinyPicture(index),
        })),
      );
    await page.getByLabel('Rating of all of them').selectOption('sfw');
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('#undo', { hasText: 'Undo: Add 2 pictures' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 5);
    await page.reload();
    await page.locator('#undo', { hasText: 'Undo: Add 2 pictures' }).waitFor();
    await page.keyboard.press('z');
    await page.locator('#toast', { hasText: 'Undone: Add 2 pictures' }).waitFor();
    await counted(page, IMAGES + 3);
    await page.locator('#undo:disabled').waitFor();

    await page.getByRole('link', { name: 'Review' }).click();
    await page.locator('.imports li', { hasText: '2 pictures added' }).getByText('Reverted').waitFor();
    const row = page.locator('.imports li', { hasText: '3 pictures added, 2 entries' });
    await row.filter({ hasText: pictures }).waitFor();
    await row.getByRole('button', { name: 'Show pictures' }).focus();
    await page.keyboard.press('Enter');
    await counted(page, 3);
    await page.reload();
    await counted(page, 3);
    const selected = page.locator('#show option:checked');
    await selected.filter({ hasText: /^import of .* \(3\)$/ }).waitFor({ state: 'attached' });
    await page.selectOption('#show', '');
    await counted(page, IMAGES + 3);
    await page.selectOption('#show', 'run=2');
    await counted(page, 3);
    await page.selectOption('#show', '');
    await counted(page, IMAGES + 3);

    // An import is reverted by keyboard, after a list of what that changes, and undone.
    const { output } = await runCommand(['find', '--category', 'bridge'], environment);
    assert.equal((await runCommand(['edit', output.trim(), '--rating', 'nsfw'], environment)).status, 0);
    await page.getByRole('link', { name: 'Review' }).click();
    await press(page, /^Revert… of the import/);
    const dialog = page.locator('dialog');
    await dialog.getByText('2 pictures that it added are removed.').waitFor();
    await dialog.getByText('Edited by hand since').waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await press(page, /^Revert… of the import/);
    await press(page, /^Revert$/);
    await page.locator('#toast', { hasText: 'The import is reverted. You can undo this.' }).waitFor();
    await page.locator('.imports li', { hasText: '3 pictures added' }).getByText('Reverted').waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 1);
    await page.keyboard.press('z');
    await page.locator('#toast', { hasText: 'Undone: Revert the import: 2 pictures' }).waitFor();
    await counted(page, IMAGES + 3);
    await finish();
  });
});
