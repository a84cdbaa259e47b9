/** Which calls a page makes before its main script is there. */
import assert from 'node:assert/strict';
import type { Visit, VisitOptions } from '../support/browser/browser.ts';
import { waitUntilIdle } from './page-helpers.ts';

type Open = (path: string, options: VisitOptions) => Promise<Visit>;

/** By path, the calls of the view. Files of the dialog are loaded once, too. */
export async function checkFirstCalls(open: Open, expected: Record<string, string[]>): Promise<void> {
  let main = Promise.withResolvers<void>();
  const scripts: string[] = [];
  const paths = Object.keys(expected);
  // The main script is deferred, so the page is not ready without it.
  const { page, requests, finish } = await open(paths[0] as string, {
    waitUntil: 'commit',
    async prepare(context) {
      context.on('request', (request) => scripts.push(new URL(request.url()).pathname));
      await context.route('**/gallery/main.js*', (route) => main.promise.then(() => route.continue()));
    },
  });
  const { origin } = new URL(page.url());
  for (const path of paths) {
    if (path !== paths[0]) {
      // Ends what the view before still loads.
      await page.goto('about:blank');
      main = Promise.withResolvers();
      requests.length = 0;
      scripts.length = 0;
      await page.goto(origin + path, { waitUntil: 'commit' });
    }
    if (requests.length === 0) await page.waitForRequest('**/api/**');
    const isImage = path.includes('image=');
    if (isImage) await page.locator('link[rel=preload][as=style]').waitFor({ state: 'attached' });
    assert.equal(requests.length, 1, path);
    main.resolve();
    // The view behind an open image is loaded after the image.
    if (isImage) await page.locator('#next:enabled').waitFor();
    await waitUntilIdle(page);
    const calls = requests.filter((request) => !request.includes('/similar'));
    assert.deepEqual(
      calls.map((request) => request.replace(/seed=[\d.-]+$/, 'seed=…')),
      expected[path],
    );
    if (!isImage) continue;
    const files = scripts.filter((path) => path.includes('image-dialog')).sort();
    assert.deepEqual(files, ['/gallery/image-dialog.css', '/gallery/image-dialog.js']);
  }
  await finish();
}
