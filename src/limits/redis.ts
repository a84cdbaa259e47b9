/**
 * The rate limit of several processes, shared through Redis or Valkey: one atomic script per request. While Redis is
 * unavailable, each process limits on its own.
 */
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  BLOCK_MS,
  type Decision,
  MAX_VIOLATIONS,
  PERIOD_MS,
  TOLERANCE_MS,
  VIOLATION_WINDOW_MS,
} from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from './limiter.ts';
import { MemoryLimiter, steadyClock } from './memory.ts';

const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_DELAY_MS = 200;

/**
 * The rule of access/rate.ts; test/limits/limiters.test.ts compares the two. It uses the server's time unless given
 * one. Instances of several versions may share a Redis: keep the names of the fields.
 */
const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local PERIOD, TOLERANCE, MAX_VIOLATIONS = ${PERIOD_MS}, ${TOLERANCE_MS}, ${MAX_VIOLATIONS}
local WINDOW, BLOCK = ${VIOLATION_WINDOW_MS}, ${BLOCK_MS}
local state = redis.call('HMGET', KEYS[1], 'due', 'violations', 'first', 'blocked')
local arrival, violations = tonumber(state[1]) or 0, tonumber(state[2]) or 0
local first, blocked = tonumber(state[3]) or 0, tonumber(state[4]) or 0
if now < blocked then return {0, 1, blocked - now} end
if blocked > 0 then violations, first, blocked = 0, 0, 0 end
local decision
local wait = arrival - TOLERANCE - now
if wait > 0 then
  if violations == 0 or now - first >= WINDOW then violations, first = 0, now end
  violations = violations + 1
  if violations >= MAX_VIOLATIONS then blocked = now + BLOCK end
  decision = {0, blocked > 0 and 1 or 0, blocked > 0 and BLOCK or wait}
else
  arrival = math.max(now, arrival) + PERIOD
  decision = {1, 0, arrival - TOLERANCE - now}
end
local ttl = arrival - now
if blocked > 0 then ttl = math.max(ttl, blocked - now)
elseif violations > 0 then ttl = math.max(ttl, first + WINDOW - now) end
redis.call('HSET', KEYS[1], 'due', arrival, 'violations', violations, 'first', first, 'blocked', blocked)
redis.call('PEXPIRE', KEYS[1], math.max(1, math.ceil(ttl)))
return decision`;

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
  /** Decides while Redis is unavailable. */
  readonly #local: MemoryLimiter;
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
      commandTimeout: this.#options.commandTimeoutMs,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_DELAY_MS,
    }) as RedisWithScript;
    this.#redis.defineCommand('zukanLimit', { numberOfKeys: 1, lua: SCRIPT });
    this.#redis.on('error', (error: Error) => {
      this.#lastConnectionError = error.message;
    });
  }

  async start(): Promise<void> {
    const isReady = () => this.#redis.status === 'ready';
    if (!isReady()) {
      const ready = new Promise((resolve) => this.#redis.once('ready', resolve));
      await Promise.race([ready, setTimeout(this.#options.startTimeoutMs, undefined, { ref: false })]);
    }
    this.#isStarted = true;
    if (!isReady() && !this.#isClosed) this.#markUnavailable('no connection');
  }

  async decide(client: string): Promise<Decision> {
    if (this.#isUnavailable || !this.#isStarted) return this.#local.decide(client);
    try {
      const now = this.#options.clock ? String(this.#options.clock()) : '';
      const [isAllowed, isBlocked, wait] = await this.#redis.zukanLimit(
        `${this.#options.prefix}:limit:${client}`,
        now,
      );
      return { isAllowed: isAllowed === 1, isBlocked: isBlocked === 1, wait };
    } catch (error) {
      this.#markUnavailable((error as Error).message);
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
      await setTimeout(this.#options.pingIntervalMs, undefined, { ref: false });
      if (this.#isClosed) return;
    } while (!(await this.#ping()));
    if (this.#isClosed) return;
    this.#isUnavailable = false;
    this.#lastConnectionError = '';
    this.#options.onChange(false, 'it responds again');
  }

  async #ping(): Promise<boolean> {
    try {
      return (await this.#redis.ping()) === 'PONG';
    } catch {
      return false;
    }
  }
}
