/**
 * The threads that serve, seen from the main thread, which serves nothing itself: it replaces workers that fail, writes
 * their log, collects their reports and fills the document cache.
 */
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { SHUTDOWN_TIMEOUT_MS } from '../app.ts';
import type { Config, LogLevel } from '../config/config.ts';
import { loadLinkKeys } from '../config/link-keys.ts';
import { createDocumentMemory, fillDocumentCache, openStore } from '../engines.ts';
import { startTimeMetric, workerFailuresMetric } from '../http/metrics/process.ts';
import { writeToStdout } from '../http/server/line-writer.ts';
import { errorField, Logger } from '../http/server/logger.ts';
import type { Address } from '../http/server/server.ts';
import { ClientTable } from '../limits/client-table.ts';
import { createLimiterMemory } from '../limits/memory.ts';
import type { Report } from '../metrics.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { reservePort } from './port.ts';
import { type Reporter, Reports } from './reports.ts';

/** The same file is JavaScript in the package. */
const entryPoint = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** Workers do not inherit the cache of compiled code. Without it, starting one takes four times the CPU time and 35 MB more. */
const bootstrap = `
  const compileCache = ${JSON.stringify(getCompileCacheDir())};
  if (compileCache) require('node:module').enableCompileCache(compileCache);
  import(${JSON.stringify(entryPoint)});`;
/** In this thread the filler delays nobody. */
const DOCUMENTS_PER_SLICE = 400;
const MIN_RESTART_MS = 100;
const MAX_RESTART_MS = 10_000;
/** A worker that ran this long is replaced at once when it fails. */
const STABLE_MS = 60_000;
/** How much longer than its timeout a shutdown may take before the threads are ended. */
const STOP_GRACE_MS = 3000;
/** The main thread in the locks of the limiter. Workers have higher numbers. */
const MAIN = 1;

/** A place for a worker, and the thread that has it now. */
interface Member extends Reporter {
  number: number;
  worker: Worker | undefined;
  isListening: boolean;
  startedAt: number;
  failuresInARow: number;
}

export class WorkerPool {
  readonly #config: Config;
  readonly log: Logger;
  readonly #members: Member[];
  readonly #reports = new Reports();
  readonly #documents: SharedArrayBuffer;
  readonly #limits = createLimiterMemory();
  readonly #clients = new ClientTable(this.#limits, MAIN);
  readonly #stopping = new AbortController();
  #filler: AsyncDisposable | undefined;
  #address: Address;
  #isStarted = false;
  #logLevel: LogLevel = 'silent';
  #lastOwner = MAIN;
  #failures = 0;

  constructor(config: Config, log = new Logger('silent')) {
    this.#config = { ...config, database: shareConnections(config) };
    this.log = log;
    this.#address = { host: config.host, port: config.port };
    this.#documents = createDocumentMemory(config, SharedArrayBuffer);
    this.#members = Array.from({ length: config.workers }, (_, index) => createMember(index + 1));
  }

