/** The studio in Chromium: adding, comparing and removing pictures. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium } from '../support/browser/browser.ts';
import {
  openStudioPages,
  waitForMessage,
  waitForPanel,
  waitForUndo,
} from '../support/browser/studio-page.ts';
import { testDeep } from '../support/depth.ts';
import { paint } from '../support/pictures/painting.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { tamper } from '../support/servers/engines.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const IMAGES = 12;

describeInChromium('the studio', async () => {
  const { config, open } = await openStudioPages(IMAGES);
  const removeNewest = async () => {
    const environment = { DATA_DIR: config.dataDir };
    const { output } = await runCommand(['find', '--limit', '1'], environment);
    assert.equal((await runCommand(['remove', '--yes', output.trim()], environment)).status, 0);
  };

  testDeep(
    'of pictures that look alike, one can be kept, and a removed picture can be restored',
    async () => {
      const before = (await runCommand(['export'], { DATA_DIR: config.dataDir })).output;
      const rows = [1, 2].map((image) => `(${image}, '${'0f'.repeat(16)}')`);
      tamper(config, `insert or replace into perceptual_hash (image, hash) values ${rows.join()}`);
      const { page, finish } = await open();
      await page.getByRole('link', { name: 'Review' }).click();
      const group = page.locator('.alike').filter({ has: page.locator('li') });
      await group.first().waitFor();
      assert.deepEqual(await findViolationsAtDepth(page), []);
      // Somebody who wants to keep the other one after all does not remove both.
      const held = Promise.withResolvers<void>();
      await page.route('**/change/remove', (route) => held.promise.then(() => route.continue()));
      await group.first().getByRole('button').first().click();
      await group.first().getByRole('button').last().click();
      held.resolve();
      await waitForMessage(page, 'You can undo this.');
      // This page asks for imports, and the list of pictures does when it is there again, without a selection.
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().includes('/data/imports')) asked++;
      });
      await page.locator('#undo').click();
      await waitForMessage(page, 'Undone: move 1 image to the trash');
      await until('the pictures are listed again', () => asked === 2);
      const sorted = (text: string) => text.split('\n').sort();
      const { output } = await runCommand(['export'], { DATA_DIR: config.dataDir });
      assert.deepEqual(sorted(output), sorted(before));

      await page.getByRole('link', { name: 'Pictures', exact: true }).click();
      await page.locator('#grid').focus();
      await page.keyboard.press('ArrowRight');
      await waitForPanel(page, 'One picture');
      await page.keyboard.press('Delete');
      await page.keyboard.type('asked to');
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.locator('#count', { hasText: String(IMAGES - 1) }).waitFor();
      await page.getByRole('link', { name: 'Removed' }).click();
      await page
        .locator('#lists li', { hasText: 'asked to' })
        .getByRole('button', { name: 'Restore' })
        .click();
      await page.locator('#lists p', { hasText: 'Nothing was removed.' }).waitFor();
      await page.getByRole('link', { name: 'Pictures', exact: true }).click();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.locator('#count', { hasText: String(IMAGES) }).waitFor();
      await finish();
    },
  );

  test('pictures are added with a rating and tags, refused ones say why, and similar ones are a choice', async () => {
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
    await waitForMessage(page, 'Choose a rating first.');
    await page.getByLabel('Rating of all of them').selectOption('questionable');
    await page.getByRole('combobox', { name: 'Add a category' }).last().fill('beach');
    await page.locator('#lists .combobox li', { hasText: 'Create “beach”' }).click();
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('.added li', { hasText: 'one.png: added' }).waitFor();
    await page.locator('.added li.refused', { hasText: 'two.png: ' }).waitFor();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#count', { hasText: String(IMAGES + 1) }).waitFor();
    await page.locator('#tile-0[data-rating="questionable"]').waitFor();
    await page.locator('#tile-0').click();
    await page.locator('#panel .entries li', { hasText: 'beach' }).waitFor();
    await removeNewest();

    // A dropped picture that looks like another one replaces it, is kept too, or is skipped.
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
        type,
        x: 300,
        y: 300,
        data: { items: [], files: [folder], dragOperationsMask: 1 },
      });
    await page.locator('.drop p', { hasText: 'One picture chosen.' }).waitFor();
    await page.locator('.chosen-files li', { hasText: '0.pnginside' }).waitFor();
    await page.getByLabel('Rating of all of them').selectOption('nsfw');
    await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    await page.locator('.added li', { hasText: '0.png: added' }).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    const { output } = await runCommand(['find', '--category', 'inside'], { DATA_DIR: config.dataDir });
    assert.match(output, /^\S+\n$/, 'the folder in the dropped one is a category');
    await add(second);
    await page.locator('.question', { hasText: '1.png looks like another picture' }).waitFor();
    await page.locator('.question p', { hasText: '72 × 48' }).waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByRole('button', { name: 'Replace this' }).click();
    await page.locator('.added li', { hasText: '1.png: replaced the file of' }).waitFor();
    await waitForUndo(page, 'replace the file of 1 image');
    await add(third, fourth);
    await page.locator('.all', { hasText: '2 pictures look like others.' }).waitFor();
    await page.getByRole('button', { name: 'Skip 2.png' }).click();
    await page.locator('.added li', { hasText: '2.png: skipped' }).waitFor();
    await page.locator('.question button:focus', { hasText: 'Keep both' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.added li', { hasText: '3.png: added' }).waitFor();
    await page.locator('#undo').click();
    await waitForMessage(page, 'Undone: import: 1 image added');
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#tile-0').click();
    await page.getByRole('button', { name: 'Former file…' }).click();
    await page.locator('dialog img').evaluate((image: HTMLImageElement) => image.decode());
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await waitForMessage(page, 'The former file is back.');
    await page.locator('#panel p', { hasText: '60 × 40' }).waitFor();
    await page.locator('#undo').click();
    await waitForMessage(page, 'Undone: restore the former file of 1 image');
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('#lists summary', { hasText: 'Replace the file' }).first().click();
    await page.locator('dd', { hasText: 'replaced by another one' }).waitFor();
    await page.getByRole('link', { name: 'Removed' }).click();
    await page.getByRole('button', { name: 'Bring back replaced by another file' }).click();
    await waitForMessage(page, 'The former file is back.');
    await page.locator('#undo').click();
    await waitForMessage(page, 'Undone: restore the former file of 1 image');
    await page.locator('#undo').click();
    await waitForMessage(page, 'Undone: replace the file of 1 image');
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.locator('#count', { hasText: String(IMAGES + 1) }).waitFor();
    await page.locator('#tile-0').click();
    await page.locator('#panel p', { hasText: '60 × 40' }).waitFor();
    await removeNewest();
    await finish(['422']);
  });

  testDeep('after a lost connection or a reload, adding goes on where it was', async () => {
    const folder = temporaryFolder();
    const paths = [81, 82].map((index) => join(folder, `${index}.png`));
    for (const [index, path] of paths.entries()) writeFileSync(path, tinyPicture(81 + index));
    const { page, finish } = await open();
    const sent: string[] = [];
    let isLost = true;
    await page.route('**/add/picture?*', (route) => {
      const name = new URL(route.request().url()).searchParams.get('name') as string;
      sent.push(name);
      return isLost && name === '82.png' ? route.abort() : route.continue();
    });
    const add = async () => {
      await page.getByRole('link', { name: 'Add', exact: true }).click();
      await page.locator('.drop input').first().setInputFiles(paths);
      await page.getByLabel('Rating of all of them').selectOption('sfw');
      await page.getByRole('button', { name: 'Add to the catalogue' }).click();
    };
    const trouble = page.getByRole('alert').filter({ hasText: '82.png waits' });
    await add();
    await trouble.waitFor();
    await page.reload();
    await page.locator('h1', { hasText: 'Add' }).waitFor();
    await add();
    await page.locator('.added li', { hasText: '81.png: was sent before' }).waitFor();
    await trouble.waitFor();
    isLost = false;
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.locator('.added li', { hasText: '82.png: added' }).waitFor();
    assert.deepEqual(sent, ['81.png', '82.png', '82.png', '82.png']);
    // A batch that is complete is forgotten: the same files are sent when somebody wants that.
    await page.locator('.results > p:empty').waitFor({ state: 'attached' });
    await add();
    await page.locator('.added li', { hasText: '81.png: was there already' }).waitFor();
    await finish(['ERR_FAILED']);
  });
});
