import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../demo');

/** The files of the demo's pictures, without thumbnails. */
export function demoPictures(): string[] {
  const [lists = ''] = globSync('lists-*/catalogue.ndjson', { cwd: folder });
  const keys = readFileSync(join(folder, lists), 'utf8').matchAll(/^\{"type":"image".*?"key":"([^"]+)"/gm);
  return Array.from(keys, ([, key = '']) => join(folder, 'files', key));
}
