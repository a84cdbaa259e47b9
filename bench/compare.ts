/** A server and the yardstick loaded in turn, and how that is told. */
import type { Target } from './endpoints.ts';
import { load, type Measured } from './load.ts';
import { startYardstick } from './process.ts';
import { median } from './statistics.ts';

export const CONNECTIONS = 32;

export interface Turns {
  rounds: number;
  seconds: number;
}

/** One endpoint on one catalogue: a ratio a round, and all that was measured. */
export interface Result {
  /** `zukan`, or the peer that it stands beside. */
  server: string;
  size: number;
  name: string;
  title: string;
  ratios: number[];
  measured: Measured[];
  yardstick: Measured[];
}

export type Subject = Pick<Result, 'server' | 'size' | 'name' | 'title'>;

export async function compare(subject: Subject, target: Target, turns: Turns): Promise<Result> {
  await using bare = await startYardstick(target.bytes);
  const yardstick = { ...target, origin: bare.origin };
  const result: Result = { ...subject, ratios: [], measured: [], yardstick: [] };
  for (let round = 0; round <= turns.rounds; round++) {
    const theirs = await measure(yardstick, turns.seconds);
    const ours = await measure(target, turns.seconds);
    if (target.status === 200 && ours.refused > 0)
      throw new Error(`${subject.server} refused ${ours.refused} calls: ${subject.title}`);
    // The first round warms up.
    if (round === 0) continue;
    result.ratios.push(ours.rate / theirs.rate);
    result.measured.push(ours);
    result.yardstick.push(theirs);
  }
  return result;
}

async function measure({ origin, paths, headers }: Target, seconds: number): Promise<Measured> {
  const measured = await load({ origin, paths, headers, connections: CONNECTIONS, seconds });
  // A slow server still works on what the loader no longer waits for. It must not do so in the turn of the other.
  await (await fetch(origin + paths[0], { headers })).arrayBuffer();
  return measured;
}

export function tell(result: Result, more = ''): void {
  const { title, ratios, measured, yardstick } = result;
  const spread = `${share(Math.min(...ratios))}-${share(Math.max(...ratios))}`;
  const times = [50, 99].map((p) => `p${p} ${timeAt(p, measured)} ms (${timeAt(p, yardstick)})`).join(', ');
  const rates = `${told(rateOf(measured))}/s of ${told(rateOf(yardstick))}/s`;
  console.log(`  ${title.padEnd(36)} ${share(median(ratios))} (${spread})  ${rates}, ${times}${more}`);
}

export const rateOf = (all: Measured[]): number => median(all.map(({ rate }) => rate));

export function latencyAt(percentile: number, all: Measured[]): number {
  return median(all.map(({ latency }) => latency.get(percentile) ?? Number.NaN));
}

const timeAt = (percentile: number, all: Measured[]) => latencyAt(percentile, all).toFixed(1);

/** Slow peers need more digits than the rest. */
const share = (ratio: number) => (ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2));
const told = (rate: number) => (rate < 10 ? rate.toPrecision(2) : String(Math.round(rate)));
