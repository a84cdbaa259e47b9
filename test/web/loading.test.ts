/** How the gallery loads: few files, and the first API call starts before all of them are there. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Request } from 'playwright-core';
import { openGallery } from '../support/browser/gallery-pages.ts';
import { sfwImageId } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { checkFirstCalls } from './first-calls.ts';
import { ALL_RATINGS, waitForFirstImage } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
/** Before the first tiles, and of all files. */
const [MAX_EARLY_BYTES, MAX_BYTES] = [45_000, 60_000];

describe('loading the gallery', { skip }, async () => {
  if (skip) return;
  const { open } = await openGallery();

  test('takes four files of together 45 KB before the first tiles, and the rest and the font after them', async () => {
    const sent: Request[] = [];
    const { page, finish } = await open('/', {
      prepare: async (context) => context.on('request', (request) => sent.push(request)),
    });
    await waitForFirstImage(page);
    await page.locator('#choose-categories:enabled').waitFor();
    await page.waitForLoadState('networkidle');
    const isFile = ({ path }: { path: string }) => !/^\/files\/|icon|woff2/.test(path);
    const files = sent.map((request) => ({ request, path: new URL(request.url()).pathname })).filter(isFile);
    const paths = files.map(({ path }) => path);
    const early = ['/', '/gallery/start.js', '/gallery/style.css', '/gallery/main.js', '/api/image/random'];
    assert.deepEqual(paths.slice(0, early.length).sort(), early.toSorted());
    // The rest comes after the tiles, which come after the response.
    const late = ['image-dialog.js', 'image-dialog.css', 'later.js'].map((name) => `/gallery/${name}`);
    const isOwn = (path: string) => !path.startsWith('/api/');
    assert.deepEqual(paths.slice(early.length).filter(isOwn), late);
    const order = sent.map((request) => new URL(request.url()).pathname);
    const font = order.indexOf('/gallery/serif.woff2');
    assert.ok(font > order.indexOf('/gallery/image-dialog.js'), 'the font comes after the tiles');
    assert.equal(font, order.lastIndexOf('/gallery/serif.woff2'));
    const ownFiles = files.filter(({ path }) => isOwn(path));
    const sizes = await Promise.all(ownFiles.map(({ request }) => request.sizes()));
    const bytes = sizes.map(
      ({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize,
    );
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const [earlyBytes, allBytes] = [sum(bytes.slice(0, -late.length)), sum(bytes)];
    assert.ok(earlyBytes > 5000 && earlyBytes < MAX_EARLY_BYTES, `${earlyBytes} bytes`);
    assert.ok(allBytes < MAX_BYTES, `${allBytes} bytes`);
    await finish();
  });

  testDeep('the first calls start before the main script is there, and none is repeated', async () => {
    const images = 'include=artist%2Cthumbnails%2Cdetails';
    const random = `/image/random?${ALL_RATINGS}&limit=25&${images}&seed=…`;
    await checkFirstCalls(open, {
      '/': [random],
      [`/?image=${sfwImageId}`]: [`/image/${sfwImageId}?${images}`, random],
    });
  });
});
