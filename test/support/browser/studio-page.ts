/** The page of a studio in Chromium, with the catalogue of the gallery tests. */
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { startStudio } from '../../../src/cli/serving/studio.ts';
import { importGalleryCatalogue } from '../catalogues/gallery.ts';
import { startBrowser, type Visit, type VisitOptions, visit } from './browser.ts';

export async function openStudioPages(images: number) {
  // Before the folder of the catalogue is removed.
  after(() => studio[Symbol.asyncDispose]());
  const config = (await importGalleryCatalogue(images))();
  const studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  const browser = await startBrowser();
  const open = async (
    prepare?: VisitOptions['prepare'],
    options: Omit<VisitOptions, 'prepare'> = {},
  ): Promise<Visit> => {
    // Small: each picture on the screen takes CPU time.
    const viewport = { width: 1300, height: 500 };
    const opened = await visit(browser, studio.newAddress(), {
      viewport,
      ...options,
      ...(prepare && { prepare }),
    });
    await opened.page.locator('.tile[data-rating]').first().waitFor();
    return opened;
  };
  return { config, open };
}

/** Until the last step is this one. */
export const waitForUndo = (page: Page, text: string, state: 'visible' | 'attached' = 'visible') =>
  page.locator('#undo', { hasText: text }).waitFor({ state });

/** Until the page has said this. It hides the text after a while, which stays. */
export const waitForMessage = (page: Page, text: string) =>
  page.locator('#toast', { hasText: text }).waitFor({ state: 'attached' });

/** Until the panel has this title. */
export const waitForPanel = (page: Page, text: string, state: 'visible' | 'attached' = 'visible') =>
  page.locator('#panel h2', { hasText: text }).waitFor({ state });
