/**
 * Measures each endpoint against the baseline: a bare `node:http` server that sends a constant body of the same size, on
 * the same Node, in the same run. Both are loaded alternately. The result is the ratio of their CPU time per request, which
 * depends less than rates on what else the machine does, and not on whether the load generator keeps up.
 */
import { parseArgs } from 'node:util';
import { endpoints, selectEndpoints, type Target, targetOf } from './endpoints.ts';
import { CONNECTIONS, type Measurement, measure } from './load.ts';
import { residentMb, startBaseline } from './process.ts';
import { measureInTurn, median, summarize } from './statistics.ts';
import { checkStore, openFolder, startStore, stores } from './stores.ts';

const all = Object.keys(endpoints).join();

export const usage = `Usage: npm run bench -- [options]
  --size <images>      catalogue sizes, comma-separated (100000)
  --endpoint <names>   comma-separated: ${all} (all)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --workers <n>        threads of zukan and of the baseline (1)
  --rounds <n>         measurements per endpoint (5)
  --seconds <n>        duration of a measurement (3)`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      size: { type: 'string', default: '100000' },
      endpoint: { type: 'string', default: all },
      store: { type: 'string', default: 'sqlite' },
      workers: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
    },
  });
  const [workers, rounds, seconds] = [Number(values.workers), Number(values.rounds), Number(values.seconds)];
  const selected = selectEndpoints(values.endpoint);
  checkStore(values.store, usage);
  await using folder = await openFolder();
  console.log(`${CONNECTIONS} connections per worker, ${rounds} rounds of ${seconds} s, ${values.store}`);
  for (const size of values.size.split(',').map(Number)) {
    await using store = await startStore(values.store, folder.path, size, { workers });
    console.log(`\n${size} images, ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
    for (const endpoint of selected) {
      const own = await targetOf(endpoint, store);
      await using server = await startBaseline(own.bytes, workers);
      const figures = await measureTargets([{ ...own, server, status: 200 }, own], rounds, seconds, workers);
      const memory = `${Math.round(residentMb(store.server.pid))} MB`;
      console.log(`  ${endpoint.title.padEnd(36)} ${describe(...figures)}, ${memory}`);
    }
  }
}

type Both<T> = [baseline: T, ours: T];

export async function measureTargets(
  targets: Both<Target>,
  rounds: number,
  seconds: number,
  workers = 1,
): Promise<Both<Measurement[]>> {
  const works = targets.map((target) => () => measure(target, seconds, workers));
  return (await measureInTurn(rounds, works)) as Both<Measurement[]>;
}

/** Of the quietest round: neighbours on the machine only ever add CPU time, by emptying caches. */
export const lowestCpu = (all: Measurement[]): number => Math.min(...all.map(({ cpu }) => cpu));

/** The CPU time per request of the baseline, in that of the server: 1 if it costs no more, less if it costs more. */
function describe(baseline: Measurement[], ours: Measurement[]): string {
  const ratios = ours.map(({ cpu }, round) => (baseline[round]?.cpu ?? Number.NaN) / cpu);
  const medians = (figure: keyof Measurement) =>
    [ours, baseline].map((all) => median(all.map((one) => one[figure])));
  const [cpu, rates] = [medians('cpu').map(formatRate), medians('rate').map(formatRate)];
  const [own, bare] = [lowestCpu(ours), lowestCpu(baseline)];
  const best = `best ${formatRatio(bare / own)}, ${own.toFixed(1)} of ${bare.toFixed(1)} µs`;
  const latencies = (['p50', 'p99'] as const).map((p) => {
    const [ms, baselineMs] = medians(p).map((value) => value.toFixed(1));
    return `${p} ${ms} ms (${baselineMs})`;
  });
  const parts = [`${cpu.join(' of ')} µs (${best})`, rates.join('/s of ').concat('/s'), ...latencies];
  return `${summarize(ratios, formatRatio)}  ${parts.join(', ')}`;
}

/** Slow servers need more digits. */
const formatRatio = (ratio: number) => (ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2));
const formatRate = (rate: number) => (rate < 10 ? rate.toPrecision(2) : String(Math.round(rate)));
