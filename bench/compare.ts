/**
 * Compares this checkout with another one, such as a worktree of an older commit with its `node_modules`. Both serve
 * catalogues made from the same records and are measured alternately, so a slow moment of the machine hits both. CPU time
 * per request decides: rates swing with what else the machine does.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endpoints, selectEndpoints, targetOf } from './endpoints.ts';
import { lowestCpu, measureTargets } from './http.ts';
import type { Measurement } from './load.ts';
import { residentMb } from './process.ts';
import { median, summarize } from './statistics.ts';
import { checkStore, openFolder, startStore, stores } from './stores.ts';

const all = Object.keys(endpoints).join();

export const usage = `Usage: npm run bench -- compare <other checkout> [options]
  --rounds <n>         measurements per endpoint and checkout (5)
  --seconds <n>        duration of a measurement (2)
  --size <images>      size of the catalogue (100000)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --endpoint <names>   comma-separated: ${all} (all)
  --max-ratio <ratio>  fail if an endpoint takes more than this times the CPU time of the other checkout`;

export async function run(given: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      size: { type: 'string', default: '100000' },
      store: { type: 'string', default: 'sqlite' },
      endpoint: { type: 'string', default: all },
      'max-ratio': { type: 'string', default: 'Infinity' },
    },
  });
  const [checkout] = positionals;
  if (checkout === undefined) throw new Error(`name the other checkout\n${usage}`);
  const selected = selectEndpoints(values.endpoint);
  const [rounds, seconds, size] = [Number(values.rounds), Number(values.seconds), Number(values.size)];
  const { store } = values;
  checkStore(store, usage);
  const maxRatio = Number(values['max-ratio']);
  if (Number.isNaN(maxRatio)) throw new Error(`--max-ratio must be a number\n${usage}`);
  await using folder = await openFolder();
  await using other = await startStore(store, folder.path, size, { checkout: resolve(checkout) });
  await using ours = await startStore(store, folder.path, size);
  console.log(`CPU time per request in µs, ${rounds} rounds of ${seconds} s, ${store}, ${size} images\n`);
  printRow('', 'other', 'this', 'ratio (this / other)');
  for (const endpoint of selected) {
    const targets = [await targetOf(endpoint, other), await targetOf(endpoint, ours)] as const;
    const [theirs, own] = await measureTargets([...targets], rounds, seconds);
    const ratios = ratiosOf(theirs, own);
    const [otherCpu, cpu] = [theirs, own].map((all) => summarize(cpuOf(all), (us) => us.toFixed(0)));
    printRow(
      endpoint.title,
      otherCpu,
      cpu,
      summarize(ratios, (ratio) => ratio.toFixed(2)),
    );
    // By the median round and by the best one, whichever is less: a machine that is busy with something else spoils one of
    // them easily, slower code both.
    if (Math.min(median(ratios), lowestCpu(own) / lowestCpu(theirs)) <= maxRatio) continue;
    console.log(`  more than ${maxRatio} times the CPU time of the other checkout`);
    process.exitCode = 1;
  }
  const memory = [other, ours].map(({ server }) => `${Math.round(residentMb(server.pid))} MB`);
  printRow('resident memory', ...memory);
}

const cpuOf = (all: Measurement[]) => all.map(({ cpu }) => cpu);

const ratiosOf = (other: Measurement[], ours: Measurement[]) =>
  ours.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? Number.NaN));

function printRow(title: string, ...cells: (string | undefined)[]): void {
  console.log([title.padEnd(37), ...cells.map((cell = '') => cell.padEnd(22))].join('').trimEnd());
}
