/**
 * Compares this checkout with another one, such as a worktree of an older commit with its `node_modules`. Both serve
 * catalogues made from the same records and are measured alternately, so a slow moment of the machine hits both.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Endpoint, endpointNames, selectEndpoints, type Target } from './endpoints.ts';
import { loaderName, measure } from './load.ts';
import { median, spread } from './statistics.ts';
import { type StartedStore, startStore } from './stores.ts';

export const usage = `Usage: node bench/compare.ts <other checkout> [options]
  --rounds <n>         measurements per endpoint and checkout (5)
  --seconds <n>        duration of a measurement (2)
  --size <images>      size of the catalogue (100000)
  --endpoint <names>   comma-separated: ${endpointNames.join()} (all)`;

export async function run(options: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: options,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      size: { type: 'string', default: '100000' },
      endpoint: { type: 'string', default: endpointNames.join() },
    },
  });
  const [checkout] = positionals;
  if (checkout === undefined) throw new Error(`name the other checkout\n${usage}`);
  const endpoints = selectEndpoints(values.endpoint);
  const [rounds, seconds, size] = [Number(values.rounds), Number(values.seconds), Number(values.size)];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  await using other = await startStore('sqlite', folder.path, size, { checkout: resolve(checkout) });
  await using ours = await startStore('sqlite', folder.path, size);
  console.log(`${loaderName}, ${rounds} rounds of ${seconds} s, ${size} images\n`);
  console.log(
    `${'requests per second'.padEnd(37)}${'other'.padEnd(22)}${'this'.padEnd(22)}ratio (this / other)`,
  );
  for (const endpoint of endpoints) await compareEndpoint(endpoint, [other, ours], rounds, seconds);
  console.log(`${'resident memory in MB'.padEnd(37)}${String(other.memory()).padEnd(22)}${ours.memory()}`);
}

async function compareEndpoint(
  { title, target }: Endpoint,
  [other, ours]: [StartedStore, StartedStore],
  rounds: number,
  seconds: number,
): Promise<void> {
  const targets: [Target, Target] = [await target(other), await target(ours)];
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    // The order may matter, so it alternates too.
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const side of order) {
      const { rate } = await measure(targets[side], seconds);
      // The first round warms up.
      if (round > 0) rates[side].push(rate);
    }
  }
  const [otherRates, ourRates] = rates;
  const ratios = ourRates.map((rate, round) => rate / (otherRates[round] ?? Number.NaN));
  const cells = rates.map((all) => format(all, (rate) => String(Math.round(rate))).padEnd(22));
  console.log(`${title.padEnd(37)}${cells.join('')}${format(ratios, (ratio) => ratio.toFixed(2))}`);
}

const format = (values: number[], number: (value: number) => string) =>
  `${number(median(values))} (${spread(values, number)})`;

if (import.meta.main) {
  const options = process.argv.slice(2);
  if (options.includes('--help')) console.log(usage);
  else await run(options);
}
