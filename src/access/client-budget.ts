/** How often something is done for each client: `burst` times at once, and once more each `intervalMs`. */
export interface BudgetRule {
  /** Tells budgets apart that share their memory. */
  name: string;
  burst: number;
  intervalMs: number;
}

/** The state is in `limits/budget.ts`. */
export interface ClientBudget {
  hasLeft(client: string): boolean;
  /** Takes one out of the client's budget. Returns false if there is none left. */
  take(client: string): boolean;
}

/**
 * How often a client may have a page look something up in the catalogue. It is not the limit of the API: a visitor's page
 * must not use up the call that the gallery makes next, and crawlers ask for several pages at once.
 */
export const previewRule: BudgetRule = { name: 'preview', burst: 20, intervalMs: 1000 };

/** How often a token that turns out to be no exemption from the rate limit is looked up before the limiter decides. */
export const tokenRule: BudgetRule = { name: 'token', burst: 1, intervalMs: 10_000 };
