/**
 * The threads that serve, seen from the main thread, which serves nothing itself: it replaces workers that fail, writes
 * their log, collects their reports and fills the document cache.
 */
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { createServer, type Server } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ClientTable, createLimiterMemory } from '../../access/limits/memory.ts';
import type { Config, LogLevel } from '../../config/config.ts';
import { loadLinkKeys } from '../../config/environment.ts';
import { errorField, Logger, writeToStdout } from '../../http/logger.ts';
import type { Address } from '../../http/server.ts';
import { createTurnMemory, endTurn } from '../../lib/concurrency.ts';
import { type MetricsReport, startTimeMetric, workerFailuresMetric } from '../../lib/metrics.ts';
import { SHUTDOWN_TIMEOUT_MS } from '../app.ts';
import { createDocumentMemory, fillDocumentCache, openStore } from '../engines.ts';
import {
  BEAT_MS,
  type FromWorker,
  Heartbeat,
  type Reporter,
  Reports,
  type ToWorker,
  type WorkerData,
} from './messages.ts';

// A place in the pool for a worker, and the thread that has it now.

/** The same file is JavaScript in the package. */
const entryPoint = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** Workers do not inherit the cache of compiled code. Without it, starting one takes far more CPU time and memory. */
const bootstrap = `
  const compileCache = ${JSON.stringify(getCompileCacheDir())};
  if (compileCache) require('node:module').enableCompileCache(compileCache);
  import(${JSON.stringify(entryPoint)});`;

interface WorkerEvents {
  onMessage: (message: Exclude<FromWorker, { type: 'ready' | 'listening' }>) => void;
  onExit: (reason: unknown) => void;
}

class Member implements Reporter {
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

export class WorkerPool {
  readonly #config: Config;
  readonly log: Logger;
  readonly #members: Member[];
  readonly #reports = new Reports();
  readonly #documents: SharedArrayBuffer;
  readonly #limits = createLimiterMemory();
  readonly #decoding = createTurnMemory();
  readonly #clients = new ClientTable(this.#limits, MAIN);
  readonly #stopping = new AbortController();
  readonly #beatMs: number;
  #heartbeats: NodeJS.Timeout | undefined;
  #filler: AsyncDisposable | undefined;
  #address: Address;
  #isStarted = false;
  #logLevel: LogLevel = 'silent';
  #lastOwner = MAIN;
  #failures = 0;

  /** Tests pass shorter beats. */
  constructor(config: Config, log = new Logger('silent', undefined, config.logFormat), beatMs = BEAT_MS) {
    this.#config = { ...config, database: shareConnections(config) };
    this.log = log;
    this.#beatMs = beatMs;
    this.#address = { host: config.host, port: config.port, reusePort: true };
    this.#documents = createDocumentMemory(config, SharedArrayBuffer);
    this.#members = Array.from({ length: config.workers }, (_, index) => new Member(index + 1));
  }

  /** Returns the URL when all workers listen. */
  async start(): Promise<string> {
    // Fails early if the database cannot be used.
    await (await openStore(this.#config))[Symbol.asyncDispose]();
    if (this.#config.linkKeys === undefined) await loadLinkKeys(this.#config.dataDir);
    // Nobody listens before all are ready, so that every connection that is accepted is served.
    await Promise.all(this.#members.map((member) => this.#startWorker(member)));
    await refusePortInUse(this.#address);
    const [first, ...others] = this.#members as [Member, ...Member[]];
    const url = await first.listen(this.#address);
    this.#address.port ||= Number(new URL(url).port);
    await Promise.all(others.map((member) => member.listen(this.#address)));
    this.#isStarted = true;
    this.#heartbeats = setInterval(() => {
      for (const member of this.#members) member.checkHeartbeat();
    }, this.#beatMs);
    this.#filler = await fillDocumentCache(this.#config, this.#documents, DOCUMENTS_PER_SLICE);
    return url;
  }

  /** Workers log nothing until this is called. */
  setLogLevel(level: LogLevel): void {
    this.log.level = level;
    this.#logLevel = level;
    for (const member of this.#members) member.post({ type: 'log level', level });
  }

  /** The threads that run now. */
  get workers(): Worker[] {
    return this.#members.flatMap(({ worker }) => worker ?? []);
  }

  /** The reports of all workers, and that of the pool. */
  async collectReports(withMetrics: boolean): Promise<MetricsReport[]> {
    const running = this.#members.filter(({ isListening }) => isListening);
    const reports = await this.#reports.collect(running, withMetrics);
    return [...reports, this.#ownReport()];
  }

  /** Lets running requests finish, for as long as `timeoutMs`. */
  async close(timeoutMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#heartbeats);
    const filled = this.#filler?.[Symbol.asyncDispose]();
    const { workers } = this;
    // `events.once` would reject if a worker fails now.
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const member of this.#members) member.post({ type: 'stop', timeoutMs });
    const terminate = () => workers.map((worker) => worker.terminate());
    const timer = setTimeout(terminate, timeoutMs + STOP_GRACE_MS);
    await Promise.all(ended);
    clearTimeout(timer);
    await filled;
    await this.log.flush();
  }

  /** Returns when the worker could serve. */
  #startWorker(member: Member): Promise<void> {
    const owner = ++this.#lastOwner;
    const config = { ...this.#config, logLevel: this.#logLevel };
    const memory = { owner, documents: this.#documents, limits: this.#limits, decoding: this.#decoding };
    return member.start(
      { config, ...memory, beatMs: this.#beatMs },
      {
        onMessage: (message) => this.#handle(member, message),
        onExit: (reason) => this.#onExit(member, owner, reason),
      },
    );
  }

  #handle(member: Member, message: Parameters<WorkerEvents['onMessage']>[0]): void {
    // Another worker may have the place when the answer is there.
    const { worker } = member;
    const reply = (answer: ToWorker) => worker?.postMessage(answer);
    const { type } = message;
    if (type === 'report') {
      this.#reports.answer(member, message.question, message.report);
    } else if (type === 'reports') {
      const { question, withMetrics } = message;
      void this.collectReports(withMetrics).then((reports) => reply({ type: 'reports', question, reports }));
    } else {
      writeToStdout(message.text, (error) => reply({ type: 'written', isLost: Boolean(error) }));
    }
  }

  #onExit(member: Member, owner: number, reason: unknown): void {
    this.#clients.releaseLocksOf(owner);
    endTurn({ memory: this.#decoding, owner });
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
    if (signal.aborted) return;
    // If it fails again, its exit starts the next one.
    await this.#startWorker(member)
      .then(() => (signal.aborted ? undefined : member.listen(this.#address)))
      .catch(() => {});
  }

  #ownReport(): MetricsReport {
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

/**
 * False on systems without SO_REUSEPORT that distributes connections, such as macOS and Windows. It tries the host that will
 * be listened on: a machine may have no address of another family.
 */
export async function canSharePorts(host: string): Promise<boolean> {
  try {
    await close(await listen({ host, port: 0, reusePort: true }));
    return true;
  } catch {
    return false;
  }
}

/** Fails if another process listens on the port: without this check, the threads would share the port with it. */
async function refusePortInUse({ host, port }: Address): Promise<void> {
  if (port > 0) await close(await listen({ host, port }));
}

async function listen(address: Address): Promise<Server> {
  const server = createServer().listen(address);
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
