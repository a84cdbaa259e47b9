/**
 * How often a client may have a page look something up in the catalogue. It is not the limit of the API: a visitor's page
 * must not use up the call that the gallery makes next, and crawlers ask for several pages at once.
 */
const INTERVAL_MS = 1000;
const MAX_BURST = 20;
const MAX_CLIENTS = 20_000;

export class LookupBudget {
  /** When the budget of a client is full again. The oldest are evicted first. */
  readonly #fullAt = new Map<string, number>();

  /** Takes one look-up out of the budget, if there is one left. */
  take(client: string, now: number): boolean {
    const latest = now + MAX_BURST * INTERVAL_MS;
    const known = this.#fullAt.get(client) ?? 0;
    // A later time than possible was recorded before the clock was set back.
    const fullAt = Math.max(now, known <= latest ? known : 0) + INTERVAL_MS;
    if (fullAt > latest) return false;
    this.#fullAt.delete(client);
    this.#fullAt.set(client, fullAt);
    const [oldest] = this.#fullAt.keys();
    if (this.#fullAt.size > MAX_CLIENTS && oldest !== undefined) this.#fullAt.delete(oldest);
    return true;
  }
}
