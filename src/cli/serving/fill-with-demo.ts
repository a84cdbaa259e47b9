/**
 * Imports the demo into an empty catalogue, a few pictures at a time, so that they can be seen while the others are drawn. All
 * parts are one change of the catalogue. A file in DATA_DIR says that some are missing, so the next start continues.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoPicture, type DemoRecords, demoCatalogue } from '../../../demo/catalogue.ts';
import { drawDemo } from '../../../demo/draw.ts';
import type { Config } from '../../config/config.ts';
import { inBatches } from '../../lib/parallel.ts';
import { openStore } from '../../server/engines.ts';
import { importPaths } from '../importing/run-import.ts';
import { silentTerminal } from '../terminal/terminal.ts';
import { isEmptyCatalogue, unfinishedDemo } from './demo.ts';

/** The first pictures are there after a second or two, and importing takes little of the time. */
const BATCH_SIZE = 4;

interface DemoOptions {
  /** Makes the pictures of some records and their catalogue file in a folder. */
  draw?: (folder: string, records: DemoRecords) => Promise<string>;
  /** Called with the number of pictures that are in the catalogue. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

export async function fillWithDemo(config: Config, options: DemoOptions = {}): Promise<void> {
  const { draw = drawDemo, onProgress = () => {}, signal = new AbortController().signal } = options;
  const { entries, pictures, albums } = demoCatalogue();
  const unfinished = unfinishedDemo(config);
  let change = existsSync(unfinished) ? await readNumber(unfinished) : undefined;
  const importRecords = async (records: Partial<DemoRecords>) => {
    const all = { entries: [], pictures: [], albums: [], ...records };
    const number = await drawAndImport(config, all, { draw, signal, change });
    if (number !== change) await writeFile(unfinished, String(number));
    change = number;
  };

  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await writeFile(unfinished, String(change ?? ''));
  // Later they may be edited.
  if (await isEmptyCatalogue(config)) await importRecords({ entries });
  const missing = await findMissing(config, pictures);
  let done = pictures.length - missing.length;
  onProgress(done);
  for (const batch of inBatches(missing, BATCH_SIZE)) {
    await importRecords({ pictures: batch });
    done += batch.length;
    onProgress(done);
  }
  await importRecords({ albums });
  await rm(unfinished);
}

/** Returns the number of the change, which is the one that it continues if nothing else was changed since. */
async function drawAndImport(
  config: Config,
  records: DemoRecords,
  { draw, signal, change }: Required<Pick<DemoOptions, 'draw' | 'signal'>> & { change: number | undefined },
): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-demo-'));
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    // Nobody waits for a picture that is being drawn.
    const catalogue = await Promise.race([draw(folder, records), aborted.promise]);
    // An image that was removed meanwhile, or an album with it, must not keep the others out.
    const flags = { quiet: true, skipBad: true };
    const report = await importPaths(config, [catalogue], flags, silentTerminal, {
      signal,
      confirmPrune: async () => [],
      run: { source: 'the demo', continues: change },
    });
    return report.change?.number ?? change;
  } finally {
    signal.removeEventListener('abort', abort);
    await rm(folder, { recursive: true, force: true });
  }
}

async function readNumber(path: string): Promise<number | undefined> {
  return Number(await readFile(path, 'utf8')) || undefined;
}

async function findMissing(config: Config, pictures: DemoPicture[]): Promise<DemoPicture[]> {
  await using store = await openStore(config);
  const found = await Promise.all(pictures.map(({ record }) => store.catalogue.image(record.id)));
  return pictures.filter((_, index) => !found[index]);
}
