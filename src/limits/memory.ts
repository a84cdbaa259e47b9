/** The rate limit of one process, in bounded memory. */
import {
  blockedState,
  type Decision,
  decide,
  freshState,
  type Rate,
  type RateState,
  rateOf,
} from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import { ClientTable } from './client-table.ts';
import type { LocalLimiter } from './limiter.ts';

/** Each thread counts `performance.now` from its own start. */
const THREAD_START = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Monotonic, because setting the system clock back must not block anyone, and the same in all threads. */
export const steadyClock: Clock = () => THREAD_START + performance.now();

/** Beyond this many clients, some are forgotten even though their state has not expired. */
export const MAX_CLIENTS = 500_000;

export class MemoryLimiter implements LocalLimiter {
  readonly perSecond: number;
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #maxClients: number;
  readonly #clients = new ClientTable();
  /** Separate, so that a flood of new clients evicts other clients, but no blocked ones. */
  readonly #blocked = new ClientTable();

  constructor(perSecond: number, clock: Clock, maxClients = MAX_CLIENTS) {
    this.perSecond = perSecond;
    this.#clock = clock;
    this.#rate = rateOf(perSecond);
    this.#maxClients = maxClients;
  }

  get size(): number {
    return this.#clients.size + this.#blocked.size;
  }

  async decide(client: string): Promise<Decision> {
    const now = this.#clock();
    const previous = this.#blocked.get(client) ?? this.#clients.get(client) ?? freshState;
    const { state, decision } = decide(this.#rate, previous, now);
    this.#store(client, state, now);
    return decision;
  }

  block(client: string, wait: number): void {
    const now = this.#clock();
    this.#store(client, blockedState(now + wait), now);
  }

  blockedClients(): number {
    return this.#blocked.countLive(this.#clock());
  }

  degradedReason(): undefined {
    return undefined;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  #store(client: string, state: RateState, now: number): void {
    if (state.blockedUntil > now) {
      this.#clients.delete(client);
      this.#blocked.set(client, state);
    } else {
      this.#blocked.delete(client);
      this.#clients.set(client, state);
    }
    // Blocked clients get at most half of the memory, or they would evict everybody else.
    this.#blocked.sweep(now, this.#maxClients / 2);
    this.#clients.sweep(now, this.#maxClients - this.#blocked.size);
  }
}
