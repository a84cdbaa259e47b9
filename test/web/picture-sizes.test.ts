// depth: all
/** The gallery loads pictures in the size that it shows: counts the bytes of 24-megapixel pictures. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { importFiles } from '../../src/cli/importing/import.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { drawPhoto } from '../support/pictures/photo.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import { loadEveryTile, recordFiles } from './page-helpers.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const PHOTO_COUNT = 25;
const animationId = uuid(4, 99);
const viewport = { width: 1280, height: 800 };

/** The photos share a file, because drawing and importing it takes time. Their links differ. */
async function importPhotos() {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'photo.jpg'), await drawPhoto(6000, 4000));
  await drawInto(folder, {
    file: 'moving.gif',
    format: 'gif',
    width: 600,
    height: 400,
    colour: '#204060',
    frames: 2,
  });
  const photos = Array.from({ length: PHOTO_COUNT }, (_, index) => ({
    type: 'image',
    id: uuid(4, index + 1),
    nsfw: 'sfw',
    categories: ['photo'],
    file: 'photo.jpg',
  }));
  const lines = [
    { type: 'category', name: 'photo', description: '' },
    { type: 'category', name: 'animation', description: '' },
    ...photos,
    { type: 'image', id: animationId, nsfw: 'sfw', categories: ['animation'], file: 'moving.gif' },
  ];
  const path = join(folder, 'photos.ndjson');
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await importFiles(configFor(folder), [path]);
  return configFor(folder);
}

/** The bytes of all images from now on, as they were sent. */
async function countImageBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const images = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Image') images.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (images.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes;
}

describe('pictures of 24 megapixels', { skip }, async () => {
  if (skip) return;
  const { origin } = await startService(await importPhotos());
  const browser = await startBrowser();

  for (const [deviceScaleFactor, maxBytes] of [
    [1, 1_500_000],
    [2, 4_000_000],
  ] as const)
    test(`a page of them is at most ${maxBytes} bytes at ratio ${deviceScaleFactor}`, async (t) => {
      const { page, finish } = await visit(browser, `${origin}/?in=artists&search=nobody`, {
        viewport,
        deviceScaleFactor,
      });
      const files = recordFiles(page);
      const imageBytes = await countImageBytes(page);
      await page.goto(`${origin}/?categories=photo`);
      await page.getByText(`All ${PHOTO_COUNT} images shown.`).waitFor();
      await loadEveryTile(page);
      t.diagnostic(`${imageBytes()} bytes in ${files.length} files`);
      assert.equal(files.length, PHOTO_COUNT);
      for (const path of files) assert.match(path, /-(480|960)\.webp$/);
      assert.ok(imageBytes() <= maxBytes, `${imageBytes()} bytes`);
      await finish();
    });

  test('the dialog loads a thumbnail, those of the next pictures, and the original when the visitor zooms in', async () => {
    // Neither the first nor the last.
    const id = uuid(4, 5);
    const { page, finish } = await visit(browser, `${origin}/?order=newest&categories=photo&image=${id}`, {
      viewport,
    });
    const files = recordFiles(page);
    const picture = page.locator('#stage img');
    await page.locator('#stage img.loaded').waitFor();
    const fitted = await picture.boundingBox();
    assert.equal(files[0], `/files/${id}-960.webp`);
    await page.getByRole('button', { name: 'Zoom' }).click();
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('#stage img');
      return image?.complete && image.currentSrc.includes('.jpg');
    });
    // The view behind the dialog may show the image too.
    const opened = files.filter((path) => path.includes(id) && !path.endsWith('-480.webp'));
    assert.deepEqual(opened, [`/files/${id}-960.webp`, `/files/${id}.jpg`]);
    const others = () => files.filter((path) => path.endsWith('-960.webp') && !path.includes(id));
    await until('the next pictures have loaded', () => new Set(others()).size === 2);
    assert.equal((await picture.boundingBox())?.width, 3 * (fitted?.width ?? 0));
    await page.getByRole('button', { name: 'Zoom' }).click();
    assert.deepEqual(await picture.boundingBox(), fitted);
    await finish();
  });

  test('an animation stands still in the grid, and moves in the dialog', async () => {
    const options = { viewport, reducedMotion: 'no-preference' as const };
    const { page, finish } = await visit(browser, `${origin}/?categories=animation`, options);
    const files = recordFiles(page);
    await page.locator('.tile img.loaded').waitFor();
    assert.deepEqual(files, [`/files/${animationId}-480.webp`]);
    await page.locator('.tile a').click();
    await page.locator('#stage img.loaded').waitFor();
    assert.deepEqual(files, [`/files/${animationId}-480.webp`, `/files/${animationId}.gif`]);
    await finish();
  });

  test('a placeholder shows until the picture has loaded', async () => {
    const { page, finish } = await visit(browser, `${origin}/?in=artists&search=nobody`, { viewport });
    const release = Promise.withResolvers<void>();
    await page.route('**/files/**', (route) => release.promise.then(() => route.continue()));
    await page.getByRole('link', { name: 'zukan, home' }).click();
    // The animation has a single colour.
    const tile = page.locator(`.tile:not([data-id="${animationId}"])`).first();
    const canvas = tile.locator('canvas');
    await canvas.waitFor();
    const colours = await canvas.evaluate((element: HTMLCanvasElement) => {
      const { data } = element.getContext('2d')?.getImageData(0, 0, element.width, element.height) ?? {};
      return new Set(data).size;
    });
    assert.ok(colours > 10, 'shows more than one colour');
    const opacity = () => canvas.evaluate((element) => getComputedStyle(element).opacity);
    assert.equal(await opacity(), '1');
    release.resolve();
    await tile.locator('img.loaded').waitFor();
    assert.equal(await opacity(), '0');
    await finish();
  });
});
