/**
 * The rate limit of several processes, shared through Redis or Valkey: one atomic script per request. While Redis is
 * unavailable, each process limits on its own.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Clock } from '../../lib/clock.ts';
import { BLOCK_MS, type Decision, type Limiter, MAX_VIOLATIONS, VIOLATION_WINDOW_MS } from '../rate.ts';
import { MemoryLimiter, steadyClock } from './memory.ts';

// The rate rule as a script that Redis runs atomically: one client's key, the rate and the milliseconds left of a block that
// the instance knows in, a decision out.

/**
 * The rule of access/rate.ts; test/access/limits/limiters.test.ts compares the two. It uses the server's time unless given
 * one. The key is a hash:
 *
 * - `due`: the next arrival.
 * - `violations`, `first`: the number of violations within the last hour and the time of the first.
 * - `later`: the milliseconds from the first violation to each further one. Differences are short enough for Redis to keep
 *   the hash in its compact encoding.
 * - `blocked`: the end of a block; then there is nothing else.
 *
 * A block that the instance knows and Redis does not was lost, with a restart for example, and is restored.
 */
const SCRIPT = `
local now, rate, known = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local PERIOD = 1000 / rate
local SLACK = (rate - 1) * PERIOD + PERIOD * 3 / 10
local MAX_VIOLATIONS, WINDOW, BLOCK = ${MAX_VIOLATIONS}, ${VIOLATION_WINDOW_MS}, ${BLOCK_MS}
local function block(till)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'blocked', till)
  redis.call('PEXPIREAT', KEYS[1], till)
end

local state = redis.call('HMGET', KEYS[1], 'due', 'blocked', 'violations', 'first', 'later')
local arrival, blocked, count = tonumber(state[1]) or 0, tonumber(state[2]) or 0, tonumber(state[3]) or 0
if blocked == 0 and known > 0 then
  blocked = now + known
  block(blocked)
end
if blocked > now + BLOCK then
  blocked = now + BLOCK
  block(blocked)
end
if now < blocked then return {0, 1, blocked - now, 0, 0} end
if blocked > 0 then
  redis.call('DEL', KEYS[1])
  arrival, count = 0, 0
end
if arrival > now + SLACK + PERIOD then arrival = now end

local violations = {}
if count > 0 then
  local first, differences = tonumber(state[4]), string.gmatch(state[5], '%d+')
  for index = 1, count do
    local at = math.min(first + (index == 1 and 0 or tonumber(differences())), now)
    if now - at < WINDOW then table.insert(violations, at) end
  end
end

local decision
if arrival - SLACK <= now then
  arrival = math.max(now, arrival) + PERIOD
  local room = now - (arrival - SLACK)
  decision = {1, 0, math.max(0, math.ceil(-room)), math.floor(room / PERIOD) + 1, MAX_VIOLATIONS - #violations}
elseif #violations + 1 >= MAX_VIOLATIONS then
  block(now + BLOCK)
  return {0, 1, BLOCK, 0, 0}
else
  table.insert(violations, now)
  decision = {0, 0, math.ceil(arrival - SLACK - now), 0, MAX_VIOLATIONS - #violations}
end

local expiry = arrival
if #violations > 0 then
  local first, later = violations[1], {}
  for index = 2, #violations do later[index - 1] = violations[index] - first end
  redis.call('HSET', KEYS[1], 'due', arrival, 'violations', #violations, 'first', first, 'later', table.concat(later, ','))
  expiry = math.max(expiry, violations[#violations] + WINDOW)
else
  if count > 0 then redis.call('HDEL', KEYS[1], 'violations', 'first', 'later') end
  redis.call('HSET', KEYS[1], 'due', arrival)
end
redis.call('PEXPIREAT', KEYS[1], math.ceil(expiry))
return decision`;

const CONNECT_TIMEOUT_MS = 1000;
const RECONNECT_DELAY_MS = 200;
/** Redis is unavailable after this many failures in a row. */
const MAX_FAILURES = 5;
/** The connection is replaced each time this many commands have failed in a row. */
const FAILURES_PER_CONNECTION = 10;

const CLUSTER = 'it is a cluster; set REDIS_URL to a Redis without cluster mode';

type RedisWithScript = Redis & {
  zukanLimit(
    key: string,
    now: string,
    perSecond: number,
    blockedMs: number,
  ): Promise<[number, number, number, number, number]>;
};

export interface RedisLimiterOptions {
  perSecond: number;
  /** Decides when Redis does not; a limiter of its own if it is not given. */
  local?: MemoryLimiter | undefined;
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
  /** How often Redis is probed, whether it is available or not. */
  probeIntervalMs?: number;
}

