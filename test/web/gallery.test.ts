/** What scripts add to the pages: suggestions, keys, menus and the size of pictures. Without them, everything is there too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations, findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { newerGlobals, removalOf } from '../support/newer-globals.ts';

describeInChromium('the gallery', async () => {
  const { open, origin } = await openGallery(60);

  test('suggests entries and pictures while typing, as the search finds them', async () => {
    const { page, finish } = await open('/newest');
    const field = page.getByRole('combobox');
    await field.fill('nami');
    const options = page.getByRole('option');
    await options.first().waitFor();
    assert.match((await options.first().textContent()) ?? '', /^Nami <b>Umi<\/b>30 pictures$/);
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.keyboard.press('ArrowDown');
    assert.equal(await field.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'));
    await page.keyboard.press('Escape');
    assert.ok(await options.first().isHidden());
    await page.keyboard.press('ArrowDown');
    await options.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/characters/**');
    assert.equal(await page.locator('h1').textContent(), 'Nami <b>Umi</b>');

    await field.fill('nothing like that');
    await page.getByText('Nothing found for “nothing like that”.').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=nothing+like+that');
    await finish();
  });

  test('keys: / searches, arrows go through the grid, and ? lists them', async () => {
    const { page, finish } = await open('/newest');
    const focused = () => page.evaluate("document.activeElement.closest('.tile')?.dataset.id");
    const ids = await page
      .locator('.tile')
      .evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('data-id')));
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'search-text');
    await page.locator('.tile > a').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(), ids[1]);
    await page.keyboard.press('ArrowDown');
    assert.ok(ids.indexOf((await focused()) as string) > 2);
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(), ids[1]);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await focused(), ids[0]);
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Slideshow: start and stop').waitFor();
    assert.deepEqual(await findViolationsAtDepth(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('.filters summary').click();
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('.filters form').isHidden());
    await finish();
  });

  test('pictures have three sizes, and the choice is remembered', async () => {
    const { page, finish } = await open('/newest');
    const height = async () => (await page.locator('.tile').first().boundingBox())?.height ?? 0;
    const medium = await height();
    await page.getByRole('button', { name: 'Picture size: medium' }).click();
    assert.ok((await height()) > 1.2 * medium);
    // A portrait that is alone in its row fills it.
    await page.setViewportSize({ width: 320, height: 600 });
    const widths = await page
      .locator('main .tile:visible')
      .evaluateAll((tiles) => tiles.map((tile) => [tile.clientWidth, tile.parentElement?.clientWidth]));
    assert.ok(widths.some(([width, all]) => width === all));
    const right = await page.locator('main .tile:visible').evaluateAll((tiles) => {
      const edges = new Map(
        tiles.map((tile) => [tile.getBoundingClientRect().top, tile.getBoundingClientRect().right]),
      );
      return [...new Set([...edges.values()].map(Math.round))];
    });
    assert.equal(right.length, 1, `all rows end at the same place: ${right}`);
    await page.setViewportSize({ width: 1000, height: 500 });
    await page.goto(`${origin}/newest`);
    await page.getByRole('button', { name: 'Picture size: large' }).click();
    await page.getByRole('button', { name: 'Picture size: small' }).waitFor();
    assert.ok((await height()) < medium);
    await finish();
  });

  test('nothing shifts while a page loads, nor in an older browser, and the rules of axe are met', async () => {
    const { page, finish } = await open('/newest', {
      viewport: { width: 1300, height: 1000 },
      prepare: (context) => context.addInitScript(removalOf(newerGlobals)),
    });
    await page.locator('#picture-size').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.evaluate('layoutShift'), 0);
    assert.deepEqual(await findViolations(page), []);
    await page.locator('.tile:not(.blurred) > a').first().click();
    await page.locator('#panel h1').waitFor();
    await finish();
  });
});
