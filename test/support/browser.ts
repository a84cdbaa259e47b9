/** A real browser, and pages that are watched for what no page may do: errors, foreign requests, things that jump. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from './needs.ts';

/** As root, as in a container, Chromium cannot build its sandbox; it sees nothing here but our own pages. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium() as string;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  after(() => browser.close());
  return browser;
}

export interface Visit {
  page: Page;
  /** The API calls so far, without their prefix. */
  calls: string[];
  /** Fails unless the page kept to what every page must; `meant` are the failures that it was made to meet. */
  finish(meant?: string[]): Promise<void>;
}

/** What moved without anyone having touched anything, as browsers measure it. */
const watchShifts = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

export async function visit(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce' },
    ...options,
  });
  await context.addInitScript(watchShifts);
  const page = await context.newPage();
  const { origin } = new URL(address);
  const [calls, foreign, errors]: string[][] = [[], [], []];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) foreign?.push(url.href);
    if (url.pathname.startsWith('/api')) calls?.push(url.pathname.slice('/api'.length) + url.search);
  });
  page.on('pageerror', (error) => errors?.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors?.push(message.text());
  });
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  return {
    page,
    calls: calls as string[],
    async finish(meant = []) {
      const isMeant = (text: string) =>
        /^Failed to load resource/.test(text) && meant.some((what) => text.includes(what));
      assert.deepEqual(
        errors?.filter((text) => !isMeant(text)),
        [],
      );
      assert.deepEqual(foreign, [], 'no request leaves the service');
      const shifted = (await page.evaluate('globalThis.shifted')) as number;
      assert.ok(shifted <= 0.05, `the layout shifted by ${shifted}`);
      await context.close();
    },
  };
}

/** Scrolls so near to the end of the pictures that more are asked for, and not so near that one sees what moves on. */
export async function goOn(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight - 1.9 * innerHeight)');
}
