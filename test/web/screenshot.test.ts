// depth: all
/**
 * The screenshot of the gallery in the README. To update it, run
 * `UPDATE_SCREENSHOT=1 node --test test/web/screenshot.test.ts`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const path = join(root, 'docs/gallery.webp');

test('the README shows a screenshot of the expected size', async () => {
  if (process.env.UPDATE_SCREENSHOT) await (await import('./take-screenshot.ts')).takeScreenshot(path);
  const bytes = readFileSync(path);
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual({ width, height }, { width: 1440, height: 900 });
  assert.ok(bytes.length < 200_000, `${bytes.length} bytes`);
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /!\[[^\]]+\]\(docs\/gallery\.webp\)/);
});
