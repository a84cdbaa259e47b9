/**
 * Compares this checkout with another one, such as a worktree of an older commit with its `node_modules`. Both serve
 * catalogues made from the same records and are measured alternately, so a slow moment of the machine hits both. CPU time
 * per request decides: rates swing with what else the machine does.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endpointNames, selectEndpoints, type Target } from './endpoints.ts';
import { measure } from './load.ts';
import { median, spread } from './statistics.ts';
import { startStore, stores } from './stores.ts';

export const usage = `Usage: node bench/compare.ts <other checkout> [options]
  --rounds <n>         measurements per endpoint and checkout (5)
  --seconds <n>        duration of a measurement (2)
  --size <images>      size of the catalogue (100000)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --endpoint <names>   comma-separated: ${endpointNames.join()} (all)
  --max-ratio <ratio>  fail if an endpoint takes more than this times the CPU time of the other checkout`;

/** Per round, of one checkout. */
interface Figures {
  /** CPU time of the server, all threads, in µs per request. */
  cpu: number[];
  rates: number[];
}

export async function run(given: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      size: { type: 'string', default: '100000' },
      store: { type: 'string', default: 'sqlite' },
      endpoint: { type: 'string', default: endpointNames.join() },
      'max-ratio': { type: 'string', default: 'Infinity' },
    },
  });
  const [checkout] = positionals;
  if (checkout === undefined) throw new Error(`name the other checkout\n${usage}`);
  const endpoints = selectEndpoints(values.endpoint);
  const [rounds, seconds, size] = [Number(values.rounds), Number(values.seconds), Number(values.size)];
  const { store } = values;
  if (!stores.includes(store)) throw new Error(`unknown store: ${store}\n${usage}`);
  const maxRatio = Number(values['max-ratio']);
  if (Number.isNaN(maxRatio)) throw new Error(`--max-ratio must be a number\n${usage}`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  // The other checkout may be older than animations.
  const options = { hasAnimations: false };
  await using other = await startStore(store, folder.path, size, { ...options, checkout: resolve(checkout) });
  await using ours = await startStore(store, folder.path, size, options);
  console.log(`${rounds} rounds of ${seconds} s, ${store}, ${size} images\n`);
  printHead('CPU time per request in µs');
  const rateRows: Parameters<typeof printRow>[] = [];
  for (const { title, target } of endpoints) {
    const targets: [Target, Target] = [await target(other), await target(ours)];
    const [theirs, own] = await measureBoth(targets, rounds, seconds);
    printRow(title, theirs.cpu, own.cpu);
    rateRows.push([title, theirs.rates, own.rates]);
    if (slowdown(theirs.cpu, own.cpu) <= maxRatio) continue;
    console.log(`  more than ${maxRatio} times the CPU time of the other checkout`);
    process.exitCode = 1;
  }
  console.log();
  printHead('requests per second');
  for (const row of rateRows) printRow(...row);
  console.log(`${'resident memory in MB'.padEnd(37)}${String(other.memory()).padEnd(22)}${ours.memory()}`);
}

export async function measureBoth(
  targets: [Target, Target],
  rounds: number,
  seconds: number,
): Promise<[Figures, Figures]> {
  const figures: [Figures, Figures] = [
    { cpu: [], rates: [] },
    { cpu: [], rates: [] },
  ];
  for (let round = 0; round <= rounds; round++) {
    // The order may matter, so it alternates too.
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const side of order) {
      const { rate, cpu } = await measure(targets[side], seconds);
      // The first round warms up.
      if (round === 0) continue;
      figures[side].cpu.push(cpu);
      figures[side].rates.push(rate);
    }
  }
  return figures;
}

export function printHead(title: string, servers = ['other', 'this'], ratio = 'ratio (this / other)'): void {
  console.log(`${title.padEnd(37)}${servers.map((name) => name.padEnd(22)).join('')}${ratio}`);
}

/**
 * By the median round and by the best one, whichever is less: a machine that is busy with something else spoils one of
 * them easily, slower code both.
 */
function slowdown(other: number[], ours: number[]): number {
  return Math.min(median(ratiosOf(other, ours)), Math.min(...ours) / Math.min(...other));
}

const ratiosOf = (other: number[], ours: number[]) =>
  ours.map((value, round) => value / (other[round] ?? Number.NaN));

export function printRow(title: string, other: number[], ours: number[]): void {
  const ratios = ratiosOf(other, ours);
  const cells = [other, ours].map((all) => format(all, (value) => String(Math.round(value))).padEnd(22));
  console.log(`${title.padEnd(37)}${cells.join('')}${format(ratios, (ratio) => ratio.toFixed(2))}`);
}

const format = (values: number[], number: (value: number) => string) =>
  `${number(median(values))} (${spread(values, number)})`;

if (import.meta.main) {
  const options = process.argv.slice(2);
  if (options.includes('--help')) console.log(usage);
  else await run(options);
}
