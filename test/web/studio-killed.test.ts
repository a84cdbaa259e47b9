/** A browser is killed while edits wait: those that it showed are saved when the studio is opened again, once. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { testDeep } from '../support/depth.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { newFolder } from '../support/workspace.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');
const skip = unless(findChromium(), 'Chromium', installChromium);
const LATENCY_MS = 400;
const KEY_MS = 50;

describe('a killed browser', { skip }, async () => {
  if (skip) return;
  const children: ChildProcess[] = [];
  after(() => children.forEach(kill));

  const kill = ({ pid = 0, exitCode, signalCode }: ChildProcess) => {
    // With all processes of its pages.
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  };

  /** Opens the studio in a browser that keeps what it stores in the folder. */
  async function openBrowser(profile: string, address: string) {
    const program = findChromium() as string;
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'];
    const child = spawn(program, [...options, `--user-data-dir=${profile}`], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let output = '';
    while (!/ws:\S+/.test(output)) output += (await once(child.stderr as NodeJS.EventEmitter, 'data'))[0];
    const browser = await chromium.connectOverCDP(/ws:\S+/.exec(output)?.[0] ?? '');
    const context = browser.contexts()[0] ?? (await browser.newContext());
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await page.setViewportSize({ width: 1600, height: 1000 });
    await page.goto(address);
    await page.locator('.tile[data-rating]').first().waitFor();
    return { page, child };
  }

  const shownIds = (page: Page) =>
    page
      .locator('.tile[data-rating="nsfw"] img')
      .evaluateAll((images) => images.map((image) => image.getAttribute('src')?.split('/')[2] ?? ''));

  /** Presses so many keys; while that goes on, `interrupt` kills something, and returns what was shown by then. */
  async function rateAndKill(
    keys: number,
    delayMs: number,
    answer: () => Promise<unknown>,
    interrupt: (page: Page, child: ChildProcess) => Promise<string[]>,
  ): Promise<void> {
    const config = (await importGalleryCatalogue(keys))();
    const profile = join(newFolder('zukan-browser-'), 'profile');
    const start = () => startStudio(config, { host: '127.0.0.1', port: undefined });
    let shown: string[] = [];
    {
      await using studio = await start();
      const { page, child } = await openBrowser(profile, studio.newAddress());
      await page.route('**/change/images', async (route) => {
        await answer();
        await route.continue().catch(() => {});
      });
      await page.locator('#tile-0').click();
      const pressing = (async () => {
        for (let key = 0; key < keys; key++) {
          await page.keyboard.press('3');
          await sleep(delayMs);
        }
      })().catch(() => {});
      shown = await interrupt(page, child);
      kill(child);
      await pressing;
    }
    assert.ok(shown.length > 0);
    await using studio = await start();
    const { page, child } = await openBrowser(profile, studio.newAddress());
    await page.locator('#undo', { hasText: 'Rate nsfw: 1 image' }).waitFor();
    await page.locator('#unsaved:empty').waitFor({ state: 'attached' });
    kill(child);
    await using snapshot = await openSnapshot(config);
    const ratings = (await snapshot.imagesById(shown)).map(({ document }) => readDocument(document).nsfw);
    assert.deepEqual(
      ratings.filter((rating) => rating !== 'nsfw'),
      [],
    );
    const changes = await snapshot.changeLog.list({ limit: 1000, origin: 'studio' });
    assert.ok(changes.length >= shown.length && changes.length <= keys, `${changes.length} changes`);
  }

  test('has kept what waited, and the studio listens where it did before', () =>
    rateAndKill(
      12,
      0,
      // Nothing arrives before the end.
      () => new Promise(() => {}),
      async (page) => {
        await page.locator('#unsaved', { hasText: '12 unsaved' }).waitFor();
        return shownIds(page);
      },
    ));

  for (const seed of [1, 2, 3, 4])
    testDeep(`at a random moment of 500 keys (${seed})`, () =>
      rateAndKill(
        500,
        KEY_MS,
        () => sleep(LATENCY_MS),
        async (page) => {
          await sleep(1000 + seededRandomInt(seed)(500 * KEY_MS));
          const shown = await shownIds(page);
          // The tab, without asking, and then the browser, or only that.
          if (seed % 2 === 0) await page.close();
          return shown;
        },
      ),
    );
});
