/** A histogram of durations with fixed buckets, so Prometheus can aggregate it over instances and time. */
import type { Sample } from '../../lib/metrics.ts';

/** Upper bounds in seconds. Longer durations go to one more bucket, +Inf. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export class Histogram {
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  record(seconds: number): void {
    let bucket = 0;
    // Nearly every duration is in one of the first three buckets, so a linear search is fastest.
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += seconds;
  }

  /** Buckets are cumulative, as Prometheus requires. */
  samples(labels: Record<string, string> = {}): Sample[] {
    let total = 0;
    const buckets = Array.from(this.#counts, (count, index): Sample => {
      total += count;
      return { suffix: '_bucket', labels: { ...labels, le: String(BOUNDS[index] ?? '+Inf') }, value: total };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: total },
    ];
  }
}
