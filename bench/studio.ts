/** The studio in Chromium with 20,000 pictures: the first screen, scrolling, a change of 5,000, then 100 one by one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startStudio } from '../src/cli/serving/studio.ts';
import { keyed } from '../test/support/catalogues/import.ts';
import { writeLines } from '../test/support/catalogues/lines.ts';
import { tinyPicture } from '../test/support/pictures/tiny.ts';
import { findChromium } from '../test/support/servers/needs.ts';
import { newFolder } from '../test/support/workspace.ts';
import { importFiles } from '../test/support/zukan/import-files.ts';
import { configFor, filesFolder } from '../test/support/zukan/service.ts';

const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');

const IMAGES = 20_000;
const FILES = 50;
const RATED = 100;

export async function run(): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is missing');
  const config = await importCatalogue();
  await using studio = await startStudio(config, { host: '127.0.0.1', port: 0 });
  await using browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  // The policy of the page forbids the functions that this benchmark runs in it.
  const page = await browser.newPage({ viewport: { width: 1300, height: 800 }, bypassCSP: true });
  const metrics = await page.context().newCDPSession(page);
  await metrics.send('Performance.enable');
  const pageCpuMs = async () => {
    const values = (await metrics.send('Performance.getMetrics')).metrics;
    return 1000 * (values.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  /** CPU time is of the studio and this benchmark, and of the page's main thread. */
  const measure = async (name: string, work: () => Promise<unknown>) => {
    const [studioCpu, pageCpu, start] = [process.cpuUsage(), await pageCpuMs(), performance.now()];
    const ms = await work();
    const elapsed = typeof ms === 'number' ? ms : performance.now() - start;
    const { user, system } = process.cpuUsage(studioCpu);
    print(name, elapsed, (user + system) / 1000, Math.max(0, (await pageCpuMs()) - pageCpu));
  };
  const shows = (selector: string, text: string) => page.locator(selector, { hasText: text }).waitFor();
  await measure('first screen', () => showFirstScreen(page, studio.newAddress()));
  for (let time = 0; time < 3; time++)
    await measure('first screen, loaded again', () => showFirstScreen(page));
  await measure('longest blank of a visible picture, scrolling', () => measureBlank(page, 300, 150, true));
  await measure('longest blank of a visible picture, jumping', () => measureBlank(page, 80_000, 20, true));
  // Other places: the pictures of those before are in the cache.
  await measure('longest placeholder of one, jumping', () => measureBlank(page, 70_000, 20, false));
  await measure('summary of 20,000 pictures', async () => {
    await page.locator('#grid').press('Control+a');
    await shows('#panel h2', '20,000 pictures');
  });
  await page.selectOption('#rating-filter', 'questionable');
  await shows('#count', '5,000');
  for (let time = 0; time < 3; time++) {
    await page.locator('#grid').press('Control+a');
    await shows('#panel h2', '5,000 pictures');
    await measure('rating 5,000 pictures', async () => {
      await page.locator('#grid').press('3');
      await shows('#undo', 'Rate nsfw: 5000');
    });
    await measure('undoing it', async () => {
      await page.locator('#grid').press('z');
      await shows('#toast', 'Undone: Rate nsfw: 5000');
    });
    await page.evaluate(`document.getElementById('toast').textContent = ''`);
  }
  await page.locator('#grid').press('Escape');
  await page.locator('#grid').press('Home');
  const first = (await page.evaluate(
    `fetch('/data/history?').then((response) => response.json()).then(([last]) => last.number)`,
  )) as number;
  const start = performance.now();
  for (let picture = 0; picture < RATED; picture++) await page.keyboard.press('1');
  // Every press is a change.
  await page.waitForFunction(
    `fetch('/data/steps').then((response) => response.json()).then(({ last }) => last >= ${first + RATED})`,
  );
  print('rating one picture by keyboard', (performance.now() - start) / RATED);
}

function print(name: string, ms: number, studioMs?: number, pageMs?: number): void {
  const cpu = (whose: string, ms?: number) =>
    ms === undefined ? '' : `  ${whose} ${String(Math.round(ms)).padStart(4)} CPU ms`;
  console.log(`${name.padEnd(46)} ${Math.round(ms)} ms${cpu('studio', studioMs)}${cpu('page', pageMs)}`);
}

async function importCatalogue() {
  const folder = newFolder('zukan-bench-');
  const config = configFor(folder, {});
  const files = join(filesFolder(config), 'some');
  mkdirSync(files, { recursive: true });
  for (let file = 0; file < FILES; file++) writeFileSync(join(files, `${file}.png`), tinyPicture(file));
  const names = (type: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ type, name: `${type} ${index}` }));
  const images = Array.from({ length: IMAGES }, (_, index) =>
    keyed(index, {
      key: `some/${index % FILES}.png`,
      nsfw: index % 4 === 0 ? 'questionable' : 'sfw',
      artist: `artist ${index % 100}`,
      characters: [`character ${index % 70}`],
      categories: [`category ${index % 50}`, `category ${(index * 7) % 50}`],
    }),
  );
  const lines = [...names('artist', 100), ...names('category', 50), ...names('character', 70), ...images];
  await importFiles(config, [writeLines(folder, 'catalogue.ndjson', lines)]);
  return config;
}

async function showFirstScreen(page: Page, address?: string): Promise<void> {
  await (address ? page.goto(address) : page.reload());
  await page.waitForFunction(`(() => {
    const images = [...document.querySelectorAll('.tile[data-rating] img')];
    return images.length > 20 && images.every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
  })()`);
}

/**
 * Scrolls by so many pixels per frame. A picture is blank from the frame that shows its place until it has loaded, or until
 * there is a placeholder, if that counts.
 */
function measureBlank(
  page: Page,
  pixels: number,
  frames: number,
  countsPlaceholder: boolean,
): Promise<number> {
  return page.evaluate(`(async () => {
    const [pixels, frames, countsPlaceholder] = [${pixels}, ${frames}, ${countsPlaceholder}];
    const grid = document.getElementById('grid');
    const since = new Map();
    let longest = 0;
    const nextFrame = () => new Promise(requestAnimationFrame);
    const look = () => {
      const now = performance.now();
      const height = document.querySelector('.tile').getBoundingClientRect().height + 10;
      const columns = Math.round(grid.clientWidth / height);
      const loaded = new Set();
      for (const tile of document.querySelectorAll('.tile')) {
        const image = tile.querySelector('img');
        const hasPlaceholder = countsPlaceholder && tile.querySelector('canvas') !== null;
        if (hasPlaceholder || (image.complete && image.naturalWidth > 0)) loaded.add(Number(tile.dataset.index));
      }
      const first = Math.floor(grid.scrollTop / height) * columns;
      const end = first + Math.floor(grid.clientHeight / height) * columns;
      for (const index of since.keys()) if (index < first || index >= end || loaded.has(index)) since.delete(index);
      for (let index = first; index < end; index++) {
        if (loaded.has(index)) continue;
        if (!since.has(index)) since.set(index, now);
        longest = Math.max(longest, now - since.get(index));
      }
      return since.size;
    };
    grid.scrollTop = 0;
    for (let frame = 0; frame < frames; frame++) {
      grid.scrollTop += pixels;
      do await nextFrame();
      while (look() > 0 && pixels > 10_000);
      if (grid.scrollTop + grid.clientHeight + pixels > grid.scrollHeight) grid.scrollTop = 0;
    }
    return longest;
  })()`);
}
