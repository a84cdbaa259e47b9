/** What the main thread and the workers send each other, and the beats by which the main thread sees that a worker responds. */
import type { Config, LogLevel } from '../../config/config.ts';
import type { Address } from '../../http/server.ts';
import { type Metric, type MetricsReport, mergeMetrics } from '../../lib/metrics.ts';
import type { SharedMemory } from '../app.ts';

/** What a worker starts with. */
export interface WorkerData extends SharedMemory {
  config: Config;
  /** Where the thread counts its beats, and how often. */
  heartbeat: SharedArrayBuffer;
  beatMs: number;
}

export type ToWorker =
  /** Asks a worker that is ready to serve. */
  | { type: 'listen'; address: Address }
  | { type: 'log level'; level: LogLevel }
  /** The block of the worker's log is written, or lost. */
  | { type: 'written'; isLost: boolean }
  /** Asks for the worker's own report. */
  | { type: 'report'; question: number; withMetrics: boolean }
  /** The reports of all workers, as this one asked. */
  | { type: 'reports'; question: number; reports: MetricsReport[] }
  | { type: 'stop'; timeoutMs: number };

export type FromWorker =
  /** The worker could serve, but does not listen yet. */
  | { type: 'ready' }
  | { type: 'listening'; url: string }
  /** A block of the worker's log. */
  | { type: 'write'; text: string }
  | { type: 'report'; question: number; report: MetricsReport }
  /** Asks for the reports of all workers. */
  | { type: 'reports'; question: number; withMetrics: boolean };

export const BEAT_MS = 1000;
/** From then on the thread counts as not responding. A response may take a moment on a busy machine. */
const MAX_LATE_BEATS = 3;
/** From then on the thread counts as hung. No task of ours takes nearly as long. */
const MAX_MISSED_BEATS = 10;

/** Starts the beats of this thread. They do not keep it alive. */
export function startBeating(memory: SharedArrayBuffer, beatMs: number): void {
  const beats = new Int32Array(memory);
  setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
}

/**
 * The main thread's view of another thread: detects one whose event loop hangs. The thread counts its beats in shared memory, and
 * the main thread looks after each beat of its own. It measures no time: a machine that was suspended, or too busy for the main
 * thread as well, makes nobody look hung.
 */
export class Heartbeat {
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beats = new Int32Array(this.memory);
  #last = 0;
  #missed = 0;

  /** Call this once per beat of the main thread. Returns true once, when the thread begins to count as hung. */
  look(): boolean {
    const beats = Atomics.load(this.#beats, 0);
    this.#missed = beats === this.#last ? this.#missed + 1 : 0;
    this.#last = beats;
    return this.#missed === MAX_MISSED_BEATS;
  }

  get isResponding(): boolean {
    return this.#missed < MAX_LATE_BEATS;
  }
}

// Collects the reports of all workers. Nothing that was ever reported as counted is lost when a worker is replaced.

/** Longer than the health check of a worker takes, and shorter than Prometheus waits. */
const TIMEOUT_MS = 7000;

/** A worker that can be asked for its report. */
export interface Reporter {
  ask(question: number, withMetrics: boolean): void;
  /** Whether an answer can be expected. */
  isResponding(): boolean;
  /** The latest answer. */
  report: MetricsReport | undefined;
}

export class Reports {
  readonly #timeoutMs: number;
  readonly #questions = new Map<number, { waitingFor: Set<Reporter>; resolve: () => void }>();
  #lastQuestion = 0;
  /** The counters of workers that have ended. */
  #retired: Metric[] = [];

  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** The reports of all workers. One that does not answer in time is represented by what it has counted before. */
  async collect(reporters: Reporter[], withMetrics: boolean): Promise<MetricsReport[]> {
    const question = ++this.#lastQuestion;
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = reporters.filter((reporter) => reporter.isResponding());
    const waitingFor = new Set(asked);
    this.#questions.set(question, { waitingFor, resolve });
    for (const reporter of asked) reporter.ask(question, withMetrics);
    const timer = setTimeout(resolve, this.#timeoutMs);
    if (waitingFor.size > 0) await promise;
    clearTimeout(timer);
    this.#questions.delete(question);
    const reports = reporters.flatMap((reporter) => {
      const hasAnswered = asked.includes(reporter) && !waitingFor.has(reporter);
      return hasAnswered ? (reporter.report ?? []) : unanswered(reporter);
    });
    return [...reports, { metrics: this.#retired, degradedReasons: {}, canServe: false }];
  }

  /** Records an answer. Metrics are kept until the next ones. */
  answer(reporter: Reporter, question: number, report: MetricsReport): void {
    const { metrics = [] } = report.metrics.length > 0 ? report : (reporter.report ?? {});
    reporter.report = { ...report, metrics };
    this.#settle(reporter, question);
  }

  /** The worker has ended, and answers no more. */
  retire(reporter: Reporter): void {
    this.#retired = mergeMetrics([this.#retired, countersOf(reporter)]);
    // A question that waits for it must not count it twice.
    reporter.report = undefined;
    for (const question of this.#questions.keys()) this.#settle(reporter, question);
  }

  #settle(reporter: Reporter, question: number): void {
    const { waitingFor, resolve } = this.#questions.get(question) ?? {};
    waitingFor?.delete(reporter);
    if (waitingFor?.size === 0) resolve?.();
  }
}

function unanswered(reporter: Reporter): MetricsReport {
  const workers = 'a worker does not respond; connections to it wait until it is replaced';
  return { metrics: countersOf(reporter), degradedReasons: { workers }, canServe: false };
}

function countersOf({ report }: Reporter): Metric[] {
  return (report?.metrics ?? []).filter(({ type }) => type !== 'gauge');
}
