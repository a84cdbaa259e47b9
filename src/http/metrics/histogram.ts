/** How long things take, counted in buckets, so that whoever watches can put several processes and hours together. */
import type { Sample } from '../../metrics.ts';

/** Upper ends of the buckets, in seconds. What takes longer than the last is in one more. */
const ENDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export class Histogram {
  readonly #counts = new Float64Array(ENDS.length + 1);
  #sum = 0;

  record(seconds: number): void {
    let bucket = 0;
    // Nearly everything is in the first two or three.
    while (bucket < ENDS.length && seconds > (ENDS[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += seconds;
  }

  /** Each bucket holds those before it too, as Prometheus has it. */
  samples(labels: Record<string, string> = {}): Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (own, index): Sample => {
      count += own;
      return { suffix: '_bucket', labels: { ...labels, le: String(ENDS[index] ?? '+Inf') }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}
