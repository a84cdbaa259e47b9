/** The demo catalogue. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import sharp from 'sharp';
import { type DemoRecords, demoCatalogue } from '../../../demo/catalogue.ts';
import { drawDemo } from '../../../demo/draw.ts';
import { PLANS, type Plan } from '../../../demo/pictures.ts';
import { sceneOf } from '../../../demo/staging.ts';
import { importFiles } from '../../../src/cli/importing/import.ts';
import type { Config } from '../../../src/config/config.ts';
import { temporaryFolder } from '../workspace.ts';

const root = join(import.meta.dirname, '../../..');

/** The records of the demo, without files: drawing takes ten seconds of CPU time, and the thumbnails five. */
export async function fillWithDemoRecords(config: Config): Promise<void> {
  await importFiles(config, [await writeDemoRecords(temporaryFolder())]);
}

/** The same as `drawDemo`, without files. */
export async function writeDemoRecords(
  folder: string,
  { entries, pictures, albums }: DemoRecords = demoCatalogue(),
): Promise<string> {
  const images = pictures.map(({ record: { file, ...record } }) => {
    const extension = extname(file).slice(1);
    const number = Number.parseInt(basename(file), 10);
    const { width, height } = sceneOf(PLANS[number - 1] as Plan, number);
    return {
      ...record,
      key: `${record.id}.${extension}`,
      meta: {
        eTag: record.id,
        size: 1000,
        mimetype: `image/${extension === 'jpg' ? 'jpeg' : extension}`,
        color: '#102030',
        dimens: { width, height },
      },
    };
  });
  const path = join(folder, 'catalogue.ndjson');
  writeFileSync(path, [...entries, ...images, ...albums].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

/** The demo, drawn once for each version of its code. */
export async function fillWithDrawnDemo(config: Config): Promise<void> {
  await importFiles(config, [join(await drawOnce(), 'catalogue.ndjson')]);
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
