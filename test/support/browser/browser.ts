/** Opens pages in Chromium and checks them for errors, requests to other origins and layout shifts. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { atEnd } from '../at-end.ts';
import { findChromium } from '../servers/needs.ts';

/** Loading this CommonJS package with `import` takes 0.3 seconds more of CPU time. */
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');

let browser: Promise<Browser> | undefined;

/** The browser of all test files of this process. Each page has a context of its own. */
export async function startBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return await browser;
}

/** Chromium cannot use its sandbox when it runs as root. It loads only our own pages. */
async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium() as string;
  const launched = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  atEnd(() => launched.close());
  return launched;
}

export interface Visit {
  page: Page;
  /** The API requests so far, without the prefix. */
  requests: string[];
  /** Closes the page. Fails on any error except failed requests that contain one of these texts. */
  finish(expectedFailures?: string[]): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Called before the page loads. */
  prepare?(context: BrowserContext): Promise<unknown>;
  waitUntil?: 'domcontentloaded' | 'commit';
}

/** New images move what is below them, as the visitor expects. On a slow machine they come when it is on the screen. */
const measureLayoutShift = `
  globalThis.layoutShift = 0;
  const isBelowImages = ({ node }) => node?.parentElement?.closest('#load-more, footer') || node?.matches?.('#load-more, footer');
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources, value } of list.getEntries())
      if (!hadRecentInput && !(sources.length > 0 && sources.every(isBelowImages))) globalThis.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
const MAX_LAYOUT_SHIFT = 0.05;

export async function visit(
  browser: Browser,
  url: string,
  { prepare, waitUntil = 'domcontentloaded', ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce' },
    ...options,
  });
  await context.addInitScript(measureLayoutShift);
  await prepare?.(context);
  const page = await context.newPage();
  const { origin } = new URL(url);
  const requests: string[] = [];
  const foreignRequests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.origin !== origin) foreignRequests.push(target.href);
    if (target.pathname.startsWith('/api'))
      requests.push(target.pathname.slice('/api'.length) + target.search);
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  await page.goto(url, { waitUntil });
  return {
    page,
    requests,
    async finish(expectedFailures = []) {
      const isExpected = (text: string) =>
        text.startsWith('Failed to load resource') && expectedFailures.some((part) => text.includes(part));
      assert.deepEqual(
        errors.filter((text) => !isExpected(text)),
        [],
      );
      assert.deepEqual(foreignRequests, [], 'requests to other origins');
      const layoutShift = (await page.evaluate('globalThis.layoutShift')) as number;
      assert.ok(layoutShift <= MAX_LAYOUT_SHIFT, `the layout shifted by ${layoutShift}`);
      await context.close();
    },
  };
}
