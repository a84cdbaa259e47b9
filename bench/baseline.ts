/** Measures a server and the baseline alternately, and prints the ratios of CPU time and of rates. */
import type { Target } from './endpoints.ts';
import { type Measurement, measure } from './load.ts';
import { startBaseline } from './process.ts';
import { median, spread } from './statistics.ts';

export interface Rounds {
  rounds: number;
  /** Per measurement. */
  seconds: number;
}

/** One endpoint with one catalogue: a ratio per round, and every measurement. */
export interface Result {
  /** `zukan` or an alternative. */
  server: string;
  size: number;
  /** Threads of the server and of the baseline. */
  workers: number;
  name: string;
  title: string;
  /** The CPU time per request of the baseline, in that of the server: 1 if it costs no more, less if it costs more. */
  ratios: number[];
  measured: Measurement[];
  baseline: Measurement[];
}

export type Subject = Pick<Result, 'server' | 'size' | 'workers' | 'name' | 'title'>;

export async function measureAgainstBaseline(
  subject: Subject,
  target: Target,
  { rounds, seconds }: Rounds,
): Promise<Result> {
  await using server = await startBaseline(target.bytes, subject.workers);
  const baseline = { ...target, origin: server.origin, status: 200 };
  const result: Result = { ...subject, ratios: [], measured: [], baseline: [] };
  for (let round = 0; round <= rounds; round++) {
    const theirs = await measure(baseline, seconds, subject.workers);
    const ours = await measure(target, seconds, subject.workers);
    // The first round warms up.
    if (round === 0) continue;
    result.ratios.push(theirs.cpu / ours.cpu);
    result.measured.push(ours);
    result.baseline.push(theirs);
  }
  return result;
}

export function printResult(result: Result, suffix = ''): void {
  const { title, ratios, measured, baseline } = result;
  const ratio = `${formatRatio(median(ratios))} (${spread(ratios, formatRatio)})`;
  const cpu = `${formatRate(medianCpu(measured))} of ${formatRate(medianCpu(baseline))} µs`;
  const [ours, theirs] = [lowestCpu(measured), lowestCpu(baseline)];
  const best = `best ${formatRatio(theirs / ours)}, ${ours.toFixed(1)} of ${theirs.toFixed(1)} µs`;
  const latencies = [50, 99].map((p) => `p${p} ${formatMs(p, measured)} ms (${formatMs(p, baseline)})`);
  const rates = `${formatRate(medianRate(measured))}/s of ${formatRate(medianRate(baseline))}/s`;
  console.log(`  ${title.padEnd(36)} ${ratio}  ${cpu} (${best}), ${rates}, ${latencies.join(', ')}${suffix}`);
}

/** What more workers make of the same endpoint. */
export function printScaling(few: Result, many: Result): void {
  const rate = medianRate(many.measured) / medianRate(few.measured);
  const cpu = medianCpu(many.measured) / medianCpu(few.measured);
  const kept = median(many.ratios) / median(few.ratios);
  console.log(
    `  ${many.title.padEnd(36)} ${formatRatio(cpu)} times the CPU time per request, ${formatRatio(kept)} of the ratio, ` +
      `${formatRatio(rate)} times the rate`,
  );
}

export const medianCpu = (all: Measurement[]): number => median(all.map(({ cpu }) => cpu));
/** Of the quietest round of each: neighbours on the machine only ever add CPU time, by emptying caches. */
const lowestCpu = (all: Measurement[]): number => Math.min(...all.map(({ cpu }) => cpu));
export const medianRate = (all: Measurement[]): number => median(all.map(({ rate }) => rate));

export function medianLatency(percentile: number, all: Measurement[]): number {
  return median(all.map(({ latency }) => latency.get(percentile) ?? Number.NaN));
}

const formatMs = (percentile: number, all: Measurement[]) => medianLatency(percentile, all).toFixed(1);

/** Slow servers need more digits. */
const formatRatio = (ratio: number) => (ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2));
const formatRate = (rate: number) => (rate < 10 ? rate.toPrecision(2) : String(Math.round(rate)));
