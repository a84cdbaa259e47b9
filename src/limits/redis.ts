/**
 * The rate limit of several processes, in a Redis (or Valkey) that they share: one atomic script a request. When it is
 * away, each process goes on with a limit of its own until it is back.
 */
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Decision } from '../access/rate.ts';
import { HOUR_MS, MAX_VIOLATIONS, PERIOD_MS, TOLERANCE_MS } from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from './limiter.ts';
import { MemoryLimiter, steadyClock } from './memory.ts';

/** The longest that a request waits for an answer. */
const TIMEOUT_MS = 40;
const PING_EVERY_MS = 500;
/** So long after the start, Redis is away if it is not there. */
const STARTING_MS = 1000;
const PREFIX = 'zukan:limit:';

/** The rule of access/rate.ts; one suite of tests holds both to the same answers. Time is the server's. */
const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local PERIOD, TOLERANCE, MOST, HOUR = ${PERIOD_MS}, ${TOLERANCE_MS}, ${MAX_VIOLATIONS}, ${HOUR_MS}
local state = redis.call('HMGET', KEYS[1], 'due', 'violations', 'first', 'blocked')
local due, violations = tonumber(state[1]) or 0, tonumber(state[2]) or 0
local first, blocked = tonumber(state[3]) or 0, tonumber(state[4]) or 0
if now < blocked then return {0, 1, blocked - now} end
if blocked > 0 then violations, first, blocked = 0, 0, 0 end
local result
local early = due - TOLERANCE - now
if early > 0 then
  if violations == 0 or now - first >= HOUR then violations, first = 0, now end
  violations = violations + 1
  if violations >= MOST then blocked = now + HOUR end
  result = {0, blocked > 0 and 1 or 0, blocked > 0 and HOUR or early}
else
  due = math.max(now, due) + PERIOD
  result = {1, 0, due - TOLERANCE - now}
end
local keep = due - now
if blocked > 0 then keep = math.max(keep, blocked - now)
elseif violations > 0 then keep = math.max(keep, first + HOUR - now) end
redis.call('HSET', KEYS[1], 'due', due, 'violations', violations, 'first', first, 'blocked', blocked)
redis.call('PEXPIRE', KEYS[1], math.max(1, math.ceil(keep)))
return result`;

interface WithRule extends Redis {
  zukanLimit(key: string, now: string): Promise<[number, number, number]>;
}

export interface RedisLimiterOptions {
  /** Told once when Redis goes, and once when it is back. */
  onChange: (isAway: boolean, reason: string) => void;
  /** For tests; the server's own time otherwise. */
  clock?: Clock;
}

export class RedisLimiter implements Limiter {
  readonly #redis: WithRule;
  readonly #options: RedisLimiterOptions;
  readonly #own: MemoryLimiter;
  #isAway = false;
  #isStarted = false;
  #isClosed = false;
  /** What the connection complained of last. */
  #complaint = '';

  constructor(url: string, options: RedisLimiterOptions) {
    this.#options = options;
    this.#own = new MemoryLimiter(options.clock ?? steadyClock);
    this.#redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: TIMEOUT_MS,
      connectTimeout: 1000,
      retryStrategy: () => 200,
    }) as WithRule;
    this.#redis.defineCommand('zukanLimit', { numberOfKeys: 1, lua: SCRIPT });
    this.#redis.on('error', (error: Error) => {
      this.#complaint = error.message;
    });
  }

  /** Waits for the connection, but not for long: it may come later. Until then each process limits on its own. */
  async start(): Promise<void> {
    const isReady = new Promise((resolve) => this.#redis.once('ready', resolve));
    await Promise.race([isReady, setTimeout(STARTING_MS, undefined, { ref: false })]);
    this.#isStarted = true;
    if (this.#redis.status !== 'ready' && !this.#isClosed) this.#goAway('no connection');
  }

  async decide(client: string): Promise<Decision> {
    if (this.#isAway || !this.#isStarted) return this.#own.decide(client);
    try {
      const now = this.#options.clock ? String(this.#options.clock()) : '';
      const [isAllowed, isBlocked, wait] = await this.#redis.zukanLimit(PREFIX + client, now);
      return { isAllowed: isAllowed === 1, isBlocked: isBlocked === 1, wait };
    } catch (error) {
      this.#goAway((error as Error).message);
      return this.#own.decide(client);
    }
  }

  degradedReason(): string | undefined {
    return this.#isAway ? 'Redis is away: each instance limits on its own' : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis.disconnect();
  }

  /**
   * From now on nobody's request is sent to Redis, until it answers a ping. What is sent to one that hangs is not lost but
   * late: it would be counted against its client all at once.
   */
  #goAway(reason: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.onChange(true, this.#complaint || reason);
    void this.#waitForReturn();
  }

  async #waitForReturn(): Promise<void> {
    while (!this.#isClosed) {
      await setTimeout(PING_EVERY_MS, undefined, { ref: false });
      if (await this.#answers()) break;
    }
    if (this.#isClosed) return;
    this.#isAway = false;
    this.#complaint = '';
    this.#options.onChange(false, 'it answers again');
  }

  async #answers(): Promise<boolean> {
    try {
      return (await this.#redis.ping()) === 'PONG';
    } catch {
      return false;
    }
  }
}
