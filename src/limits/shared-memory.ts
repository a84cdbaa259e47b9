/** The rate limit of several threads of one process, in bounded memory that they share. */
import { blockedState, type Decision, decide, type Rate, type RateState, rateOf } from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { LocalLimiter } from './limiter.ts';
import { MAX_CLIENTS } from './memory.ts';
import { SharedClients } from './shared-clients.ts';
import { createClientMemory } from './shared-layout.ts';

export function createLimiterMemory(maxClients = MAX_CLIENTS): SharedArrayBuffer {
  return createClientMemory(maxClients);
}

export class SharedMemoryLimiter implements LocalLimiter {
  readonly perSecond: number;
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #clients: SharedClients;

  /** The clock must be the same in all threads. `owner` identifies this one: see shared-lock.ts. */
  constructor(perSecond: number, clock: Clock, memory: SharedArrayBuffer, owner: number) {
    this.perSecond = perSecond;
    this.#clock = clock;
    this.#rate = rateOf(perSecond);
    this.#clients = new SharedClients(memory, owner);
  }

  get size(): number {
    return this.#clients.size;
  }

  async decide(client: string): Promise<Decision> {
    return this.#update(client, (state, now) => decide(this.#rate, state, now)).decision;
  }

  block(client: string, wait: number): void {
    this.#update(client, (_state, now) => ({ state: blockedState(now + wait) }));
  }

  blockedClients(): number {
    return this.#clients.countBlocked(this.#clock());
  }

  degradedReason(): undefined {
    return undefined;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** Another thread may have decided since this one last read the clock, so it is read under the lock. */
  #update<T extends { state: RateState }>(client: string, change: (state: RateState, now: number) => T): T {
    this.#clients.lock(client);
    try {
      const now = this.#clock();
      const changed = change(this.#clients.read(), now);
      this.#clients.write(changed.state, now);
      return changed;
    } finally {
      this.#clients.unlock();
    }
  }
}
