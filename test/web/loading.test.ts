/** How the gallery loads: few files, and the first API call starts before all of them are there. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { startBrowser, visit } from '../support/browser/browser.ts';
import {
  artistId,
  characterId,
  importGalleryCatalogue,
  seaCategoryId,
  sfwImageId,
} from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startService } from '../support/zukan/service.ts';
import { waitForFirstImage, waitUntilIdle } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const MAX_BYTES = 45_000;

describe('loading the gallery', { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const makeConfig = await importGalleryCatalogue();
  const { origin } = await startService(makeConfig());
  const browser = await startBrowser();

  test('takes four files before the first tiles and three after them, together smaller than 45 KB', async () => {
    const sent: Request[] = [];
    const { page, requests, finish } = await visit(browser, `${origin}/`, {
      prepare: async (context) => context.on('request', (request) => sent.push(request)),
    });
    await waitForFirstImage(page);
    await page.locator('#choose-categories:enabled').waitFor();
    await page.waitForLoadState('networkidle');
    const isFile = ({ path }: { path: string }) => !/^\/files\/|icon/.test(path);
    const files = sent.map((request) => ({ request, path: new URL(request.url()).pathname })).filter(isFile);
    const paths = files.map(({ path }) => path);
    const early = ['/', '/gallery/start.js', '/gallery/style.css', '/gallery/main.js', '/api/image/random'];
    assert.deepEqual(paths.slice(0, early.length).sort(), early.toSorted());
    // The rest comes after the tiles, which come after the response.
    const late = ['image-dialog.js', 'image-dialog.css', 'later.js'].map((name) => `/gallery/${name}`);
    assert.deepEqual(paths.slice(early.length), late);
    const ownFiles = files.filter(({ path }) => !path.startsWith('/api/'));
    const sizes = await Promise.all(ownFiles.map(({ request }) => request.sizes()));
    const bytes = sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0);
    assert.ok(bytes > 5000 && bytes < MAX_BYTES, `${bytes} bytes`);
    assert.equal(requests.length, 1);
    await finish();
  });

  /** The first calls of each view. */
  const images = 'include=artist%2Cthumbnails';
  const calls: [path: string, ...expected: string[]][] = [
    ['/', `/image/random?limit=25&${images}&seed=…`],
    ['/?order=newest', `/image/latest?limit=25&${images}`],
    [
      '/?categories=sea,city&nsfw=sfw',
      `/image/random?categories=sea%2Ccity&nsfw=sfw&limit=25&${images}&seed=…`,
    ],
    [`/?image=${sfwImageId}`, `/image/${sfwImageId}?${images}`, `/image/random?limit=25&${images}&seed=…`],
    [`/?artist=${artistId}&page=2`, `/artist/${artistId}/images?limit=25&offset=25&${images}`],
    [`/?character=${characterId}`, `/image/random?character=${characterId}&limit=25&${images}&seed=…`],
    [
      `/?category=${seaCategoryId}`,
      `/category/${seaCategoryId}`,
      `/image/random?categories=sea&limit=25&${images}&seed=…`,
    ],
    ['/?in=characters&search=a_', '/character?limit=25&offset=0&include=count%2Ccover&search=a_'],
    [
      '/?search=a',
      ...['artist', 'character', 'category'].map(
        (kind) => `/${kind}?limit=25&offset=0&include=count%2Ccover&search=%25a%25`,
      ),
    ],
    [
      '/?categories=sea,city&match=any&exclude=moon',
      `/image/random?categories=sea%2Ccity&match=any&exclude=moon&limit=25&${images}&seed=…`,
    ],
  ];
  for (const [path, ...expected] of calls)
    test(`${path} starts its first call before the main script is there, and repeats none`, async () => {
      const main = Promise.withResolvers<void>();
      const { page, requests, finish } = await visit(browser, origin + path, {
        prepare: (context) =>
          context.route('**/gallery/main.js*', async (route) => {
            await main.promise;
            await route.continue();
          }),
        // The main script is deferred, so the page is not ready without it.
        waitUntil: 'commit',
      });
      await waitForRequest(page, requests);
      main.resolve();
      await waitUntilIdleOrOpen(page);
      const calls = requests.filter((request) => !request.includes('/similar'));
      const withoutSeed = calls.map((request) => request.replace(/seed=[\d.-]+$/, 'seed=…'));
      assert.deepEqual(withoutSeed, expected);
      await finish();
    });

  test('a shared image loads the dialog with the main script, and each of its files once', async () => {
    const main = Promise.withResolvers<void>();
    const paths: string[] = [];
    const { page, finish } = await visit(browser, `${origin}/?image=${sfwImageId}`, {
      async prepare(context) {
        context.on('request', (request) => paths.push(new URL(request.url()).pathname));
        await context.route('**/gallery/main.js*', async (route) => {
          await main.promise;
          await route.continue();
        });
      },
      waitUntil: 'commit',
    });
    await page.locator('link[rel=preload][as=style]').waitFor({ state: 'attached' });
    main.resolve();
    await page.locator('#next:enabled').waitFor();
    const files = paths.filter((path) => path.includes('image-dialog')).sort();
    assert.deepEqual(files, ['/gallery/image-dialog.css', '/gallery/image-dialog.js']);
    await finish();
  });

  test('an id that is none starts no call', async () => {
    const { page, requests, finish } = await visit(browser, `${origin}/?image=42`);
    await page.getByText('Invalid ID: it must be a UUID.').waitFor();
    assert.deepEqual(requests, []);
    await finish(['404']);
  });

  test('a first call that fails can be tried again', async () => {
    const { page, requests, finish } = await visit(browser, `${origin}/`, {
      prepare: (context) => context.route('**/api/**', (route) => route.abort(), { times: 1 }),
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForFirstImage(page);
    assert.equal(requests.length, 2);
    await finish(['net::ERR_FAILED']);
  });
});

const waitForRequest = async (page: Page, requests: string[]) => {
  if (requests.length === 0) await page.waitForRequest('**/api/**');
};

/** The view behind an open image is loaded after the image. */
const waitUntilIdleOrOpen = async (page: Page) => {
  if (page.url().includes('image=')) await page.locator('#next:enabled').waitFor();
  await waitUntilIdle(page);
};
