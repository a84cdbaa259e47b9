/**
 * What limits clients: the rate limit, budgets for single purposes, and which calls may be exempt. The states of clients are in
 * limits/.
 */

// The rate limit as a pure rule: a client's state and the time in, a decision and the next state out. limits/memory.ts
// and limits/redis.ts store the state.
//
// A client may send n requests per second, by the generic cell rate algorithm (GCRA): up to n at once, and one more each
// 1/n s. A request early by up to three tenths of that interval is tolerated, so jitter never gets a well-paced client
// refused, and the long-run rate stays at n per second. A refused request is a violation, but does not delay the next
// allowed one. Ten violations within any 3,600 seconds block the client for an hour.

export const MAX_VIOLATIONS = 10;
export const VIOLATION_WINDOW_MS = 3_600_000;
export const BLOCK_MS = 3_600_000;

export interface Rate {
  /** A whole number. */
  perSecond: number;
  /** Milliseconds that each request uses up. */
  period: number;
  /** How far ahead of time the next arrival may be when a request is allowed: room for the burst, and the tolerance. */
  slack: number;
}

/** limits/redis.ts computes the same, with the same rounding. */
export function rateOf(perSecond: number): Rate {
  const period = 1000 / perSecond;
  return { perSecond, period, slack: (perSecond - 1) * period + (period * 3) / 10 };
}

export interface Decision {
  isAllowed: boolean;
  /** The client is blocked, not merely too fast. */
  isBlocked: boolean;
  /** Whole milliseconds until a request would be allowed. */
  wait: number;
  /** The number of further requests that would be allowed at once. */
  remaining: number;
  /** How many more refusals make a block; 0 during one. */
  refusalsLeft: number;
}

/** Times are in milliseconds; 0 means never. */
export interface RateState {
  /** GCRA's theoretical arrival time: when a client that keeps exactly to the rate sends its next request. */
  nextArrival: number;
  /** The times of the violations within the last hour, oldest first: nine at most, because the tenth is a block. */
  violations: readonly number[];
  /** The state of a blocked client has nothing else: it starts afresh after the block. */
  blockedUntil: number;
}

const none: readonly number[] = [];
export const freshState: RateState = { nextArrival: 0, violations: none, blockedUntil: 0 };
export const goodState = (nextArrival: number): RateState => ({
  nextArrival,
  violations: none,
  blockedUntil: 0,
});
export const blockedState = (until: number): RateState => ({
  nextArrival: 0,
  violations: none,
  blockedUntil: until,
});

interface Outcome {
  state: RateState;
  decision: Decision;
}

/**
 * Times later than the rule can have stored by now show that the clock was set back. They are limited to what is possible,
 * because that must not refuse a well-paced client or block anyone for more than an hour.
 */
export function decide(rate: Rate, stored: RateState, now: number): Outcome {
  const blockedUntil = Math.min(stored.blockedUntil, now + BLOCK_MS);
  if (now < blockedUntil) {
    const state = blockedUntil === stored.blockedUntil ? stored : blockedState(blockedUntil);
    return { state, decision: refuse(blockedUntil - now, true, 0) };
  }
  const { nextArrival, violations } = stored.blockedUntil > 0 ? freshState : stored;
  const isPossible = nextArrival <= now + rate.slack + rate.period;
  const arrival = isPossible ? nextArrival : now;
  const recent = violations.length > 0 ? recentViolations(violations, now) : violations;
  if (arrival - rate.slack <= now) return allow(rate, Math.max(now, arrival) + rate.period, recent, now);
  if (recent.length + 1 >= MAX_VIOLATIONS)
    return { state: blockedState(now + BLOCK_MS), decision: refuse(BLOCK_MS, true, 0) };
  return {
    // `concat` leaves no spare room, unlike a spread.
    state: { nextArrival: arrival, violations: recent.concat(now), blockedUntil: 0 },
    decision: refuse(arrival - rate.slack - now, false, MAX_VIOLATIONS - recent.length - 1),
  };
}

function recentViolations(violations: readonly number[], now: number): number[] {
  return violations.map((at) => Math.min(at, now)).filter((at) => now - at < VIOLATION_WINDOW_MS);
}

function allow(rate: Rate, nextArrival: number, violations: readonly number[], now: number): Outcome {
  const room = now - (nextArrival - rate.slack);
  const remaining = Math.floor(room / rate.period) + 1;
  const wait = Math.max(0, Math.ceil(-room));
  return {
    state: { nextArrival, violations, blockedUntil: 0 },
    decision: {
      isAllowed: true,
      isBlocked: false,
      wait,
      remaining,
      refusalsLeft: MAX_VIOLATIONS - violations.length,
    },
  };
}

function refuse(wait: number, isBlocked: boolean, refusalsLeft: number): Decision {
  return { isAllowed: false, isBlocked, wait: Math.ceil(wait), remaining: 0, refusalsLeft };
}

/** The time from which a state decides like a fresh one and can be dropped. */
export function expiresAt({ nextArrival, violations, blockedUntil }: RateState): number {
  const lastViolation = violations.at(-1);
  const forgottenAt = lastViolation === undefined ? 0 : lastViolation + VIOLATION_WINDOW_MS;
  return Math.max(nextArrival, forgottenAt, blockedUntil);
}

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
