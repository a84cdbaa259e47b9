/** Fills an empty catalogue with pictures that the program draws itself, by way of an ordinary import. */
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

export async function fillWithDemo(config: Config): Promise<void> {
  if (!(await isEmptyCatalogue(config))) return;
  const folder = await mkdtemp(join(tmpdir(), 'zukan-demo-'));
  // An import minds signals by itself; drawing only has to tidy up.
  const stop = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const catalogue = await drawInto(folder).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop));
    await importFiles(config, [catalogue]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isEmptyCatalogue(config: Config): Promise<boolean> {
  await using store = await openStore(config);
  const { images, artists, characters, categories } = await store.catalogue.statistics();
  return [images, artists, characters, categories].every(({ count }) => count === 0);
}

/** Draws every picture and writes the catalogue file that names them; gives its path. */
async function drawInto(folder: string): Promise<string> {
  const { entries, pictures } = demoCatalogue();
  const progress = startProgress('Drawing the demo', pictures.length);
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
