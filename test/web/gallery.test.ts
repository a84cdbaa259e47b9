/** The gallery in a real browser: what people do with it, each time on a page that is watched (see support/browser.ts). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startBrowser, visit } from '../support/browser.ts';
import { galleryCatalogue, heroine, painter, questionableImage, sea, sfwImage } from '../support/gallery.ts';
import { findChromium, installChromium, unless } from '../support/needs.ts';
import { type Service, startService } from '../support/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);

const shownIds = (page: Page) =>
  page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset.id ?? ''));
/** Waits for a view's pictures: the tiles are there and nothing is asked for any more. */
const settled = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
const focused = (page: Page) => page.locator(':focus');

describe('the gallery', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const configFor = await galleryCatalogue();
  const service: Service = await startService(configFor());
  const browser: Browser = await startBrowser();
  const open = (path: string, options = {}) => visit(browser, service.origin + path, options);

  test('the first view is one call, and every picture has its place before it comes', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    assert.equal(calls.length, 1);
    assert.match(calls[0] ?? '', /^\/image\/random\?limit=25&seed=[\d.-]+$/);
    assert.equal(await page.locator('.tile').count(), 25);
    assert.equal(await page.locator('h1').count(), 1);
    const box = await page.locator('.tile').first().boundingBox();
    const colour = await page
      .locator('.tile')
      .first()
      .evaluate((tile) => tile.style.backgroundColor);
    assert.ok(box && box.height > 100);
    assert.match(colour, /^rgb\(\d+, \d+, \d+\)$/);
    const image = page.locator('.tile:not(.veiled) img').first();
    await page.locator('.tile:not(.veiled) img.loaded').first().waitFor();
    assert.match((await image.getAttribute('alt')) ?? '', /^(Nami <b>Umi<\/b>|かえで): (city, )?sea$/);
    await finish();
  });

  test('the filter takes several categories, and back and forward bring each view back without a call', async () => {
    const { page, calls, finish } = await open('/');
    const chip = (name: string) => page.locator('#filter').getByRole('button', { name, exact: true });
    await chip('sea').click();
    await page.waitForURL('**/?categories=sea');
    await settled(page);
    const sea = await shownIds(page);
    await chip('city').click();
    await page.waitForURL('**/?categories=sea,city');
    await settled(page);
    const both = await shownIds(page);
    assert.equal(both.length, 10);
    assert.equal(await page.locator('h1').textContent(), 'sea and city');
    assert.equal(await page.locator('.chip[aria-pressed="true"]').count(), 2);
    assert.equal(calls.length, 3);
    await page.goBack();
    await page.waitForURL('**/?categories=sea');
    assert.deepEqual(await shownIds(page), sea);
    await page.goForward();
    assert.deepEqual(await shownIds(page), both);
    await chip('sea').click();
    await page.waitForURL('**/?categories=city');
    await settled(page);
    assert.equal(calls.length, 4);
    await finish();
  });

  test('others are shown on demand, and back brings those before', async () => {
    const { page, calls, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    const before = await shownIds(page);
    await page.locator('#others').click();
    await settled(page);
    assert.notDeepEqual(await shownIds(page), before);
    await page.goBack();
    assert.deepEqual(await shownIds(page), before);
    assert.equal(calls.length, 2);
    await finish();
  });

  test('a picture opens with all that is known of it, without a call, and back closes it', async () => {
    const { page, calls, finish } = await open('/?categories=city');
    const link = page.locator('.tile:not(.veiled) a').first();
    const id = await link.getAttribute('data-open');
    await link.click();
    await page.waitForURL(`**/?categories=city&image=${id}`);
    const dialog = page.getByRole('dialog');
    for (const text of ['A book', 'city', 'sea', 'WEBP', 'works for'])
      assert.ok(await dialog.getByText(text).first().isVisible(), text);
    assert.match(
      await dialog.locator('.facts').innerText(),
      /\d+ × \d+, \d+:\d+ (landscape|portrait|square)/,
    );
    assert.equal(
      await dialog.locator('.curl code').textContent(),
      `curl '${service.origin}/api/image/${id}'`,
    );
    const json = JSON.parse((await dialog.locator('pre').textContent()) ?? '');
    assert.equal(json.id, id);
    assert.equal(await dialog.locator('img').getAttribute('src'), json.url);
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(calls.length, 1);
    await finish();
  });

  test('a shared link to a picture is one call, and closing it shows the place it is in', async () => {
    const { page, calls, finish } = await open(`/?categories=city&image=${sfwImage}`);
    await page.getByRole('dialog').locator('.facts').waitFor();
    assert.deepEqual(calls, [`/image/${sfwImage}`]);
    assert.ok(await page.locator('#next').isDisabled());
    await page.locator('#close').click();
    await page.locator('.tile').first().waitFor();
    assert.equal(new URL(page.url()).search, '?categories=city');
    assert.equal(calls.length, 2);
    await finish();
  });

  test("an artist's pages: the pictures and the name, and the name only once", async () => {
    const { page, calls, finish } = await open(`/?artist=${painter}`);
    await page.getByRole('heading', { level: 1, name: 'Hokusai & Daughter' }).waitFor();
    assert.ok(await page.getByText('30 pictures').isVisible());
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(`**/?artist=${painter}&page=2`);
    await settled(page);
    assert.equal((await shownIds(page)).length, 5);
    assert.deepEqual(calls, [
      `/artist/${painter}/images?limit=25&offset=0`,
      `/artist/${painter}`,
      `/artist/${painter}/images?limit=25&offset=25`,
    ]);
    await finish();
  });

  test('from a picture to its character and its category, whose records came along', async () => {
    const { page, calls, finish } = await open(`/?image=${questionableImage}`);
    await page.getByRole('dialog').getByRole('link', { name: 'Nami <b>Umi</b>' }).click();
    await page.waitForURL(`**/?character=${heroine}`);
    await settled(page);
    assert.match(await page.locator('#facts').innerText(), /Swims\.[\s\S]*Waves[\s\S]*diver/);
    assert.equal((await shownIds(page)).length, 15, 'all that there is of her');
    assert.equal(await page.locator('#end').innerText(), 'That is all: 15 pictures.');
    await page.goBack();
    await page.getByRole('dialog').getByRole('link', { name: 'sea', exact: true }).click();
    await page.waitForURL(`**/?category=${sea}`);
    await settled(page);
    assert.equal((await shownIds(page)).length, 25);
    assert.deepEqual(
      calls.map((call) => call.replace(/seed=[\d.-]+/, 'seed=…')),
      [
        `/image/${questionableImage}`,
        `/image/random?character=${heroine}&limit=25&seed=…`,
        '/image/random?categories=sea&limit=25&seed=…',
      ],
    );
    await finish();
  });

  test('search: results, none, and mistakes in the words of the API', async () => {
    const { page, calls, finish } = await open('/');
    await page.getByLabel('Search in').selectOption('artists');
    await page.getByLabel('Name or pattern').fill('hokusai');
    await page.keyboard.press('Enter');
    await page.getByText('No name matches.').waitFor();
    await page.getByRole('link', { name: 'Names that contain “hokusai”' }).click();
    await page.locator('#entries').getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    assert.equal(await page.getByLabel('Name or pattern').inputValue(), '%hokusai%');
    await page.getByLabel('Name or pattern').fill('[a-');
    await page.keyboard.press('Enter');
    const { message } = (await service.get('/api/artist?search=[a-')).json;
    await page.getByRole('alert').getByText(message).waitFor();
    assert.equal(await page.locator('.tile, #entries li:visible').count(), 0);
    assert.equal(calls.length, 4);
    await page.goBack();
    await page.locator('#entries').getByRole('link', { name: 'Hokusai & Daughter' }).waitFor();
    assert.equal(calls.length, 4);
    await finish(['400']);
  });

  test('what is not there, or is no address at all, is told', async () => {
    const { page, finish } = await open('/?categories=dragons');
    await page.getByText('Invalid categories: there is no category "dragons".').waitFor();
    await page.goto(`${service.origin}/?image=42`);
    await page.getByText('Invalid ID: it must be a UUID.').waitFor();
    await page.goto(`${service.origin}/?artist=${sea}`);
    await page.getByText('Artist not found.').waitFor();
    await finish(['400', '404']);
  });

  test('pictures that are not sfw are blurred until asked for, one or all of them', async () => {
    const { page, finish } = await open(`/?artist=${painter}`);
    const tile = page.locator(`[data-id="${questionableImage}"]`);
    const blur = () => tile.locator('img').evaluate((image) => getComputedStyle(image).filter);
    const show = tile.getByRole('button', { name: 'questionable · show' });
    assert.match(await blur(), /blur/);
    assert.equal(await page.locator('.veiled').count(), 3);
    await show.click();
    assert.equal(await blur(), 'none');
    assert.equal(await focused(page).getAttribute('data-open'), questionableImage);
    await page.getByLabel('Unblur all').check();
    assert.equal(await page.locator('.veiled').count(), 0);
    await page.reload();
    await page.locator('.tile').first().waitFor();
    assert.equal(await page.locator('.veiled').count(), 0, 'the switch is remembered');
    await page.getByLabel('Unblur all').uncheck();
    assert.equal(await page.locator('.veiled').count(), 3);
    await finish();
  });

  test('everything works by keyboard', async () => {
    const { page, finish } = await open(`/?artist=${painter}`);
    await page.getByRole('heading', { name: 'Hokusai & Daughter' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page).textContent(), 'Skip to the pictures');
    const ids = await shownIds(page);
    const reach = async (selector: string) => {
      for (let presses = 0; presses < 30; presses++) {
        if (await focused(page).evaluate((element, wanted) => element.matches(wanted), selector)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${selector} was not reached`);
    };
    await reach('.tile a');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[1]}`);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**image=${ids[2]}`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**image=${ids[1]}`);
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      // Between the last element and the first, the focus is the browser's own.
      const isWithin = await page.evaluate(
        () => document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
      );
      assert.ok(isWithin, 'the focus stays in the dialog');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await focused(page).getAttribute('data-open'), ids[1]);
    await finish();
  });

  test('on a phone and on a large screen nothing sticks out, and the pictures fill the rows', async () => {
    const { page, finish } = await open('/', { viewport: { width: 360, height: 740 } });
    const sticksOut = (element: Element) => element.scrollWidth > element.clientWidth;
    for (const [width, height] of [
      [360, 740],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.locator('.tile').first().waitFor();
      assert.equal(await page.locator('html').evaluate(sticksOut), false, `${width} px`);
      const grid = await page.locator('#grid').boundingBox();
      const rights = await page
        .locator('.tile')
        .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().right));
      assert.ok(grid && Math.abs(grid.x + grid.width - Math.max(...rights)) < 1, `${width} px`);
      await page.locator('.tile:not(.veiled) a').first().click();
      await page.getByRole('dialog').locator('img.loaded').waitFor();
      assert.equal(await page.locator('dialog').evaluate(sticksOut), false, `${width} px`);
      await page.locator('#close').click();
    }
    await finish();
  });

  test('without a connection it says so, and goes on when told to', async () => {
    const { page, finish } = await open('/');
    await page.locator('.tile').first().waitFor();
    await page.context().setOffline(true);
    await page.locator('#others').click();
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.tile').first().waitFor();
    // A browser logs what it could not reach.
    await finish(['ERR_INTERNET_DISCONNECTED']);
  });

  test('a link that expires is renewed while one looks at its picture', async () => {
    const brief = await startService(configFor({ LINK_LIFETIME: '2' }));
    const { page, calls, finish } = await visit(browser, `${brief.origin}/?image=${sfwImage}`);
    const image = page.getByRole('dialog').locator('img');
    const first = await image.getAttribute('src');
    await page.waitForFunction(
      (before) => document.querySelector<HTMLImageElement>('#detail img')?.src !== before,
      first,
    );
    assert.deepEqual(calls.slice(0, 2), [`/image/${sfwImage}`, `/image/${sfwImage}`]);
    await finish();
  });
});
