/** The interactive parts of the API reference: copying, trying calls with and without a token, and testing patterns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { describeInChromium, startBrowser, type VisitOptions, visit } from '../support/browser/browser.ts';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { artistId, importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { makeToken, startService } from '../support/zukan/service.ts';
import { TestClock } from './test-clock.ts';

/** The oldest image with two categories. */
const exampleImageId = uuid(4, 3);

const operation = (page: Page, id: string) => page.locator(`section[id="${id}"]`);
const command = (page: Page, id: string) => operation(page, id).locator('.call').textContent();
const outcome = (page: Page, id: string) => operation(page, id).locator('.outcome');
const send = async (page: Page, id: string) => {
  const section = operation(page, id);
  if (!(await section.locator('.try').isVisible()))
    await section.getByRole('button', { name: 'Try it' }).click();
  await section.getByRole('button', { name: 'Send' }).click();
};
/** Waits until the answer has this status, and returns its line. */
const answer = async (page: Page, id: string, status: number) => {
  const line = outcome(page, id).filter({ hasText: String(status) });
  await line.waitFor();
  return (await line.textContent()) ?? '';
};

describeInChromium('the reference', async () => {
  const gallery = await openGallery();
  const open = (options: VisitOptions = {}) => gallery.open('/docs', options);

  testDeep(
    'copies examples, with and without access to the clipboard, and tests patterns while the reader types',
    async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const { page, requests, finish } = await open({ permissions });
      assert.deepEqual(await findViolationsAtDepth(page, 'light', '#random'), []);
      const copy = operation(page, 'random').getByRole('button', { name: 'Copy the example' });
      await copy.click();
      await copy.getByText('Copied').waitFor();
      const pattern = page.locator('#pattern');
      await pattern.press('Control+V');
      assert.equal(await pattern.inputValue(), await command(page, 'random'));
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await operation(page, 'stats').getByRole('button', { name: 'Copy the example' }).press('Enter');
      await operation(page, 'stats').getByText('Copied').waitFor();
      await pattern.fill('');
      await pattern.press('Control+V');
      assert.equal(await pattern.inputValue(), await command(page, 'stats'));

      await page.locator('#match-count').getByText('No artists found.').waitFor();
      const { length: count } = requests;
      const status = page.locator('#match-count');
      await page.getByRole('button', { name: 'Try %daughter% on names of artists' }).click();
      await status.getByText('1 artist found.').waitFor();
      const match = page.locator('#matches a');
      assert.equal(await match.getAttribute('href'), `/?artist=${artistId}`);
      assert.equal(await match.textContent(), 'Hokusai & Daughter');
      await page.locator('#pattern-kind').selectOption('characters');
      await status.getByText('No characters found.').waitFor();
      await pattern.fill('%<b>%');
      await status.getByText('1 character found.').waitFor();
      assert.equal(await match.textContent(), 'Nami <b>Umi</b>');
      await page.locator('#pattern-kind').selectOption('albums');
      await status.getByText('No albums found.').waitFor();
      assert.equal(requests.length, count + 4);
      await pattern.fill('😀a{2');
      await status.getByText('at character').waitFor();
      const [, position] = /at character (\d+)/.exec((await status.textContent()) ?? '') ?? [];
      const [before = '', after = ''] = await page
        .locator('.mistake')
        .evaluate((line) => [line.firstChild?.textContent ?? '', line.lastChild?.textContent ?? '']);
      assert.equal([...before].length, Number(position) - 1);
      assert.equal(await page.locator('.mistake').textContent(), `😀a{2${after === '' ? ' ' : ''}`);
      await pattern.fill('x'.repeat(51));
      await status.getByText('not be longer than 50 characters').waitFor();
      await finish(['400']);
    },
  );

  test('tries calls by keyboard and with the mouse, and shows the file that a call redirects to, with and without a token', async () => {
    const { page, requests, finish } = await open();
    const section = operation(page, 'random');
    const before = await command(page, 'random');
    assert.ok(before?.startsWith(`curl '${gallery.origin}/api/image/random?categories=`), before ?? '');
    const tryIt = section.getByRole('button', { name: 'Try it: /image/random' });
    await tryIt.press('Enter');
    assert.equal(await tryIt.getAttribute('aria-expanded'), 'true');
    for (const name of ['call', 'categories']) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { className, name } = document.activeElement as HTMLInputElement;
        return name || className;
      });
      assert.equal(focused, name);
    }
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`sea,it's & <b>`);
    await section.getByLabel('landscape').press('Space');
    await section.getByLabel('square').press('Space');
    assert.equal(
      await command(page, 'random'),
      `curl '${gallery.origin}/api/image/random?categories=sea,it%27s%20%26%20%3Cb%3E&nsfw=sfw&orientation=landscape,square&limit=1'`,
    );
    await page.keyboard.press('Enter');
    assert.match(await answer(page, 'random', 400), /there is no category "it's & <b>"/);
    await section.getByLabel('categories').fill('sea');
    await page.keyboard.press('Enter');
    await answer(page, 'random', 200);
    const [, shown] = requests;
    assert.equal(shown, '/image/random?categories=sea&nsfw=sfw&orientation=landscape,square&limit=1');
    const body = JSON.parse((await section.locator('.result pre').textContent()) ?? '');
    assert.equal(body.data[0].nsfw, 'sfw');
    const heading = await section.getByRole('heading', { name: 'Response', exact: true }).boundingBox();
    const code = await section.locator('.result pre').boundingBox();
    assert.ok(heading && code && code.y - heading.y < 50, 'the response is below its heading');
    const [picture] = await section
      .locator('.pictures img')
      .evaluateAll((images) => Promise.all(images.map((image) => (image as HTMLImageElement).decode())))
      .then(() =>
        section.locator('.pictures img').evaluateAll((all) => all.map((image) => image.getAttribute('src'))),
      );
    assert.equal(picture, body.data[0].url);
    await section.getByText('Headers', { exact: true }).click();
    await section.getByText('x-request-id', { exact: true }).waitFor();
    await tryIt.press('Enter');
    assert.ok(await section.locator('.try').isHidden());

    // Now the page knows that there is no rate limit. Responses to pictures do not tell.
    await send(page, 'image');
    await answer(page, 'image', 200);
    assert.equal(requests.at(-1), `/image/${exampleImageId}`);
    const { length: count } = requests;
    await send(page, 'randomFile');
    await answer(page, 'randomFile', 302);
    const image = operation(page, 'randomFile').locator('.result img');
    assert.ok((await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)) > 0);
    await send(page, 'randomFile');
    await operation(page, 'randomFile').getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
    assert.equal(requests.length, count + 2);
    await operation(page, 'randomFile').getByLabel('categories').fill('moon');
    await send(page, 'randomFile');
    assert.match(await answer(page, 'randomFile', 404), /No image matches/);
    await operation(page, 'randomFile').getByLabel('expiry').fill('60');
    await send(page, 'randomFile');
    await answer(page, 'randomFile', 401);
    await operation(page, 'randomFile').getByText('Browsers send no token').waitFor();

    // A token is sent to this server only, never stored, and gone with the page.
    const { secret } = await makeToken(gallery.config, ['image:list']);
    const { secret: weak } = await makeToken(gallery.config, []);
    const sent: Promise<string>[] = [];
    page.on('request', (request) =>
      sent.push(request.headerValue('Authorization').then((value) => value ?? '')),
    );
    const field = page.locator('#token-field');
    assert.deepEqual(
      [await field.getAttribute('type'), await field.getAttribute('autocomplete')],
      ['password', 'off'],
    );
    await send(page, 'images');
    assert.match(await answer(page, 'images', 401), /No token/);
    await operation(page, 'images').getByRole('link', { name: 'Enter a token' }).click();
    assert.ok(await field.evaluate((element) => element === document.activeElement));
    await page.keyboard.type('wröng');
    await send(page, 'images');
    await outcome(page, 'images').getByText('only letters and digits').waitFor();
    await field.fill('wrong');
    await send(page, 'images');
    assert.match(await answer(page, 'images', 401), /Invalid token/);
    await operation(page, 'images').getByText('does not know the token').waitFor();
    await field.fill(weak);
    await send(page, 'images');
    assert.match(await answer(page, 'images', 403), /lacks the scope "image:list"/);
    await field.fill(` ${secret} `);
    await send(page, 'images');
    await answer(page, 'images', 200);
    assert.deepEqual(
      (await Promise.all(sent)).filter(Boolean),
      ['wrong', weak, secret].map((token) => `Bearer ${token}`),
    );
    assert.ok(!(await page.content()).includes(secret), 'it is not in the document');
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!stored.includes(secret), stored);
    assert.deepEqual(await page.context().cookies(), []);
    await page.getByRole('button', { name: 'Forget' }).click();
    assert.equal(await field.inputValue(), '');
    await field.fill(secret);
    await page.goto('about:blank');
    await page.goBack();
    assert.equal(await field.inputValue(), '');
    await finish(['400', '401', '403', '404']);
  });

  testDeep('is complete without JavaScript', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    assert.ok(await operation(page, 'random').locator('.call').isVisible());
    await operation(page, 'random').getByText('Python', { exact: true }).click();
    assert.ok(await operation(page, 'random').locator('[data-code=python]').isVisible());
    assert.ok(await operation(page, 'random').locator('.call').isHidden());
    assert.ok(await page.locator('.operators').isVisible());
    for (const name of ['Try it', 'Copy', 'Forget'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    for (const id of ['#token-field', '#pattern']) assert.ok(await page.locator(id).isHidden());
    await page.context().close();
  });
});

