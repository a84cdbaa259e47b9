/** Imports the demo into an empty catalogue. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawDemo } from '../../../demo/draw.ts';
import type { Config } from '../../config/config.ts';
import { openStore } from '../../server/engines.ts';
import { importFiles } from '../importing/import.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';

/** `draw` makes the pictures and their catalogue file in a folder. */
export async function fillWithDemo(config: Config, draw = drawWithProgress): Promise<void> {
  if (!(await isEmptyCatalogue(config))) return;
  const folder = await mkdtemp(join(tmpdir(), 'zukan-demo-'));
  // The import handles signals itself; while drawing, only the temporary folder has to be removed.
  const stop = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const catalogue = await draw(folder).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop));
    await importFiles(config, [catalogue], {}, 'the demo');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isEmptyCatalogue(config: Config): Promise<boolean> {
  await using store = await openStore(config);
  const { images, artists, characters, categories } = await store.catalogue.statistics();
  return [images, artists, characters, categories].every(({ count }) => count === 0);
}

async function drawWithProgress(folder: string): Promise<string> {
  let progress: Progress | undefined;
  const catalogue = await drawDemo(folder, (total) => {
    progress ??= startProgress('Drawing the demo', total, process);
    progress.advance(1);
  });
  progress?.finish();
  return catalogue;
}
