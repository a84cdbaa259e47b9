/** What the main thread and the workers send each other, and the beats by which the main thread sees that a worker responds. */
import type { Config } from '../../config/config.ts';
import type { LogLevel } from '../../config/log.ts';
import type { Address } from '../../http/server.ts';
import type { MetricsReport } from '../../lib/metrics.ts';

/** What a worker starts with. */
export interface WorkerData {
  config: Config;
  /** Identifies the thread in shared memory. */
  owner: number;
  documents: SharedArrayBuffer;
  limits: SharedArrayBuffer;
  decoding: SharedArrayBuffer;
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
