/**
 * Metrics on the process: event loop, memory, CPU. All but memory are counters, because several Prometheus servers may scrape
 * them; a maximum since the last scrape would be reset by whichever comes first.
 */
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { Histogram, type Metric } from '../lib/metrics.ts';
import { version } from '../lib/version.ts';

/** How often the event loop's delay is measured. A request that arrives at that moment waits as long as the timer does. */
const SAMPLE_INTERVAL_MS = 50;

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
    return [
      {
        name: `${loop}_delay_seconds`,
        type: 'histogram',
        help: `Delay of a timer, sampled every ${SAMPLE_INTERVAL_MS} ms.`,
        samples: this.#delays.samples(),
      },
      single(`${loop}_active_seconds_total`, 'counter', 'Time that the event loop was busy.', active / 1000),
      single(`${loop}_idle_seconds_total`, 'counter', 'Time that the event loop was idle.', idle / 1000),
      {
        name: 'zukan_gc_seconds_total',
        type: 'counter',
        help: 'Time spent in garbage collection.',
        samples: Array.from(this.#gcSeconds, ([kind, value]) => ({ labels: { kind }, value })),
      },
      single('zukan_heap_used_bytes', 'gauge', 'JavaScript heap in use.', heapUsed),
      single('zukan_heap_total_bytes', 'gauge', 'JavaScript heap allocated.', heapTotal),
      single('zukan_external_memory_bytes', 'gauge', 'Memory of buffers outside the heap.', external),
      // The same for all workers of a process.
      {
        ...single('process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', rss),
        across: 'max',
      },
      {
        ...single('process_cpu_seconds_total', 'counter', 'CPU time of all threads.', (user + system) / 1e6),
        across: 'max',
      },
      startTimeMetric(),
      // Added up over all workers. The pool counts the failures.
      single('zukan_workers', 'gauge', 'Threads that serve.', 1),
      workerFailuresMetric(0),
      {
        name: 'zukan_build_info',
        type: 'gauge',
        across: 'max',
        help: 'Always 1; the labels have the versions.',
        samples: [{ labels: { version, node: process.version }, value: 1 }],
      },
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
  return {
    ...single('process_start_time_seconds', 'gauge', help, performance.timeOrigin / 1000),
    across: 'min',
  };
}

export function workerFailuresMetric(failures: number): Metric {
  return single('zukan_worker_failures_total', 'counter', 'Threads that failed and were replaced.', failures);
}

function single(name: string, type: 'counter' | 'gauge', help: string, value: number): Metric {
  return { name, type, help, samples: [{ value }] };
}
