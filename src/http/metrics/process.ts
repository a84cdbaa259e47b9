/**
 * The process itself: its event loop, memory and processor. Everything but memory only ever grows, so that each of several
 * who watch can take differences of its own; a maximum since the last time someone looked would be anyone's.
 */
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import type { Metric } from '../../metrics.ts';
import { version } from '../../version.ts';
import { Histogram } from './histogram.ts';

/** How often it is looked how late a timer comes. What a request that comes at that moment waits is the same. */
const LOOK_EVERY_MS = 50;

const collections = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
]);

export class ProcessMetrics {
  readonly #delays = new Histogram();
  readonly #collecting = new Map([...collections.values()].map((kind) => [kind, 0]));
  readonly #observer = new PerformanceObserver((list) => this.#countCollections(list.getEntries()));
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    // Node's own histogram of the loop's delay cannot tell how many were below a bound, so it cannot be added up.
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#delays.record(Math.max(0, now - last - LOOK_EVERY_MS) / 1000);
      last = now;
    }, LOOK_EVERY_MS).unref();
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
        help: `How late a timer comes, looked at every ${LOOK_EVERY_MS} ms.`,
        samples: this.#delays.samples(),
      },
      single(`${loop}_active_seconds_total`, 'counter', 'Time that the event loop worked.', active / 1000),
      single(`${loop}_idle_seconds_total`, 'counter', 'Time that the event loop waited.', idle / 1000),
      {
        name: 'zukan_gc_seconds_total',
        type: 'counter',
        help: 'Time that garbage collection held everything up.',
        samples: Array.from(this.#collecting, ([kind, value]) => ({ labels: { kind }, value })),
      },
      single('zukan_heap_used_bytes', 'gauge', 'Memory of the JavaScript heap that is in use.', heapUsed),
      single('zukan_heap_total_bytes', 'gauge', 'Memory that the JavaScript heap has taken.', heapTotal),
      single('zukan_external_memory_bytes', 'gauge', 'Memory of buffers outside of the heap.', external),
      single('process_resident_memory_bytes', 'gauge', 'Memory of the whole process.', rss),
      single(
        'process_cpu_seconds_total',
        'counter',
        'Processor time, of all threads.',
        (user + system) / 1e6,
      ),
      single(
        'process_start_time_seconds',
        'gauge',
        'When the process began, in seconds since 1970.',
        performance.timeOrigin / 1000,
      ),
      {
        name: 'zukan_build_info',
        type: 'gauge',
        help: 'Always 1; the labels tell what is running.',
        samples: [{ labels: { version, node: process.version }, value: 1 }],
      },
    ];
  }

  #countCollections(entries: PerformanceEntry[]): void {
    for (const { duration, detail } of entries as (PerformanceEntry & { detail: { kind: number } })[]) {
      const kind = collections.get(detail.kind);
      if (kind) this.#collecting.set(kind, (this.#collecting.get(kind) ?? 0) + duration / 1000);
    }
  }
}

function single(name: string, type: 'counter' | 'gauge', help: string, value: number): Metric {
  return { name, type, help, samples: [{ value }] };
}
