/** The rate limit of one process, in bounded memory. */
import { type Decision, decide, expiresAt, freshState, type RateState } from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from './limiter.ts';

/** Monotonic: setting the system clock back must not block anyone. */
export const steadyClock: Clock = () => performance.timeOrigin + performance.now();

/** At this many clients, the sweep evicts even those whose state has not expired. */
const MAX_CLIENTS = 500_000;
/** Clients that the sweep checks per decision. More than one, to evict faster than new clients arrive. */
const SWEPT_PER_DECISION = 2;
/** A growing Map rehashes all of its entries: 100 ms for one map of all clients, at most 2 ms for a shard. */
const SHARDS = 64;

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #maxClients: number;
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, RateState>());
  readonly #sweep = this.#startSweep();
  #size = 0;

  constructor(clock: Clock, maxClients = MAX_CLIENTS) {
    this.#clock = clock;
    this.#maxClients = maxClients;
  }

  get size(): number {
    return this.#size;
  }

  async decide(client: string): Promise<Decision> {
    const now = this.#clock();
    const { state, decision } = decide(this.#shardOf(client).get(client) ?? freshState, now);
    this.#store(client, state, now);
    return decision;
  }

  /** Blocks a client for `wait` milliseconds, as another limiter decided. */
  block(client: string, wait: number): void {
    const now = this.#clock();
    this.#store(client, { ...freshState, blockedUntil: now + wait }, now);
  }

  degradedReason(): undefined {
    return undefined;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  #shardOf(client: string): Map<string, RateState> {
    return this.#shards[hash(client) % SHARDS] as Map<string, RateState>;
  }

  #store(client: string, state: RateState, now: number): void {
    for (let swept = 0; swept < SWEPT_PER_DECISION; swept++) this.#sweep.next(now);
    const clients = this.#shardOf(client);
    if (!clients.has(client)) this.#size++;
    clients.set(client, state);
  }

  /** Cycles through the clients, one per step. Each step receives the current time. */
  *#startSweep(): Generator<void, never, number> {
    for (;;) {
      let now = yield;
      for (const clients of this.#shards) {
        for (const [client, state] of clients) {
          if (expiresAt(state) <= now || this.#size >= this.#maxClients) {
            clients.delete(client);
            this.#size--;
          }
          now = yield;
        }
      }
    }
  }
}

function hash(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
