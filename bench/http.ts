/**
 * Measures each endpoint against the baseline: a bare `node:http` server that sends a constant body of the same size, on
 * the same Node, in the same run. Both are loaded alternately. The result is the ratio of their CPU time per request, which
 * depends less than rates on what else the machine does, and not on whether the load generator keeps up.
 */
import { parseArgs } from 'node:util';
import { type Endpoint, endpointNames, selectEndpoints } from './endpoints.ts';
import { CONNECTIONS, type Measurement, measure } from './load.ts';
import { startBaseline } from './process.ts';
import { median, spread } from './statistics.ts';
import { openFolder, type StartedStore, startStore, stores } from './stores.ts';

export const usage = `Usage: npm run bench -- [options]
  --size <images>      catalogue sizes, comma-separated (100000)
  --endpoint <names>   comma-separated: ${endpointNames.join()} (all)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --workers <n>        threads of zukan and of the baseline (1); 1,2 measures and compares both
  --rounds <n>         measurements per endpoint (5)
  --seconds <n>        duration of a measurement (3)
  --keep <folder>      keep the generated catalogues there and reuse them`;

/** One endpoint with one catalogue: a ratio per round, and every measurement. */
interface Result {
  title: string;
  /** The CPU time per request of the baseline, in that of the server: 1 if it costs no more, less if it costs more. */
  ratios: number[];
  measured: Measurement[];
  baseline: Measurement[];
}

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
    },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const numbersOfWorkers = values.workers.split(',').map(Number);
  const endpoints = selectEndpoints(values.endpoint);
  if (!stores.includes(values.store)) throw new Error(`unknown store: ${values.store}\n${usage}`);
  await using folder = await openFolder(values.keep);
  console.log(`${CONNECTIONS} connections per worker, ${rounds} rounds of ${seconds} s, ${values.store}`);
  for (const size of values.size.split(',').map(Number)) {
    let fewest: Result[] | undefined;
    for (const workers of numbersOfWorkers) {
      await using store = await startStore(values.store, folder.path, size, { workers: String(workers) });
      console.log(`\n${size} images, ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
      const ours: Result[] = [];
      for (const endpoint of endpoints) {
        const result = await measureAgainstBaseline(endpoint, store, workers, { rounds, seconds });
        ours.push(result);
        printResult(result, store.memory());
      }
      console.log(`  resident memory after the run: ${store.memory()} MB`);
      if (fewest) console.log(`  compared with ${numbersOfWorkers[0]}:`);
      for (const [index, few] of (fewest ?? []).entries()) printScaling(few, ours[index] as Result);
      fewest ??= ours;
    }
  }
}

async function measureAgainstBaseline(
  { title, target }: Endpoint,
  store: StartedStore,
  workers: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Result> {
  const own = await target(store);
  await using server = await startBaseline(own.bytes, workers);
  const bare = { ...own, origin: server.origin, status: 200 };
  const result: Result = { title, ratios: [], measured: [], baseline: [] };
  for (let round = 0; round <= rounds; round++) {
    const theirs = await measure(bare, seconds, workers);
    const ours = await measure(own, seconds, workers);
    // The first round warms up.
    if (round === 0) continue;
    result.ratios.push(theirs.cpu / ours.cpu);
    result.measured.push(ours);
    result.baseline.push(theirs);
  }
  return result;
}

function printResult({ title, ratios, measured, baseline }: Result, memory: number): void {
  const ratio = `${formatRatio(median(ratios))} (${spread(ratios, formatRatio)})`;
  const cpu = `${formatRate(medianCpu(measured))} of ${formatRate(medianCpu(baseline))} µs`;
  const [ours, theirs] = [lowestCpu(measured), lowestCpu(baseline)];
  const best = `best ${formatRatio(theirs / ours)}, ${ours.toFixed(1)} of ${theirs.toFixed(1)} µs`;
  const latencies = [50, 99].map((p) => `p${p} ${formatMs(p, measured)} ms (${formatMs(p, baseline)})`);
  const rates = `${formatRate(medianRate(measured))}/s of ${formatRate(medianRate(baseline))}/s`;
  const all = [`${cpu} (${best})`, rates, ...latencies, `${memory} MB`];
  console.log(`  ${title.padEnd(36)} ${ratio}  ${all.join(', ')}`);
}

/** What more workers make of the same endpoint. */
function printScaling(few: Result, many: Result): void {
  const rate = medianRate(many.measured) / medianRate(few.measured);
  const cpu = medianCpu(many.measured) / medianCpu(few.measured);
  const kept = median(many.ratios) / median(few.ratios);
  console.log(
    `  ${many.title.padEnd(36)} ${formatRatio(cpu)} times the CPU time per request, ${formatRatio(kept)} of the ratio, ` +
      `${formatRatio(rate)} times the rate`,
  );
}

const medianCpu = (all: Measurement[]): number => median(all.map(({ cpu }) => cpu));
/** Of the quietest round of each: neighbours on the machine only ever add CPU time, by emptying caches. */
const lowestCpu = (all: Measurement[]): number => Math.min(...all.map(({ cpu }) => cpu));
const medianRate = (all: Measurement[]): number => median(all.map(({ rate }) => rate));
const formatMs = (percentile: number, all: Measurement[]): string =>
  median(all.map(({ latency }) => latency.get(percentile) ?? Number.NaN)).toFixed(1);

/** Slow servers need more digits. */
const formatRatio = (ratio: number) => (ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2));
const formatRate = (rate: number) => (rate < 10 ? rate.toPrecision(2) : String(Math.round(rate)));
