/** Importing a folder of small pictures for the first time, and again without changes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importFiles } from '../src/cli/importing/import.ts';
import { readConfig } from '../src/config/config.ts';
import { tinyPicture } from '../test/support/pictures/tiny.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const PER_FOLDER = 1000;
/** Files that were just written are read again. */
const SETTLE_MS = 3000;

export const usage = `folder [--pictures <number>] [--sidecars]
  --pictures  how many, 5000 by default
  --sidecars  with a sidecar for each`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: { pictures: { type: 'string', default: '5000' }, sidecars: { type: 'boolean', default: false } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    const count = Number(values.pictures);
    const source = join(folder, 'pictures');
    await writePictures(source, count, values.sidecars);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const config = readConfig({ DATA_DIR: join(folder, 'data') });
    const first = await timeInSeconds(() => importFiles(config, [source]));
    const again: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      again.push(await timeInSeconds(() => importFiles(config, [source])));
    const unchanged = median(again);
    console.log(
      `${count} pictures: first import ${first.toFixed(2)} s, again ${unchanged.toFixed(3)} s, ` +
        `${Math.round(first / unchanged)} times faster`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writePictures(folder: string, count: number, withSidecars: boolean): Promise<void> {
  for (let index = 0; index < count; index++) {
    const inside = join(folder, `category ${Math.floor(index / PER_FOLDER)}`);
    if (index % PER_FOLDER === 0) await mkdir(inside, { recursive: true });
    await writeFile(join(inside, `${index}.png`), tinyPicture(index));
    if (withSidecars)
      await writeFile(join(inside, `${index}.json`), JSON.stringify({ artist: `Artist ${index % 100}` }));
  }
}

async function timeInSeconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