describeInChromium('the reference and the rate limit', async () => {
  const makeConfig = await importGalleryCatalogue();

  testDeep('calls wait for the limit, and a refusal says how long', async () => {
    const browser = await startBrowser();
    const clock = new TestClock();
    const config = makeConfig({ RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' });
    const { origin, get } = await startService(config, { clock: clock.now });
    const extraHTTPHeaders = { 'X-Forwarded-For': '203.0.113.9' };
    const { page, finish } = await visit(browser, `${origin}/docs`, {
      prepare: clock.install,
      extraHTTPHeaders,
    });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) statuses.push(response.status());
    });
    await send(page, 'stats');
    await clock.advanceUntilVisible(outcome(page, 'stats'));
    await send(page, 'latest');
    await operation(page, 'latest').getByText('Waiting for the rate limit: 1 s').waitFor();
    await operation(page, 'latest').getByRole('button', { name: 'Cancel' }).click();
    await operation(page, 'latest').getByText('Waiting').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'on names of artists' }).first().click();
    await clock.advanceUntilVisible(page.getByText('1 artist found.'));
    await send(page, 'latest');
    await clock.advanceUntilVisible(outcome(page, 'latest'));
    assert.deepEqual(statuses, [200, 200, 200]);

    await clock.advance(1000);
    for (let call = 0; call < 10; call++) await get('/api/stats', extraHTTPHeaders);
    await send(page, 'stats');
    await clock.advanceUntilVisible(outcome(page, 'stats').getByText('429'));
    await operation(page, 'stats').getByText('The next call is possible in').waitFor();
    assert.match((await operation(page, 'stats').locator('.countdown').textContent()) ?? '', /^(1 h|59 min)/);
    await send(page, 'latest');
    await operation(page, 'latest').getByText('Waiting for the rate limit: ').waitFor();
    await clock.advance(5000);
    assert.deepEqual(statuses, [200, 200, 200, 429], 'no call is made before the block ends');
    assert.match((await operation(page, 'latest').locator('.countdown').textContent()) ?? '', /^59 min/);
    await finish(['429']);
  });
});
