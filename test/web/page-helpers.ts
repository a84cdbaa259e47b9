/** Reads and waits for the state of a gallery page. */
import type { Page } from 'playwright-core';

/** In every call for images without a filter: without it, the API would leave some out if the operator wants that. */
export const ALL_RATINGS = 'nsfw=sfw%2Cquestionable%2Cnsfw';

export const shownIds = (page: Page) =>
  page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).dataset.id ?? ''));

/** The paths of the image files that the page requests, from now on. */
export function recordFiles(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/files/')) paths.push(pathname);
  });
  return paths;
}

export const waitForFirstImage = (page: Page) => page.locator('.tile').first().waitFor();

export const waitForImageCount = (page: Page, count: number) =>
  page.waitForFunction((count) => document.querySelectorAll('.tile').length >= count, count);

/** Waits until the data of the view has loaded. */
export const waitUntilIdle = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();

/** Opens the panel of filters, unless it is open. */
export async function openFilters(page: Page): Promise<void> {
  if (await page.locator('#filters').isHidden()) await page.locator('#options').click();
}

/** Scrolls near enough to the end to load more images, but keeps the moving button out of sight. */
export const scrollNearEnd = (page: Page) =>
  page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight - 1.9 * innerHeight));

/**
 * Scrolls to the end, and waits until the page knows. Browsers notify observers in the order they were created, so
 * the observers of the page have been called before this one.
 */
export const scrollToEnd = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        scrollTo(0, document.documentElement.scrollHeight);
        const observer = new IntersectionObserver((entries) => {
          if (!entries.at(-1)?.isIntersecting) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(document.getElementById('load-more') as HTMLElement);
      }),
  );

/** Waits until the page knows, as above. A frame would not come while a test clock stands still. */
export const scrollToTop = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        scrollTo(0, 0);
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body);
      }),
  );

/** Scrolls through the images on show until each that is not blurred has loaded. Scrolling may add more. */
export async function loadEveryTile(page: Page): Promise<void> {
  const count = await page.locator('.tile').count();
  const waitFor = (selector: string) =>
    page.waitForFunction((selector) => !document.querySelector(selector), selector);
  // Images load long before they are on the screen.
  for (let position = 1; position <= count; position += 5) {
    await page.evaluate(
      (position) => document.querySelector(`.tile:nth-child(${position})`)?.scrollIntoView(),
      position,
    );
    await waitFor(`.tile:nth-child(${position}):not(.blurred) img:not(.loaded)`);
  }
  await waitFor(`.tile:nth-child(-n + ${count}):not(.blurred) img:not(.loaded)`);
}

/** The statuses of all responses with files, from now on. */
export function recordFileStatuses(page: Page): Set<number> {
  const statuses = new Set<number>();
  page.on('response', (response) => {
    if (response.url().includes('/files/')) statuses.add(response.status());
  });
  return statuses;
}

/** No request may be on its way when the clock advances. */
export const waitForRequested = (page: Page) =>
  page.waitForFunction(() => {
    const requested = [...document.querySelectorAll('img[src]')];
    return requested.length > 0 && requested.every((image) => image.classList.contains('loaded'));
  });
