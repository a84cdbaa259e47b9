/**
 * Which calls may be exempt from the rate limit. Only these need their token looked up before the limiter decides, so
 * refused and blocked clients do not cost the database a query per request.
 */

/** A client whose token was no exemption gets the benefit of the doubt again after this time. */
const RECHECK_MS = 10_000;
const MAX_CLIENTS = 50_000;
const MAX_TOKENS = 1000;

export class Exemptions {
  /** Hashes of tokens that were exempt when they were last looked up. The oldest are evicted first. */
  readonly #tokens = new Set<string>();
  /** When a client last sent a token that was no exemption. The oldest are evicted first. */
  readonly #refuted = new Map<string, number>();

  /** Whether to look up the token, given by its hash, before the limiter decides. */
  mayApply(client: string, hash: string, now: number): boolean {
    if (this.#tokens.has(hash)) return true;
    const refutedAt = this.#refuted.get(client);
    // The distance, so that setting the clock back makes no entry last longer.
    return refutedAt === undefined || Math.abs(now - refutedAt) >= RECHECK_MS;
  }

  /** Records the result of a look-up. */
  record(client: string, hash: string, isExempt: boolean, now: number): void {
    this.#tokens.delete(hash);
    if (isExempt) {
      this.#tokens.add(hash);
      evictOldest(this.#tokens, MAX_TOKENS);
    } else {
      this.#refuted.delete(client);
      this.#refuted.set(client, now);
      evictOldest(this.#refuted, MAX_CLIENTS);
    }
  }
}

/** Maps and sets iterate in the order of insertion. */
function evictOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return;
  for (const key of entries.keys()) {
    entries.delete(key);
    return;
  }
}
