/**
 * Measures each endpoint against the baseline: a bare `node:http` server that sends a constant body of the same size, on
 * the same Node, in the same run. Both are loaded alternately. The result is the ratio of their CPU time per request, which
 * depends less than rates on what else the machine does, and not on whether the load generator keeps up.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureAgainstBaseline, printResult, printScaling, type Result } from './baseline.ts';
import { endpointNames, selectEndpoints } from './endpoints.ts';
import { CONNECTIONS } from './load.ts';
import { openFolder, startStore, stores } from './stores.ts';

export const usage = `Usage: npm run bench -- [options]
  --size <images>      catalogue sizes, comma-separated (100000)
  --endpoint <names>   comma-separated: ${endpointNames.join()} (all)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --workers <n>        threads of zukan and of the baseline (1); 1,2 measures and compares both
  --rounds <n>         measurements per endpoint (5)
  --seconds <n>        duration of a measurement (3)
  --keep <folder>      keep the generated catalogues there and reuse them
  --json <file>        write all measurements there`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      size: { type: 'string', default: '100000' },
      endpoint: { type: 'string', default: endpointNames.join() },
      store: { type: 'string', default: 'sqlite' },
      workers: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      keep: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const rounds = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  const numbersOfWorkers = values.workers.split(',').map(Number);
  const endpoints = selectEndpoints(values.endpoint);
  if (!stores.includes(values.store)) throw new Error(`unknown store: ${values.store}\n${usage}`);
  await using folder = await openFolder(values.keep);
  console.log(
    `${CONNECTIONS} connections per worker, ${rounds.rounds} rounds of ${rounds.seconds} s, ${values.store}`,
  );
  const results: Result[] = [];
  for (const size of values.size.split(',').map(Number)) {
    let fewest: Result[] | undefined;
    for (const workers of numbersOfWorkers) {
      await using store = await startStore(values.store, folder.path, size, { workers: String(workers) });
      console.log(`\n${size} images, ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
      const ours: Result[] = [];
      for (const { name, title, target } of endpoints) {
        const subject = { server: 'zukan', size, workers, name, title };
        const result = await measureAgainstBaseline(subject, await target(store), rounds);
        ours.push(result);
        printResult(result, `, ${store.memory()} MB`);
      }
      console.log(`  resident memory after the run: ${store.memory()} MB`);
      if (fewest) console.log(`  compared with ${numbersOfWorkers[0]}:`);
      for (const [index, few] of (fewest ?? []).entries()) printScaling(few, ours[index] as Result);
      fewest ??= ours;
      results.push(...ours);
    }
  }
  if (values.json) await writeFile(values.json, JSON.stringify(results, mapsAsObjects, 2));
}

const mapsAsObjects = (_key: string, value: unknown) =>
  value instanceof Map ? Object.fromEntries(value) : value;
