/** Metrics in the Prometheus data model, merged over workers and written as text, and how parts report on their health. */
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { version } from './version.ts';

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

/** `measured` is a value without labels, or are the samples. */
export function metric(
  name: string,
  type: Metric['type'],
  help: string,
  measured: number | Sample[],
  across?: Metric['across'],
): Metric {
  const samples = typeof measured === 'number' ? [{ value: measured }] : measured;
  return { name, type, help, ...(across && { across }), samples };
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

// Metrics on the process: event loop, memory, CPU. All but memory are counters, because several Prometheus servers may scrape
// them; a maximum since the last scrape would be reset by whichever comes first.

/** How often the event loop's delay is measured. A request that arrives at that moment waits as long as the timer does. */
const SAMPLE_INTERVAL_MS = 50;

const DELAY_HELP = `Delay of a timer, sampled every ${SAMPLE_INTERVAL_MS} ms.`;
const BUILD_HELP = 'Always 1; the labels have the versions.';

const gcKinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
]);

export class ProcessMetrics {
  readonly #delays = new Histogram();
  readonly #gcSeconds = new Map([...gcKinds.values()].map((kind) => [kind, 0]));
  readonly #observer = new PerformanceObserver((list) => this.#countCollections(list.getEntries()));
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    // Node's own histogram of the delay has no counts per bucket, so Prometheus could not aggregate it.
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#delays.record(Math.max(0, now - last - SAMPLE_INTERVAL_MS) / 1000);
      last = now;
    }, SAMPLE_INTERVAL_MS).unref();
    this.#observer.observe({ type: 'gc' });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
  }

  metrics(): Metric[] {
    const { idle, active } = performance.eventLoopUtilization();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const loop = 'zukan_event_loop';
    const collections = Array.from(this.#gcSeconds, ([kind, value]) => ({ labels: { kind }, value }));
    const versions = { version, node: process.version };
    return [
      metric(`${loop}_delay_seconds`, 'histogram', DELAY_HELP, this.#delays.samples()),
      metric(`${loop}_active_seconds_total`, 'counter', 'Time that the event loop was busy.', active / 1000),
      metric(`${loop}_idle_seconds_total`, 'counter', 'Time that the event loop was idle.', idle / 1000),
      metric('zukan_gc_seconds_total', 'counter', 'Time spent in garbage collection.', collections),
      metric('zukan_heap_used_bytes', 'gauge', 'JavaScript heap in use.', heapUsed),
      metric('zukan_heap_total_bytes', 'gauge', 'JavaScript heap allocated.', heapTotal),
      metric('zukan_external_memory_bytes', 'gauge', 'Memory of buffers outside the heap.', external),
      // The same for all workers of a process.
      metric('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', rss, 'max'),
      metric(
        'process_cpu_seconds_total',
        'counter',
        'CPU time of all threads.',
        (user + system) / 1e6,
        'max',
      ),
      startTimeMetric(),
      // Added up over all workers. The pool counts the failures.
      metric('zukan_workers', 'gauge', 'Threads that serve.', 1),
      workerFailuresMetric(0),
      metric('zukan_build_info', 'gauge', BUILD_HELP, [{ labels: versions, value: 1 }], 'max'),
    ];
  }

  #countCollections(entries: PerformanceEntry[]): void {
    for (const { duration, detail } of entries as (PerformanceEntry & { detail: { kind: number } })[]) {
      const kind = gcKinds.get(detail.kind);
      if (kind) this.#gcSeconds.set(kind, (this.#gcSeconds.get(kind) ?? 0) + duration / 1000);
    }
  }
}

/** Of this thread. The oldest thread is as old as the process. */
export function startTimeMetric(): Metric {
  const help = 'Start time of the process in seconds since 1970.';
  return metric('process_start_time_seconds', 'gauge', help, performance.timeOrigin / 1000, 'min');
}

export function workerFailuresMetric(failures: number): Metric {
  return metric('zukan_worker_failures_total', 'counter', 'Threads that failed and were replaced.', failures);
}

/** A dependency (database, Redis, storage) does not respond. The message is for the log, not for clients. */
export class Unavailable extends Error {
  /** For clients, if another time is no better. */
  readonly advice: string | undefined = undefined;
  /** In seconds, as the header says it. */
  readonly retryAfter: string = '1';
}