  /** Returns the URL when all workers listen. */
  async start(): Promise<string> {
    // Migrates the schema once, and fails early if the database cannot be used.
    await (await openStore(this.#config))[Symbol.asyncDispose]();
    if (this.#config.linkKeys === undefined) loadLinkKeys(this.#config.dataDir);
    const { address, release } = await reservePort(this.#address);
    this.#address = address;
    const starting = this.#members.map((member) => this.#startWorker(member));
    const [url = ''] = await Promise.all(starting).finally(release);
    this.#isStarted = true;
    this.#filler = await fillDocumentCache(this.#config, this.#documents, DOCUMENTS_PER_SLICE);
    return url;
  }

  /** Workers log nothing until this is called. */
  setLogLevel(level: LogLevel): void {
    this.log.level = level;
    this.#logLevel = level;
    for (const worker of this.workers) post(worker, { type: 'log level', level });
  }

  /** The threads that run now. */
  get workers(): Worker[] {
    return this.#members.flatMap(({ worker }) => worker ?? []);
  }

  /** The reports of all workers, and that of the pool. */
  async collectReports(withMetrics: boolean): Promise<Report[]> {
    const running = this.#members.filter(({ isListening }) => isListening);
    const reports = await this.#reports.collect(running, withMetrics);
    return [...reports, this.#ownReport()];
  }

  /** Lets running requests finish, for as long as `timeoutMs`. */
  async close(timeoutMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
    this.#stopping.abort();
    const filled = this.#filler?.[Symbol.asyncDispose]();
    const { workers } = this;
    // `events.once` would reject if a worker fails now.
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) post(worker, { type: 'stop', timeoutMs });
    const terminate = () => workers.map((worker) => worker.terminate());
    const timer = setTimeout(terminate, timeoutMs + STOP_GRACE_MS);
    await Promise.all(ended);
    clearTimeout(timer);
    await filled;
    await this.log.flush();
  }

  /** Returns the URL when the worker listens. */
  #startWorker(member: Member): Promise<string> {
    const owner = ++this.#lastOwner;
    const workerData: WorkerData = {
      config: { ...this.#config, logLevel: this.#logLevel },
      ...{ address: this.#address, owner, documents: this.#documents, limits: this.#limits },
    };
    const worker = new Worker(bootstrap, { eval: true, workerData });
    member.worker = worker;
    member.startedAt = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let reason: unknown = new Error('the thread ended');
    worker.on('message', (message: FromWorker) => {
      if (message.type !== 'listening') return this.#handle(member, worker, message);
      member.isListening = true;
      resolve(message.url);
    });
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', () => {
      reject(reason);
      this.#onExit(member, owner, reason);
    });
    return promise;
  }

  #handle(member: Member, worker: Worker, message: Exclude<FromWorker, { type: 'listening' }>): void {
    const { type } = message;
    if (type === 'report') {
      this.#reports.answer(member, message.question, message.report);
    } else if (type === 'reports') {
      const { question, withMetrics } = message;
      void this.collectReports(withMetrics).then((reports) =>
        post(worker, { type: 'reports', question, reports }),
      );
    } else {
      writeToStdout(message.text, (error) => post(worker, { type: 'written', isLost: Boolean(error) }));
    }
  }

  #onExit(member: Member, owner: number, reason: unknown): void {
    member.worker = undefined;
    member.isListening = false;
    this.#clients.releaseLocksOf(owner);
    this.#reports.retire(member);
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#failures++;
    this.log.error({ worker: member.number, ...errorField(reason) }, 'worker failed; starting another one');
    void this.#replace(member);
  }

  async #replace(member: Member): Promise<void> {
    const hasBeenStable = performance.now() - member.startedAt > STABLE_MS;
    member.failuresInARow = hasBeenStable ? 0 : member.failuresInARow + 1;
    const delay = Math.min(MIN_RESTART_MS * 2 ** member.failuresInARow, MAX_RESTART_MS);
    const { signal } = this.#stopping;
    await wait(delay, undefined, { signal }).catch(() => {});
    // If it fails again, its exit starts the next one.
    if (!signal.aborted) await this.#startWorker(member).catch(() => {});
  }

  #ownReport(): Report {
    const running = this.#members.filter(({ isListening }) => isListening).length;
    const total = this.#members.length;
    const workers = `${running} of ${total} workers are running; the others are being started again`;
    return {
      metrics: [workerFailuresMetric(this.#failures), startTimeMetric()],
      degradedReasons: running < total ? { workers } : {},
      canServe: false,
    };
  }
}

/** The connections of a process, divided among its workers. */
function shareConnections({ database, workers }: Config): Config['database'] {
  if (database.engine === 'sqlite') return database;
  return { ...database, connections: Math.max(1, Math.floor(database.connections / workers)) };
}

function createMember(number: number): Member {
  const member: Member = {
    ...{ number, worker: undefined, isListening: false, report: undefined },
    ...{ startedAt: 0, failuresInARow: 0 },
    ask: (question, withMetrics) => post(member.worker, { type: 'report', question, withMetrics }),
  };
  return member;
}

function post(worker: Worker | undefined, message: ToWorker): void {
  worker?.postMessage(message);
}