const defaults = { commandTimeoutMs: 40, startTimeoutMs: 1000, probeIntervalMs: 500 };

export class RedisLimiter implements Limiter {
  readonly perSecond: number;
  readonly #redis: RedisWithScript;
  readonly #options: RedisLimiterOptions & typeof defaults;
  /** It knows the blocks that Redis reported to this process, so they last even if Redis is unavailable or loses them. */
  readonly #local: MemoryLimiter;
  #failuresInARow = 0;
  #isUnavailable = false;
  #isStarted = false;
  #isClosed = false;
  #lastConnectionError = '';

  constructor(url: string, options: RedisLimiterOptions) {
    this.perSecond = options.perSecond;
    this.#options = { ...defaults, ...options };
    this.#local = options.local ?? new MemoryLimiter(options.perSecond, options.clock ?? steadyClock);
    const redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_DELAY_MS,
    });
    // A plain cast would make the compiler compare all overloads of all commands, which takes it seconds.
    this.#redis = redis as unknown as RedisWithScript;
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
    if (await this.#isCluster()) this.#markUnavailable(CLUSTER);
    void this.#keepProbing();
  }

  async decide(client: string): Promise<Decision> {
    const asksRedis = this.#isStarted && !this.#isUnavailable;
    const decision = asksRedis ? await this.#attempt(this.#decideInRedis(client)) : undefined;
    return decision ?? this.#local.decide(client);
  }

  blockedClients(): number {
    return this.#local.blockedClients();
  }

  degradedReason(): string | undefined {
    return this.#isUnavailable ? 'Redis unavailable; each instance limits on its own' : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis.disconnect();
  }

  async #decideInRedis(client: string): Promise<Decision> {
    const key = `${this.#options.prefix}:limit:${client}`;
    const decision = await this.#runScript(key, this.#local.blockedFor(client));
    if (decision.isBlocked) this.#local.block(client, decision.wait);
    return decision;
  }

  async #runScript(key: string, blockedMs: number): Promise<Decision> {
    const now = this.#options.clock ? String(this.#options.clock()) : '';
    const reply = await this.#redis.zukanLimit(key, now, this.perSecond, blockedMs);
    const [isAllowed, isBlocked, wait, remaining, refusalsLeft] = reply;
    return { isAllowed: isAllowed === 1, isBlocked: isBlocked === 1, wait, remaining, refusalsLeft };
  }

  /** Counts a failure and returns undefined if Redis refuses or replies late. */
  async #attempt(reply: Promise<Decision>): Promise<Decision | undefined> {
    const failuresBefore = this.#failuresInARow;
    try {
      const decision = await this.#inTime(reply);
      // For a blocked client the script only reads, which also works if Redis refuses writes.
      if (!decision.isBlocked) this.#failuresInARow = 0;
      return decision;
    } catch (error) {
      // A pause of Redis that delays many commands counts once.
      if (failuresBefore === this.#failuresInARow) this.#countFailure((error as Error).message);
      return undefined;
    }
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
      reply.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #countFailure(reason: string): void {
    this.#failuresInARow++;
    if (this.#failuresInARow >= MAX_FAILURES) this.#markUnavailable(reason);
    if (this.#failuresInARow % FAILURES_PER_CONNECTION === 0) this.#replaceConnection();
  }

  /**
   * Sends no more decisions to Redis until a probe succeeds. A hung Redis would run them all when it resumes, and
   * count them against their clients at once.
   */
  #markUnavailable(reason: string): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#options.onChange(true, this.#lastConnectionError || reason);
  }

  /** The peer may have vanished without closing the connection, or may no longer be the primary. */
  #replaceConnection(): void {
    const isConnected = this.#redis.status === 'ready' || this.#redis.status === 'connect';
    if (isConnected && !this.#isClosed) this.#redis.disconnect(true);
  }

  /** A server of a cluster decides for some clients only. */
  async #isCluster(): Promise<boolean> {
    const info = await this.#inTime(this.#redis.info('cluster')).catch(() => '');
    return info.includes('cluster_enabled:1');
  }

  /** Runs the script on new keys, because a Redis that refuses writes still answers a ping. */
  async #keepProbing(): Promise<void> {
    while (!this.#isClosed) {
      const isWorking = await this.#attempt(
        this.#runScript(`${this.#options.prefix}:probe:${randomUUID()}`, 0),
      );
      if (isWorking && this.#isUnavailable && !(await this.#isCluster()) && !this.#isClosed) {
        this.#isUnavailable = false;
        this.#options.onChange(false, 'it works again');
      }
      await wait(this.#options.probeIntervalMs, undefined, { ref: false });
    }
  }
}
