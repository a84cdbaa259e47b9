/**
 * The speed of imports: images against sharp making the same thumbnails, and records against bare SQLite inserts of the
 * same rows. Each pair is measured alternately.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { demoCatalogue } from '../demo/catalogue.ts';
import { importFiles } from '../src/commands/import.ts';
import { readConfig } from '../src/config/config.ts';
import { inParallel } from '../src/parallel.ts';
import { catalogueSchema } from '../src/store/sqlite/schema.ts';
import { writeCatalogue } from './catalogue.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const RECORDS = 100_000;
const COPIES = 6;
const LADDER = [480, 960, 1600];
const SAMPLE_SIZE = 64;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    await importImages(folder);
    await importRecords(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Copies of the demo images with different bytes: identical files would be stored once. */
async function importImages(folder: string): Promise<void> {
  const source = join(folder, 'images');
  await mkdir(source);
  await inParallel(
    demoCatalogue().pictures.entries(),
    availableParallelism(),
    async ([number, { record, render }]) => {
      const bytes = await render();
      const extension = record.file.replace(/.*\./, '');
      for (let copy = 0; copy < COPIES; copy++)
        await writeFile(
          join(source, `${number}-${copy}.${extension}`),
          Buffer.concat([bytes, Buffer.from(`${copy}`)]),
        );
    },
  );
  const files = await readdir(source);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const config = readConfig({ DATA_DIR: join(folder, `data ${round}`), THUMBNAILS: LADDER.join() });
    ours.push(await timeInSeconds(() => importFiles(config, [source])));
    bare.push(
      await timeInSeconds(() =>
        inParallel(files, 2 * availableParallelism(), (file) => readWithSharp(join(source, file))),
      ),
    );
  }
  report('images', 'sharp', files.length / median(ours), files.length / median(bare));
}

/** Makes what an import makes: dimensions, type, thumbnails from one decode, and a small sample for the colour. */
async function readWithSharp(path: string): Promise<void> {
  const bytes = await readFile(path);
  const { width, height } = await sharp(bytes).metadata();
  const sizes = LADDER.filter((size) => size < Math.max(width, height)).reverse();
  let current = await shrink(sharp(bytes).autoOrient(), sizes[0] ?? SAMPLE_SIZE);
  for (const [index, size] of sizes.entries()) {
    if (index > 0) current = await shrink(reopen(current), size);
    await reopen(current).webp({ quality: 75, effort: 2 }).toBuffer();
  }
  await shrink(reopen(current), SAMPLE_SIZE);
}

function shrink(image: Sharp, size: number): Promise<{ data: Buffer; info: OutputInfo }> {
  return image.resize(size, size, { fit: 'inside' }).raw().toBuffer({ resolveWithObject: true });
}

function reopen({ data, info: { width, height, channels } }: { data: Buffer; info: OutputInfo }): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

async function importRecords(folder: string): Promise<void> {
  const file = join(folder, 'records.ndjson');
  await writeCatalogue(file, RECORDS);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const config = readConfig({ DATA_DIR: join(folder, `records ${round}`) });
    ours.push(await timeInSeconds(() => importFiles(config, [file])));
    bare.push(
      await timeInSeconds(async () =>
        copyRows(join(config.dataDir, 'zukan.db'), join(folder, `bare ${round}.db`)),
      ),
    );
  }
  report('records', 'SQLite', RECORDS / median(ours), RECORDS / median(bare));
}

/** Inserts the rows of an imported catalogue one by one, in one transaction. */
function copyRows(from: string, to: string): void {
  const [source, target] = [new DatabaseSync(from), new DatabaseSync(to)];
  target.exec('pragma journal_mode = wal; pragma cache_size = -65536');
  for (const step of catalogueSchema.steps) target.exec(step);
  target.exec('delete from shelf; begin');
  for (const table of ['shelf', 'image', 'placement']) {
    const columns = source.prepare(`select * from ${table} limit 1`).columns().length;
    const insert = target.prepare(`insert into ${table} values (${Array(columns).fill('?').join()})`);
    const order = table === 'placement' ? 'order by image' : '';
    const rows = source.prepare(`select * from ${table} ${order}`);
    rows.setReturnArrays(true);
    for (const row of rows.iterate() as unknown as Iterable<(string | number | null)[]>) insert.run(...row);
  }
  target.exec('commit');
  target.close();
  source.close();
}

function report(what: string, baseline: string, ourRate: number, baselineRate: number): void {
  const ratio = (ourRate / baselineRate).toFixed(2);
  console.log(
    `${what}: ${Math.round(ourRate)}/s, bare ${baseline} ${Math.round(baselineRate)}/s, ratio ${ratio}`,
  );
}

async function timeInSeconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
