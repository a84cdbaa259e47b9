/** Edits that cannot be sent: the page says so, tries again, asks before it is left, and each is saved once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialog, Page, Route } from 'playwright-core';
import { describeInChromium } from '../support/browser/browser.ts';
import { openStudioPages, waitForUndo } from '../support/browser/studio-page.ts';

const CHANGES = '**/change/images';

describeInChromium('edits that wait', async () => {
  const { open } = await openStudioPages(4);
  const steps = (page: Page): Promise<number> =>
    page.evaluate(`fetch('/data/steps?').then((answer) => answer.json()).then(({ steps }) => steps.length)`);
  const isSaved = (page: Page) => page.locator('#unsaved:empty').waitFor({ state: 'attached' });

  test('are sent again when the connection is lost, and saved once, also if only the answer was', async () => {
    const { page, finish } = await open(undefined, { bypassCSP: true });
    const before = await steps(page);
    const lose: ((route: Route) => Promise<unknown>)[] = [
      (route) => route.abort(),
      // The studio has saved it, but the page does not hear of that.
      (route) => route.fetch().then(() => route.abort()),
    ];
    const lost: number[] = [];
    await page.route(CHANGES, async (route) => {
      const next = lose.shift();
      if (!next) return route.continue();
      lost.push(route.request().postDataJSON().edits.length);
      await next(route);
    });
    await page.locator('#tile-0').click();
    await page.keyboard.press('3');
    const mark = page.locator('#unsaved.trouble', { hasText: '1 unsaved' });
    await mark.waitFor();
    assert.match(
      (await mark.getAttribute('title')) ?? '',
      /Your browser keeps what is not saved, and tries again/,
    );
    await isSaved(page);
    await waitForUndo(page, 'Rate nsfw: 1 image');
    assert.equal(await page.locator('#unsaved.trouble').count(), 0);
    assert.deepEqual([lost, await steps(page)], [[1, 1], before + 1]);
    await finish(['net::ERR_FAILED']);
  });

  test('keep the page from being left without a question, until they are saved', async () => {
    const { page, finish } = await open(undefined, { bypassCSP: true });
    const questions: string[] = [];
    const answer = async (dialog: Dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    };
    page.on('dialog', answer);
    const held = Promise.withResolvers<void>();
    await page.route(CHANGES, (route) => held.promise.then(() => route.continue()));
    await page.locator('#tile-1').click();
    await page.keyboard.press('2');
    await page.locator('#unsaved', { hasText: '1 unsaved' }).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await asked;
    assert.deepEqual(questions, ['beforeunload']);
    held.resolve();
    await isSaved(page);
    await waitForUndo(page, 'Rate questionable: 1 image');
    await page.reload();
    await page.locator('#tile-1[data-rating="questionable"]').waitFor();
    assert.deepEqual(questions, ['beforeunload']);
    await finish();
  });
});
