/**
 * How fast an import is: pictures beside sharp reading the same of them on the same cores, and records beside bare SQLite
 * inserts of the same rows. Both in turn, in the same run.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sharp from 'sharp';
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

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    await pictures(folder);
    await records(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The demo's pictures, each some times over with other bytes: the same picture would be read, but kept once. */
async function pictures(folder: string): Promise<void> {
  const source = join(folder, 'pictures');
  await mkdir(source);
  await inParallel(
    demoCatalogue().pictures.entries(),
    availableParallelism(),
    async ([number, { record, render }]) => {
      const bytes = await render();
      const ending = record.file.replace(/.*\./, '');
      for (let copy = 0; copy < COPIES; copy++)
        await writeFile(
          join(source, `${number}-${copy}.${ending}`),
          Buffer.concat([bytes, Buffer.from(`${copy}`)]),
        );
    },
  );
  const files = await readdir(source);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const config = readConfig({ DATA_DIR: join(folder, `data ${round}`) });
    ours.push(await seconds(() => importFiles(config, [source])));
    bare.push(
      await seconds(() =>
        inParallel(files, 2 * availableParallelism(), (file) => readBare(join(source, file))),
      ),
    );
  }
  const [our, their] = [files.length / median(ours), files.length / median(bare)];
  console.log(
    `pictures: ${Math.round(our)}/s, bare sharp ${Math.round(their)}/s, ratio ${(our / their).toFixed(2)}`,
  );
}

/** What an import has to find out: size, type, and a colour of the decoded picture. */
async function readBare(path: string): Promise<void> {
  const bytes = await readFile(path);
  await sharp(bytes).metadata();
  await sharp(bytes).resize(64, 64, { fit: 'inside' }).raw().toBuffer();
}

async function records(folder: string): Promise<void> {
  const file = join(folder, 'records.ndjson');
  await writeCatalogue(file, RECORDS);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const config = readConfig({ DATA_DIR: join(folder, `records ${round}`) });
    ours.push(await seconds(() => importFiles(config, [file])));
    bare.push(
      await seconds(async () => copyRows(join(config.dataDir, 'zukan.db'), join(folder, `bare ${round}.db`))),
    );
  }
  const [our, their] = [RECORDS / median(ours), RECORDS / median(bare)];
  console.log(
    `records: ${Math.round(our)}/s, bare SQLite ${Math.round(their)}/s, ratio ${(our / their).toFixed(2)}`,
  );
}

/** Inserts the rows of a finished catalogue, row by row, in one transaction. */
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

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
