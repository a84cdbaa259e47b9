/** Imports, the history and the trash of the studio, in Chromium. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium, startBrowser, visit } from '../support/browser/browser.ts';
import { waitForMessage } from '../support/browser/studio-page.ts';
import { importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const IMAGES = 12;

describeInChromium('imports in the studio', async () => {
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
  const press = async (page: Page, name: RegExp, where = '#lists') => {
    await page.locator(where).getByRole('button', { name }).first().focus();
    await page.keyboard.press('Enter');
  };

  test('pictures that were added together are one step, imports are a filter, and the history undoes everything', async () => {
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
    await page.locator('#undo', { hasText: 'Undo: import: ' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 5);
    await page.reload();
    await page.locator('#undo', { hasText: 'Undo: import: ' }).waitFor();
    await page.keyboard.press('z');
    await waitForMessage(page, 'Undone: import: ');
    await counted(page, IMAGES + 3);
    await page.locator('#undo:disabled').waitFor();

    await page.getByRole('link', { name: 'Review' }).click();
    const rows = page.locator('#lists .changes li');
    await rows.first().getByText('Undone').waitFor();
    const row = rows.filter({ hasText: '3 images added, 2 entries' });
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

    // An import is undone by keyboard, after a list of what that changes, and that is undone in the history.
    const { output } = await runCommand(['find', '--category', 'bridge'], environment);
    assert.equal((await runCommand(['edit', output.trim(), '--rating', 'nsfw'], environment)).status, 0);
    await page.getByRole('link', { name: 'Review' }).click();
    await press(page, /^Undo… Change 2/);
    const dialog = page.locator('dialog');
    await dialog.getByText('2 pictures move to the trash.').waitFor();
    await dialog.getByText('Changed since').waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await press(page, /^Undo… Change 2/);
    await press(page, /^Undo$/, 'dialog');
    await waitForMessage(page, 'Undone in part: import: 3 images added');
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 1);

    await page.getByRole('link', { name: 'History' }).click();
    await rows.filter({ hasText: 'Undo 2: import' }).waitFor();
    await page.getByLabel('Made by').selectOption('shell');
    await rows.filter({ hasText: 'Undo 2: import' }).waitFor({ state: 'detached' });
    const edited = rows.filter({ hasText: 'Rate nsfw: 1 image' });
    await edited.locator('summary').press('Enter');
    await edited.locator('dd', { hasText: 'sfw → nsfw' }).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByLabel('Since', { exact: true }).fill('2999-01-01');
    await page.locator('#lists p', { hasText: 'No changes.' }).waitFor();
    await page.getByLabel('Since', { exact: true }).fill('');
    await page.getByLabel('Made by').selectOption('');
    await press(page, /^Undo… .*Undo 2: import/i);
    await dialog.getByText('2 pictures come back from the trash.').waitFor();
    await press(page, /^Undo$/, 'dialog');
    await waitForMessage(page, 'Undone: undo 2: import');
    // The keyboard stays at the change.
    await page.locator('summary:focus', { hasText: 'Undo 2: import' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 3);

    // The panel has the history of a picture, which can be removed and restored, or taken down for ever.
    await page.selectOption('#rating-filter', 'nsfw');
    await counted(page, 1);
    await page.locator('#tile-0').click();
    await page.locator('#panel .history > summary').click();
    await page.locator('#panel dd', { hasText: 'sfw → nsfw' }).waitFor();
    await page.selectOption('#rating-filter', '');
    await counted(page, IMAGES + 3);
    await page.locator('#tile-0').click();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel(/^Reason/).fill('asked to');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await counted(page, IMAGES + 2);
    await page.getByRole('link', { name: 'Removed' }).click();
    const restore = page.getByRole('button', { name: 'Restore asked to' });
    await restore.click();
    await restore.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await counted(page, IMAGES + 3);
    await page.locator('#tile-0').click();
    await page.getByRole('button', { name: 'Take down…' }).click();
    await page.getByRole('button', { name: 'Delete for ever' }).click();
    await counted(page, IMAGES + 2);
    await page.getByRole('link', { name: 'Removed' }).click();
    await page
      .locator('#lists')
      .getByRole('button', { name: /^Allow again/ })
      .waitFor();
    await page.getByRole('button', { name: 'Empty the trash…' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await waitForMessage(page, 'The trash is empty.');
    await finish();
  });
});
