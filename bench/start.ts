/** The time that `zukan serve` takes to listen on a filled catalogue, compared with `zukan --version` in the same run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/config.ts';
import { importFiles } from '../test/support/zukan/import-files.ts';
import { writeCatalogue } from './catalogue.ts';
import { runCommand, startServer } from './process.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
const RECORDS = 10_000;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    const environment = { DATA_DIR: join(folder, 'data') };
    const file = join(folder, 'records.ndjson');
    await writeCatalogue(file, RECORDS);
    await importFiles(readConfig(environment), [file]);
    const [serving, printing]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now();
      await runCommand(['--version'], environment);
      const printed = performance.now();
      printing.push(printed - started);
      await using _server = await startServer(environment);
      serving.push(performance.now() - printed);
    }
    const [serve, version] = [median(serving), median(printing)];
    console.log(
      `start: ${Math.round(serve)} ms, zukan --version ${Math.round(version)} ms, ratio ${(serve / version).toFixed(2)}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
