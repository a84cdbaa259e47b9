/** The rate limit of one client, naively: remembers every request and derives each decision from the whole history. */
import type { Decision } from '../../../src/access/rate.ts';

const HOUR_MS = 3_600_000;

export class NaiveRule {
  readonly #perSecond: number;
  readonly #period: number;
  #allowed: number[] = [];
  #violations: number[] = [];
  #blockedAt: number | undefined;
  #lastRequest = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#period = 1000 / perSecond;
  }

  decide(now: number): Decision {
    if (now < this.#lastRequest) this.#setBack(now);
    this.#lastRequest = now;
    if (this.#blockedAt !== undefined) {
      if (now < this.#blockedAt + HOUR_MS) return this.#blocked(this.#blockedAt + HOUR_MS - now);
      this.#blockedAt = undefined;
      this.#violations = [];
    }
    const wait = this.#waitAt(now);
    if (wait <= 0) {
      this.#allowed.push(now);
      const after = Math.max(0, this.#waitAt(now));
      const remaining = this.#remainingAt(now);
      return { isAllowed: true, isBlocked: false, wait: after, remaining, refusalsLeft: this.#left(now) };
    }
    this.#violations.push(now);
    const refusalsLeft = this.#left(now);
    if (refusalsLeft > 0) return { isAllowed: false, isBlocked: false, wait, remaining: 0, refusalsLeft };
    this.#blockedAt = now;
    return this.#blocked(HOUR_MS);
  }

  #blocked(wait: number): Decision {
    return { isAllowed: false, isBlocked: true, wait, remaining: 0, refusalsLeft: 0 };
  }

  #left(now: number): number {
    return 10 - this.#violations.filter((at) => now - at < HOUR_MS).length;
  }

  /** When a client that keeps exactly to the rate sends its next request. */
  #nextArrival(allowed = this.#allowed): number {
    return allowed.reduce((arrival, at) => Math.max(arrival, at) + this.#period, 0);
  }

  /** The client may be ahead by a whole burst but one, and by the tolerance of 300 ms out of each second. */
  #maxLead(): number {
    return (this.#perSecond - 1) * this.#period + 300 / this.#perSecond;
  }

  #waitAt(now: number, allowed = this.#allowed): number {
    return Math.ceil(this.#nextArrival(allowed) - this.#maxLead() - now);
  }

  /** Tries how many more requests would be allowed. */
  #remainingAt(now: number): number {
    const allowed = [...this.#allowed];
    while (this.#waitAt(now, allowed) <= 0) allowed.push(now);
    return allowed.length - this.#allowed.length;
  }

  /**
   * What was recorded later than now counts as recorded now, and violations that were over stay over. A next arrival
   * that cannot be is forgotten.
   */
  #setBack(now: number): void {
    this.#violations = this.#violations
      .filter((at) => this.#lastRequest - at < HOUR_MS)
      .map((at) => Math.min(at, now));
    if (this.#blockedAt !== undefined) this.#blockedAt = Math.min(this.#blockedAt, now);
    if (this.#nextArrival() > now + this.#maxLead() + this.#period) this.#allowed = [];
  }
}
