/** Draws the demo pictures. */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { inParallel } from '../src/lib/parallel.ts';
import { type DemoRecords, demoCatalogue } from './catalogue.ts';

/** Draws all pictures or some, writes a catalogue file with their records and returns its path. */
export async function drawDemo(folder: string, records: DemoRecords = demoCatalogue()): Promise<string> {
  const { entries, pictures, albums } = records;
  await inParallel(pictures, availableParallelism(), async ({ record, render }) => {
    const path = join(folder, record.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await render());
  });
  const catalogue = join(folder, 'catalogue.ndjson');
  const lines = [...entries, ...pictures.map(({ record }) => record), ...albums].map((record) =>
    JSON.stringify(record),
  );
  await writeFile(catalogue, `${lines.join('\n')}\n`);
  return catalogue;
}
