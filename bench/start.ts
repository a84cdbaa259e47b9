/** The time that `zukan serve` takes to listen on a filled catalogue, compared with `zukan --version` in the same run. */
import { runCommand, startServer } from './process.ts';
import { measureInTurn, median } from './statistics.ts';
import { openCatalogue, openFolder } from './stores.ts';

const ROUNDS = 9;
const RECORDS = 10_000;

export async function run(): Promise<void> {
  await using folder = await openFolder();
  await using catalogue = await openCatalogue('sqlite', folder.path, RECORDS);
  const { environment } = catalogue;
  const measured = await measureInTurn(ROUNDS, [
    () => elapsedMs(async () => void (await runCommand(['--version'], environment))),
    () => elapsedMs(() => startServer(environment)),
  ]);
  const [version, serve] = measured.map(median) as [number, number];
  console.log(
    `start: ${Math.round(serve)} ms, zukan --version ${Math.round(version)} ms, ratio ${(serve / version).toFixed(2)}`,
  );
}

/** Without the time to dispose of what the work starts. */
async function elapsedMs(work: () => Promise<AsyncDisposable | undefined>): Promise<number> {
  const started = performance.now();
  await using _started = await work();
  return performance.now() - started;
}
