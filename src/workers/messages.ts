/** What the main thread and the workers send each other. */
import type { Config, LogLevel } from '../config/config.ts';
import type { Address } from '../http/server/server.ts';
import type { Report } from '../metrics.ts';

/** What a worker starts with. */
export interface WorkerData {
  config: Config;
  address: Address;
  /** Identifies the thread in shared memory. */
  owner: number;
  documents: SharedArrayBuffer;
  limits: SharedArrayBuffer;
}

export type ToWorker =
  | { type: 'log level'; level: LogLevel }
  /** The block of the worker's log is written, or lost. */
  | { type: 'written'; isLost: boolean }
  /** Asks for the worker's own report. */
  | { type: 'report'; question: number; withMetrics: boolean }
  /** The reports of all workers, as this one asked. */
  | { type: 'reports'; question: number; reports: Report[] }
  | { type: 'stop'; timeoutMs: number };

export type FromWorker =
  | { type: 'listening'; url: string }
  /** A block of the worker's log. */
  | { type: 'write'; text: string }
  | { type: 'report'; question: number; report: Report }
  /** Asks for the reports of all workers. */
  | { type: 'reports'; question: number; withMetrics: boolean };
