/** Draws the demo pictures. */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { inParallel } from '../src/lib/parallel.ts';
import { demoCatalogue } from './catalogue.ts';

/** Called for each picture that is drawn, with how many there are. */
export type OnDrawn = (total: number) => void;

/** Draws all pictures, writes their catalogue file and returns its path. */
export async function drawDemo(folder: string, onDrawn: OnDrawn = () => {}): Promise<string> {
  const { entries, pictures, albums } = demoCatalogue();
  await inParallel(pictures, availableParallelism(), async ({ record, render }) => {
    const path = join(folder, record.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await render());
    onDrawn(pictures.length);
  });
  const catalogue = join(folder, 'catalogue.ndjson');
  const records = [...entries, ...pictures.map(({ record }) => record), ...albums];
  const lines = records.map((record) => JSON.stringify(record));
  await writeFile(catalogue, `${lines.join('\n')}\n`);
  return catalogue;
}
