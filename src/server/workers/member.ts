/** A place in the pool for a worker, and the thread that has it now. */
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Address } from '../../http/server.ts';
import type { MetricsReport } from '../../lib/metrics.ts';
import { type FromWorker, Heartbeat, type ToWorker, type WorkerData } from './messages.ts';
import type { Reporter } from './reports.ts';

/** The same file is JavaScript in the package. */
const entryPoint = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** Workers do not inherit the cache of compiled code. Without it, starting one takes far more CPU time and memory. */
const bootstrap = `
  const compileCache = ${JSON.stringify(getCompileCacheDir())};
  if (compileCache) require('node:module').enableCompileCache(compileCache);
  import(${JSON.stringify(entryPoint)});`;

export interface WorkerEvents {
  onMessage: (message: Exclude<FromWorker, { type: 'ready' | 'listening' }>) => void;
  onExit: (reason: unknown) => void;
}

export class Member implements Reporter {
  readonly number: number;
  worker: Worker | undefined;
  isListening = false;
  report: MetricsReport | undefined;
  startedAt = 0;
  failuresInARow = 0;
  #heartbeat = new Heartbeat();
  /** Settles when the thread has done what it was asked for: to get ready, or to listen. */
  #asked = Promise.withResolvers<string>();
  /** Why the thread ended, as far as known. */
  #failure: unknown;

  constructor(number: number) {
    this.number = number;
  }

  /** Starts a thread. Returns when it could serve. */
  async start(data: Omit<WorkerData, 'heartbeat'>, { onMessage, onExit }: WorkerEvents): Promise<void> {
    this.#heartbeat = new Heartbeat();
    this.#asked = Promise.withResolvers();
    this.#failure = new Error('the thread ended');
    this.startedAt = performance.now();
    const workerData: WorkerData = { ...data, heartbeat: this.#heartbeat.memory };
    this.worker = new Worker(bootstrap, { eval: true, workerData });
    this.worker.on('message', (message: FromWorker) => {
      if (message.type === 'ready') return this.#asked.resolve('');
      if (message.type !== 'listening') return onMessage(message);
      this.isListening = true;
      this.#asked.resolve(message.url);
    });
    this.worker.on('error', (error) => {
      this.#failure = error;
    });
    this.worker.on('exit', () => {
      this.worker = undefined;
      this.isListening = false;
      this.#asked.reject(this.#failure);
      onExit(this.#failure);
    });
    await this.#asked.promise;
  }

  /** Returns the URL when the thread listens. */
  async listen(address: Address): Promise<string> {
    if (!this.worker) throw this.#failure;
    this.#asked = Promise.withResolvers();
    this.post({ type: 'listen', address });
    return this.#asked.promise;
  }

  /** Ends the thread if it hangs. Call this once per beat of the main thread. */
  checkHeartbeat(): void {
    if (!this.isListening || !this.#heartbeat.look()) return;
    this.#failure = new Error('the thread did not respond');
    void this.worker?.terminate();
  }

  isResponding(): boolean {
    return this.#heartbeat.isResponding;
  }

  ask(question: number, withMetrics: boolean): void {
    this.post({ type: 'report', question, withMetrics });
  }

  post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }
}
