/** The budgets of clients, in memory that threads may share, so that they do not multiply with the number of workers. */

import type { Clock } from '../../lib/clock.ts';
import type { BudgetRule, ClientBudget } from '../client-budget.ts';
import { goodState } from '../rate.ts';
import { createClientMemory } from './client-memory.ts';
import { ClientTable } from './client-table.ts';
import { steadyClock } from './memory.ts';

const MAX_CLIENTS = 20_000;

export class MemoryBudget implements ClientBudget {
  readonly #rule: BudgetRule;
  readonly #clock: Clock;
  readonly #clients: ClientTable;

  /** The memory may be that of a limiter with the same clock. `owner` identifies this thread: see lock.ts. */
  constructor(
    rule: BudgetRule,
    clock: Clock = steadyClock,
    memory = createClientMemory(MAX_CLIENTS),
    owner = 1,
  ) {
    this.#rule = rule;
    this.#clock = clock;
    this.#clients = new ClientTable(memory, owner);
  }

  hasLeft(client: string): boolean {
    return this.#spend(client, false);
  }

  take(client: string): boolean {
    return this.#spend(client, true);
  }

  #spend(client: string, isTaken: boolean): boolean {
    const { name, burst, intervalMs } = this.#rule;
    this.#clients.lock(`${name} ${client}`);
    try {
      const now = this.#clock();
      const latest = now + burst * intervalMs;
      // When the budget is full again. A later time than possible was recorded before the clock was set back.
      const known = this.#clients.read().nextArrival;
      const fullAt = Math.max(now, known <= latest ? known : 0) + intervalMs;
      if (fullAt > latest) return false;
      if (isTaken) this.#clients.write(goodState(fullAt), now);
      return true;
    } finally {
      this.#clients.unlock();
    }
  }
}
