/** What the main thread and the workers send each other. */
import type { Config, LogLevel } from '../../config/config.ts';
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
  /** Where the thread counts its beats, and how often (heartbeat.ts). */
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
