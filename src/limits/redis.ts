/**
 * The rate limit of several processes, shared through Redis or Valkey: one atomic script per request. While Redis is
 * unavailable, each process limits on its own.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Decision } from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from './limiter.ts';
import { MemoryLimiter, steadyClock } from './memory.ts';
import { SCRIPT } from './redis-script.ts';

const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_DELAY_MS = 200;
/** Redis is unavailable after this many failures in a row. */
const MAX_FAILURES = 5;

interface RedisWithScript extends Redis {
  zukanLimit(key: string, now: string): Promise<[number, number, number]>;
}

export interface RedisLimiterOptions {
  /** Separates catalogues that share a Redis. */
  prefix: string;
  /** Called once when Redis becomes unavailable, and once when it is available again. */
  onChange: (isUnavailable: boolean, reason: string) => void;
  /** Replaces the server's time in tests. */
  clock?: Clock;
  /** The longest a request waits for a decision. */
  commandTimeoutMs?: number;
  /** How long `start` waits for a connection before Redis counts as unavailable. */
  startTimeoutMs?: number;
  /** How often an unavailable Redis is pinged. */
  pingIntervalMs?: number;
}

const defaults = { commandTimeoutMs: 40, startTimeoutMs: 1000, pingIntervalMs: 500 };

export class RedisLimiter implements Limiter {
  readonly #redis: RedisWithScript;
  readonly #options: RedisLimiterOptions & typeof defaults;
  /** Decides when Redis does not. It knows the blocks that Redis reported to this process, so it does not lift them. */
  readonly #local: MemoryLimiter;
  #failuresInARow = 0;
  #isUnavailable = false;
  #isStarted = false;
  #isClosed = false;
  #lastConnectionError = '';

  constructor(url: string, options: RedisLimiterOptions) {
    this.#options = { ...defaults, ...options };
    this.#local = new MemoryLimiter(options.clock ?? steadyClock);
    this.#redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_DELAY_MS,
    }) as RedisWithScript;
    this.#redis.defineCommand('zukanLimit', { numberOfKeys: 1, lua: SCRIPT });
    this.#redis.on('error', (error: Error) => {
      this.#lastConnectionError = error.message;
    });
    this.#redis.on('ready', () => {
      this.#lastConnectionError = '';
    });
  }

  async start(): Promise<void> {
    const isReady = () => this.#redis.status === 'ready';
    if (!isReady()) {
      const ready = new Promise((resolve) => this.#redis.once('ready', resolve));
      await Promise.race([ready, wait(this.#options.startTimeoutMs, undefined, { ref: false })]);
    }
    this.#isStarted = true;
    if (!isReady() && !this.#isClosed) this.#markUnavailable('no connection');
  }

  async decide(client: string): Promise<Decision> {
    if (this.#isUnavailable || !this.#isStarted) return this.#local.decide(client);
    const failuresBefore = this.#failuresInARow;
    try {
      const decision = await this.#inTime(this.#decideInRedis(client));
      this.#failuresInARow = 0;
      return decision;
    } catch (error) {
      this.#countFailure(failuresBefore, (error as Error).message);
      return this.#local.decide(client);
    }
  }

  degradedReason(): string | undefined {
    return this.#isUnavailable ? 'Redis unavailable; each instance limits on its own' : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis.disconnect();
  }

  async #decideInRedis(client: string): Promise<Decision> {
    const now = this.#options.clock ? String(this.#options.clock()) : '';
    const reply = await this.#redis.zukanLimit(`${this.#options.prefix}:limit:${client}`, now);
    const decision = { isAllowed: reply[0] === 1, isBlocked: reply[1] === 1, wait: reply[2] };
    if (decision.isBlocked) this.#local.block(client, decision.wait);
    return decision;
  }

  /**
   * Rejects if the reply is late. If this process was too busy to read it, the timer fires first and the reply is read in
   * the same turn of the event loop, before the immediate runs.
   */
  #inTime<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timeout = this.#options.commandTimeoutMs;
      const late = () => reject(new Error(`no reply within ${timeout} ms`));
      const timer = setTimeout(() => setImmediate(late), timeout);
      reply.then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }

  /** Many commands that one pause of Redis delays count once: those sent before the last counted failure are ignored. */
  #countFailure(failuresBefore: number, reason: string): void {
    if (failuresBefore !== this.#failuresInARow) return;
    this.#failuresInARow++;
    if (this.#failuresInARow >= MAX_FAILURES) this.#markUnavailable(reason);
  }

  /**
   * Sends no more decisions to Redis until it answers a ping. A hung Redis would run them all when it resumes, and
   * count them against their clients at once.
   */
  #markUnavailable(reason: string): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#options.onChange(true, this.#lastConnectionError || reason);
    void this.#waitUntilAvailable();
  }

  async #waitUntilAvailable(): Promise<void> {
    do {
      await wait(this.#options.pingIntervalMs, undefined, { ref: false });
      if (this.#isClosed) return;
    } while (!(await this.#ping()));
    if (this.#isClosed) return;
    this.#isUnavailable = false;
    this.#failuresInARow = 0;
    this.#options.onChange(false, 'it responds again');
  }

  async #ping(): Promise<boolean> {
    try {
      return (await this.#inTime(this.#redis.ping())) === 'PONG';
    } catch {
      return false;
    }
  }
}
