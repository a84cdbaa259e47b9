/**
 * Which calls may be exempt from the rate limit. Only these need their token looked up before the limiter decides, so
 * refused and blocked clients do not cost the database a query per request.
 */

import type { ClientBudget } from './client-budget.ts';

const MAX_TOKENS = 1000;

export class Exemptions {
  /** Hashes of tokens that were exempt when they were last looked up. The oldest are evicted first. */
  readonly #tokens = new Set<string>();
  readonly #lookups: ClientBudget;

  /** Tokens that are no exemptions use up the budget. */
  constructor(lookups: ClientBudget) {
    this.#lookups = lookups;
  }

  /** Whether to look up the token, given by its hash, before the limiter decides. */
  mayApply(client: string, hash: string): boolean {
    return this.#tokens.has(hash) || this.#lookups.hasLeft(client);
  }

  /** Records the result of a look-up. */
  record(client: string, hash: string, isExempt: boolean): void {
    this.#tokens.delete(hash);
    if (!isExempt) {
      this.#lookups.take(client);
      return;
    }
    this.#tokens.add(hash);
    const [oldest] = this.#tokens;
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }
}
