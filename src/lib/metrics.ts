/** Metrics in the Prometheus data model, merged over workers and written as text, and how parts report on their health. */

/** One sample, or several with different labels. */
export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** Which value stands for the whole process if several workers report the metric. The sum if it is not given. */
  across?: 'max' | 'min';
  samples: Sample[];
}

interface Sample {
  /** Appended to the name of a histogram. */
  suffix?: '_bucket' | '_sum' | '_count';
  labels?: Record<string, string>;
  value: number;
}

/** The parts of the service that the readiness check examines. */
export const parts = ['catalogue', 'tokens', 'files', 'limits', 'replicas', 'workers', 'disk'] as const;

export type Part = (typeof parts)[number];

/** For each degraded part: what is wrong and what that means. Public, so it must contain no secrets. */
export type DegradedReasons = Partial<Record<Part, string>>;

/** What a worker reports about itself. */
export interface MetricsReport {
  /** None if the question was only about its health. */
  metrics: Metric[];
  degradedReasons: DegradedReasons;
  /** Whether it can read the catalogue. */
  canServe: boolean;
}

/** A part of the service that reports its own metrics and health. */
export interface Monitored {
  metrics(): Metric[];
  /** Why the part does not work as configured, and what that means for clients. Public, so it must contain no secrets. */
  degradedReason(): string | undefined;
  /** Verifies some of the stored data, other data at each call. Fails while damage is known. */
  verify(): Promise<void>;
}

/** Upper bounds in seconds. Longer durations go to one more bucket, +Inf. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** A histogram of durations with fixed buckets, so Prometheus can aggregate it over instances and time. */
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

/** Combines what several workers report into the metrics of the process, in the order of their first report. */
export function mergeMetrics(reports: Metric[][]): Metric[] {
  const merged = new Map<string, Metric & { index: Map<string, Sample> }>();
  for (const metric of reports.flat()) {
    const { name, across } = metric;
    const target = merged.get(name) ?? { ...metric, samples: [], index: new Map() };
    merged.set(name, target);
    for (const sample of metric.samples) addSample(target, sample, across);
  }
  return Array.from(merged.values(), ({ index, ...metric }) => metric);
}

function addSample(
  target: Metric & { index: Map<string, Sample> },
  sample: Sample,
  across: Metric['across'],
): void {
  const key = `${sample.suffix} ${JSON.stringify(sample.labels)}`;
  const known = target.index.get(key);
  if (known) {
    if (across === undefined) known.value += sample.value;
    else known.value = Math[across](known.value, sample.value);
    return;
  }
  const own = { ...sample };
  target.index.set(key, own);
  target.samples.push(own);
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** In the Prometheus text format. */
export function formatMetrics(metrics: Metric[]): string {
  return metrics.map(formatMetric).join('');
}

function formatMetric({ name, help, type, samples }: Metric): string {
  const line = ({ suffix, labels = {}, value }: Sample) =>
    `${name}${suffix ?? ''}${formatLabels(labels)} ${value}\n`;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(line).join('')}`;
}

function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
