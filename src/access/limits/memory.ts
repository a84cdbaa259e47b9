/** The rate limit and the budgets of one process, in bounded memory that its threads may share. */
import type { Clock } from '../../lib/clock.ts';
import type { BudgetRule, ClientBudget, Limiter } from '../limiter.ts';
import {
  blockedState,
  type Decision,
  decide,
  freshState,
  goodState,
  MAX_VIOLATIONS,
  type Rate,
  type RateState,
  rateOf,
} from '../rate.ts';
import { ClientTable, createClientMemory } from './client-table.ts';

/** Each thread counts `performance.now` from its own start. */
const THREAD_START = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Monotonic, because setting the system clock back must not block anyone, and the same in all threads. */
export const steadyClock: Clock = () => THREAD_START + performance.now();

/** Beyond this many clients, some are forgotten even though their state has not expired. */
const MAX_CLIENTS = 500_000;

export function createLimiterMemory(maxClients = MAX_CLIENTS): SharedArrayBuffer {
  return createClientMemory(maxClients);
}

export class MemoryLimiter implements Limiter {
  readonly perSecond: number;
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #clients: ClientTable;

  /** The clock must be the same in all threads that share the memory. `owner` identifies this one: see `lock`. */
  constructor(perSecond: number, clock: Clock, memory = createLimiterMemory(), owner = 1) {
    this.perSecond = perSecond;
    this.#clock = clock;
    this.#rate = rateOf(perSecond);
    this.#clients = new ClientTable(memory, owner);
  }

  get size(): number {
    return this.#clients.size;
  }

  decide(client: string): Decision {
    return this.#update(client, (state, now) => decide(this.#rate, state, now)).decision;
  }

  /** Blocks a client for `wait` milliseconds, as another limiter decided. */
  block(client: string, wait: number): void {
    this.#update(client, (_state, now) => ({ state: blockedState(now + wait) }));
  }

  /** How many whole milliseconds of a block are left. A block that has ended is forgotten. */
  blockedFor(client: string): number {
    this.#clients.lock(client);
    try {
      const { blockedUntil } = this.#clients.read();
      if (blockedUntil === 0) return 0;
      const now = this.#clock();
      if (blockedUntil <= now) this.#clients.write(freshState, now);
      return Math.max(0, Math.ceil(blockedUntil - now));
    } finally {
      this.#clients.unlock();
    }
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
      const state = this.#clients.read();
      const changed = change(state, now);
      // That of a blocked client stays the same.
      if (changed.state !== state) this.#clients.write(changed.state, now);
      return changed;
    } finally {
      this.#clients.unlock();
    }
  }
}

const MAX_BUDGET_CLIENTS = 20_000;

/** Shared too, so that a budget does not multiply with the number of workers. */
export class MemoryBudget implements ClientBudget {
  readonly #rule: BudgetRule;
  readonly #clock: Clock;
  readonly #clients: ClientTable;

  /** The memory may be that of a limiter with the same clock. `owner` identifies this thread: see `lock`. */
  constructor(
    rule: BudgetRule,
    clock: Clock = steadyClock,
    memory = createClientMemory(MAX_BUDGET_CLIENTS),
    owner = 1,
  ) {
    this.#rule = rule;
    this.#clock = clock;
    this.#clients = new ClientTable(memory, owner);
  }

  hasLeft(client: string): boolean {
    return this.#spend(client, false).isAllowed;
  }

  take(client: string): Decision {
    return this.#spend(client, true);
  }

  #spend(client: string, isTaken: boolean): Decision {
    const { name, burst, intervalMs } = this.#rule;
    this.#clients.lock(`${name} ${client}`);
    try {
      const now = this.#clock();
      const latest = now + burst * intervalMs;
      // When the budget is full again. A later time than possible was recorded before the clock was set back.
      const known = this.#clients.read().nextArrival;
      const fullAt = Math.max(now, known <= latest ? known : 0) + intervalMs;
      const isAllowed = fullAt <= latest;
      if (isTaken && isAllowed) this.#clients.write(goodState(fullAt), now);
      const room = latest - fullAt - (isAllowed ? intervalMs : 0);
      const wait = Math.max(0, Math.ceil(-room));
      const remaining = Math.max(0, Math.floor(room / intervalMs) + 1);
      return { isAllowed, isBlocked: false, wait, remaining, refusalsLeft: MAX_VIOLATIONS };
    } finally {
      this.#clients.unlock();
    }
  }
}
