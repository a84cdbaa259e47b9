// depth: all
/**
 * The screenshots in the documentation. To update them, run
 * `UPDATE_SCREENSHOTS=1 node --test test/web/screenshots.test.ts`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/images');

test('the README shows screenshots of the expected size', async () => {
  if (process.env.UPDATE_SCREENSHOTS) await (await import('./take-screenshots.ts')).takeScreenshots(folder);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const name of ['gallery.webp', 'studio.webp']) {
    const bytes = readFileSync(join(folder, name));
    const { width, height } = await sharp(bytes).metadata();
    assert.deepEqual({ width, height }, { width: 1440, height: 900 }, name);
    assert.ok(bytes.length < 150_000, `${name}: ${bytes.length} bytes`);
    assert.ok(readme.includes(`](docs/images/${name})`), name);
  }
});
