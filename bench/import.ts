/**
 * The cost of imports: images against sharp making the same thumbnails, and records against bare SQLite inserts of the
 * same rows. Each pair is measured alternately. Rates are per second of CPU time of all threads, so that other programs on
 * the machine hardly matter.
 */
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { readConfig } from '../src/config/config.ts';
import { inParallel } from '../src/lib/concurrency.ts';
import { importFiles } from '../test/support/zukan/import-files.ts';
import { writeCatalogue } from './catalogue.ts';
import { measureInTurn, median } from './statistics.ts';
import { openFolder } from './stores.ts';

const ROUNDS = 4;
const RECORDS = 30_000;
const LADDER = [480, 960, 1600];
const SAMPLE_SIZE = 64;

export async function run(): Promise<void> {
  await using folder = await openFolder();
  await importImages(folder.path);
  await importRecords(folder.path);
}

/** The pictures of the demo. */
async function importImages(folder: string): Promise<void> {
  const source = join(folder, 'images');
  await mkdir(source);
  for (const picture of demoPictures()) await copyFile(picture, join(source, basename(picture)));
  const files = await readdir(source);
  const measured = await measureInTurn(ROUNDS, [
    async () => {
      const config = readConfig({ DATA_DIR: newPath(folder), THUMBNAILS: LADDER.join() });
      return cpuSeconds(() => importFiles(config, [source]));
    },
    () =>
      cpuSeconds(() =>
        inParallel(files, 2 * availableParallelism(), (file) => readWithSharp(join(source, file))),
      ),
  ]);
  report('images', 'sharp', files.length, measured);
}

let paths = 0;
const newPath = (folder: string) => join(folder, String(++paths));

/** The files of the demo's pictures, without thumbnails. */
function demoPictures(): string[] {
  const folder = join(import.meta.dirname, '../demo');
  const [lists = ''] = globSync('lists-*/catalogue.ndjson', { cwd: folder });
  const keys = readFileSync(join(folder, lists), 'utf8').matchAll(/^\{"type":"image".*?"key":"([^"]+)"/gm);
  return Array.from(keys, ([, key = '']) => join(folder, 'files', key));
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
  let database = '';
  const measured = await measureInTurn(ROUNDS, [
    async () => {
      const config = readConfig({ DATA_DIR: newPath(folder) });
      database = join(config.dataDir, 'zukan.db');
      return cpuSeconds(() => importFiles(config, [file]));
    },
    () => cpuSeconds(async () => copyRows(database, newPath(folder))),
  ]);
  report('records', 'SQLite', RECORDS, measured);
}

/** Inserts the rows of an imported catalogue one by one, in one transaction. */
function copyRows(from: string, to: string): void {
  const [source, target] = [new DatabaseSync(from), new DatabaseSync(to)];
  target.exec('pragma journal_mode = wal; pragma cache_size = -65536');
  target.exec('begin');
  for (const table of ['shelf', 'image', 'image_shelves', 'shelf_block', 'size_block', 'edited']) {
    const schema = source.prepare('select sql from sqlite_master where tbl_name = ? and sql is not null');
    for (const { sql } of schema.all(table)) target.exec(String(sql).replace(/^create trigger.*/s, ''));
    const columns = source.prepare(`select * from ${table} limit 1`).columns().length;
    const insert = target.prepare(`insert into ${table} values (${Array(columns).fill('?').join()})`);
    const rows = source.prepare(`select * from ${table}`);
    rows.setReturnArrays(true);
    for (const row of rows.iterate() as unknown as Iterable<(string | number | null)[]>) insert.run(...row);
  }
  target.exec('commit');
  target.close();
  source.close();
}

function report(what: string, baseline: string, count: number, measured: number[][]): void {
  const [ours = [], theirs = []] = measured;
  const [ourRate, baselineRate] = [ours, theirs].map((times) => Math.round(count / median(times)));
  const ratios = ours.map((time, round) => (theirs[round] as number) / time);
  const rates = `${ourRate}/s, bare ${baseline} ${baselineRate}/s`;
  console.log(`${what}: ${rates}, ratio ${median(ratios).toFixed(2)}`);
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
