/**
 * What limits clients: the rate limiter, budgets for single purposes, and which calls may be exempt. The rule of the rate is
 * in rate.ts, the states of clients in limits/.
 */
import type { Decision } from './rate.ts';

export interface Limiter {
  /** The number of requests that a client may send per second. */
  readonly perSecond: number;
  /** Tries to connect. Does not fail if that is impossible now. */
  start(): Promise<void>;
  decide(client: string): Decision | Promise<Decision>;
  /** Why the limiter does not work as configured, and what that means. Shown publicly, so it contains no secrets. */
  degradedReason(): string | undefined;
  /** How many blocked clients this process knows. */
  blockedClients(): number;
  close(): Promise<void>;
}

/** How often something is done for each client: `burst` times at once, and once more each `intervalMs`. */
export interface BudgetRule {
  /** Tells budgets apart that share their memory. */
  name: string;
  burst: number;
  intervalMs: number;
}

export interface ClientBudget {
  hasLeft(client: string): boolean;
  /** Takes one out of the client's budget, if there is one left. */
  take(client: string): Decision;
}

/**
 * How often a client may load a page. It is not the limit of the API: a visitor who clicks fast must not be blocked, nor
 * one who opens many tabs, and several may share an address.
 */
export const pageRule: BudgetRule = { name: 'page', burst: 120, intervalMs: 250 };

/**
 * How often a client may be sent to a file. It is not the limit of the API: any page can show pictures of this service, and must
 * not have its visitors blocked. More than the largest page of the API has.
 */
export const fileRule: BudgetRule = { name: 'file', burst: 30, intervalMs: 1000 };

/** How often a token that turns out to be no exemption from the rate limit is looked up before the limiter decides. */
export const tokenRule: BudgetRule = { name: 'token', burst: 1, intervalMs: 10_000 };

const MAX_TOKENS = 1000;

/**
 * Which calls may be exempt from the rate limit. Only these need their token looked up before the limiter decides, so
 * refused and blocked clients do not cost the database a query per request.
 */
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
