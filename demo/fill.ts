/** Draws the demo pictures and imports them into an empty catalogue. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importFiles } from '../src/commands/import.ts';
import { startProgress } from '../src/commands/progress.ts';
import type { Config } from '../src/config/config.ts';
import { openStore } from '../src/engines.ts';
import { inParallel } from '../src/parallel.ts';
import { demoCatalogue } from './catalogue.ts';

export async function fillWithDemo(config: Config, draw = drawDemo): Promise<void> {
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

/** Draws all pictures, writes their catalogue file and returns its path. */
export async function drawDemo(folder: string): Promise<string> {
  const { entries, pictures } = demoCatalogue();
  const progress = startProgress('Drawing the demo', pictures.length, process);
  await inParallel(pictures, availableParallelism(), async ({ record, render }) => {
    const path = join(folder, record.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await render());
    progress.advance(1);
  });
  progress.finish();
  const catalogue = join(folder, 'catalogue.ndjson');
  const lines = [...entries, ...pictures.map(({ record }) => record)].map((record) => JSON.stringify(record));
  await writeFile(catalogue, `${lines.join('\n')}\n`);
  return catalogue;
}
