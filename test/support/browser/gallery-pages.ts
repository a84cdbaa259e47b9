/** The gallery in Chromium, of one service that all test files of the process share. They must not change its catalogue. */
import { cpSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { createApp } from '../../../src/server/app.ts';
import { atEnd } from '../at-end.ts';
import { importGalleryCatalogue } from '../catalogues/gallery.ts';
import { newFolder } from '../workspace.ts';
import { configFor } from '../zukan/service.ts';
import { startBrowser, type VisitOptions, visit } from './browser.ts';

interface Gallery {
  config: Config;
  origin: string;
}

/** By the number of images. A service takes half a second of CPU time to prepare its pages. */
const galleries = new Map<number, Promise<Gallery>>();

export async function openGallery(images = 30) {
  const gallery = galleries.get(images) ?? startGallery(images);
  galleries.set(images, gallery);
  const { config, origin } = await gallery;
  const browser = await startBrowser();
  const open = (path: string, options: VisitOptions = {}) => visit(browser, origin + path, options);
  return { config, origin, browser, open };
}

async function startGallery(images: number): Promise<Gallery> {
  const folder = newFolder('zukan-gallery-');
  const { dataDir } = (await importGalleryCatalogue(images))();
  cpSync(dirname(dataDir), folder, { recursive: true });
  const config = configFor(folder);
  const app = await createApp(config);
  atEnd(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { config, origin: await app.listen({ host: '127.0.0.1', port: 0 }) };
}
