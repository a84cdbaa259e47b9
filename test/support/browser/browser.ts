/** Opens pages in Chromium and checks them for errors, requests to other origins and layout shifts. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { atEnd } from '../at-end.ts';
import { findChromium, installChromium, unless } from '../servers/needs.ts';

/** Loading this CommonJS package with `import` takes 0.3 seconds more of CPU time. */
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');

/** Only ends a test that hangs: a busy machine may need a minute for what takes a second. */
export const TIMEOUT_MS = 120_000;

/** Declares tests that need Chromium. Without it they are skipped, and nothing is prepared for them. */
export function describeInChromium(name: string, suite: () => Promise<void>): void {
  const skip = unless(findChromium(), 'Chromium', installChromium);
  describe(name, { skip }, skip ? undefined : suite);
}

let browser: Promise<Browser> | undefined;

/** The browser of all test files of this process. */
export async function startBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return await browser;
}

/**
 * Chromium cannot use its sandbox when it runs as root. It loads only our own pages. They live so briefly that optimising their
 * code takes more time than it saves.
 */
export const launchOptions = () => ({
  executablePath: findChromium() as string,
  timeout: TIMEOUT_MS,
  args: ['--no-sandbox', '--disable-gpu', '--js-flags=--no-opt'],
  // Tests of commands send signals to this process, which Playwright would end.
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
});

async function launchBrowser(): Promise<Browser> {
  const launched = await chromium.launch(launchOptions());
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

/**
 * How much has moved before somebody did something: what follows that depends on how fast the machine is. New tiles move what is
 * below them, as the visitor expects.
 */
const measureLayoutShift = `
  globalThis.layoutShift = 0;
  let isUntouched = true;
  for (const type of ['pointerdown', 'keydown', 'input', 'change'])
    addEventListener(type, () => (isUntouched = false), { capture: true, once: true });
  const isBelowImages = ({ node }) => node?.parentElement?.closest('.pages, footer') || node?.matches?.('.pages, footer');
  new PerformanceObserver((list) => {
    for (const { sources, value } of list.getEntries())
      if (isUntouched && !(sources.length > 0 && sources.every(isBelowImages))) globalThis.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
const MAX_LAYOUT_SHIFT = 0.05;
const defaultViewport = { width: 1000, height: 500 };

/** A context with one page. */
export async function openPage(
  browser: Browser,
  { prepare, ...options }: Omit<VisitOptions, 'waitUntil'> = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: defaultViewport,
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  await context.addInitScript(measureLayoutShift);
  await prepare?.(context);
  return context.newPage();
}

/** A page that the next visit can use: a new context costs as much CPU time as loading the gallery. */
let sharedPage: Page | undefined;

/** A visit that needs only a viewport takes the shared page. If it fails, it does not give the page back. */
async function takeSharedPage(browser: Browser, viewport = defaultViewport): Promise<Page> {
  const page = sharedPage ?? (await openPage(browser));
  sharedPage = undefined;
  await page.setViewportSize(viewport);
  return page;
}

/** What a visitor left behind. Only the HTTP cache and the history stay. */
async function resetPage(page: Page): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.emulateMedia({ colorScheme: null });
  await page.goto('about:blank');
  await context.clearCookies();
  await context.setOffline(false);
}

/**
 * Opens the URL. Without options other than a viewport, pages are reused, so what a test changes in the context, such as its
 * routes, needs `prepare`.
 */
export async function visit(
  browser: Browser,
  url: string,
  { waitUntil = 'domcontentloaded', ...options }: VisitOptions = {},
): Promise<Visit> {
  const { viewport, ...rest } = options;
  const isShared = Object.keys(rest).length === 0;
  const page = isShared
    ? await takeSharedPage(browser, viewport ?? undefined)
    : await openPage(browser, options);
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
      if (!isShared) return page.context().close();
      await resetPage(page);
      sharedPage = page;
    },
  };
}
