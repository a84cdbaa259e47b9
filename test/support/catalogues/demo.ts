/** The demo catalogue, drawn once for each version of its code: drawing takes ten seconds of CPU time. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { drawDemo, fillWithDemo } from '../../../demo/fill.ts';
import type { Config } from '../../../src/config/config.ts';
import { createCatalogue } from '../../../src/engines.ts';

const root = join(import.meta.dirname, '../../..');

export async function fillWithDrawnDemo(config: Config): Promise<void> {
  const drawn = await drawOnce();
  await createCatalogue(config);
  await fillWithDemo(config, async (folder) => {
    await cp(drawn, folder, { recursive: true });
    return join(folder, 'catalogue.ndjson');
  });
}

/** Returns a folder with the drawn demo. Draws under a temporary name, because several test files may run at once. */
async function drawOnce(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(sharp.versions));
  for (const file of globSync('demo/*.ts', { cwd: root }).sort()) hash.update(readFileSync(join(root, file)));
  const folder = join(root, 'node_modules/.cache', `demo-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await drawDemo(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
