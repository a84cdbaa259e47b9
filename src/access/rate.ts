/**
 * The rate limit as a pure rule: a client's state and the time in, a decision and the next state out. limits/memory.ts
 * and limits/redis.ts store the state.
 *
 * One request per second is allowed, by the generic cell rate algorithm (GCRA). A request up to 100 ms early is
 * tolerated: jitter never gets a well-paced client refused, and the long-run rate stays at one per second. A refused
 * request is a violation, but does not delay the next allowed one. Ten violations within an hour block the client.
 */

export const PERIOD_MS = 1000;
export const TOLERANCE_MS = 100;
export const MAX_VIOLATIONS = 10;
/** Counted from the first violation. */
export const VIOLATION_WINDOW_MS = 3_600_000;
export const BLOCK_MS = 3_600_000;

export interface Decision {
  isAllowed: boolean;
  /** The client is blocked, not merely too fast. */
  isBlocked: boolean;
  /** Milliseconds until a request would be allowed. */
  wait: number;
}

/** Times are in milliseconds; 0 means never. */
export interface RateState {
  /** GCRA's theoretical arrival time: when a client that keeps exactly to the rate sends its next request. */
  nextArrival: number;
  violations: number;
  firstViolation: number;
  blockedUntil: number;
}

export const freshState: RateState = { nextArrival: 0, violations: 0, firstViolation: 0, blockedUntil: 0 };

interface Outcome {
  state: RateState;
  decision: Decision;
}

export function decide(stored: RateState, now: number): Outcome {
  const state = clamp(stored, now);
  if (now < state.blockedUntil) return { state, decision: refuse(state.blockedUntil - now, true) };
  const isBlockOver = state.blockedUntil > 0;
  const current = isBlockOver ? { ...freshState, nextArrival: state.nextArrival } : state;
  const wait = current.nextArrival - TOLERANCE_MS - now;
  return wait > 0 ? recordViolation(current, now, wait) : allow(current, now);
}

/**
 * Limits the times in a state to what the rule can have stored by now. A later one shows that the clock was set back, which
 * must not refuse a well-paced client or block anyone for more than an hour.
 */
function clamp(state: RateState, now: number): RateState {
  const isArrivalPossible = state.nextArrival <= now + PERIOD_MS + TOLERANCE_MS;
  if (isArrivalPossible && state.firstViolation <= now && state.blockedUntil <= now + BLOCK_MS) return state;
  return {
    nextArrival: isArrivalPossible ? state.nextArrival : now,
    violations: state.violations,
    firstViolation: Math.min(state.firstViolation, now),
    blockedUntil: Math.min(state.blockedUntil, now + BLOCK_MS),
  };
}

function allow(state: RateState, now: number): Outcome {
  const nextArrival = Math.max(now, state.nextArrival) + PERIOD_MS;
  return {
    state: { ...state, nextArrival },
    decision: { isAllowed: true, isBlocked: false, wait: nextArrival - TOLERANCE_MS - now },
  };
}

function recordViolation(state: RateState, now: number, wait: number): Outcome {
  const isFirst = state.violations === 0 || now - state.firstViolation >= VIOLATION_WINDOW_MS;
  const violations = isFirst ? 1 : state.violations + 1;
  const firstViolation = isFirst ? now : state.firstViolation;
  const isBlocked = violations >= MAX_VIOLATIONS;
  const blockedUntil = isBlocked ? now + BLOCK_MS : 0;
  return {
    state: { ...state, violations, firstViolation, blockedUntil },
    decision: refuse(isBlocked ? BLOCK_MS : wait, isBlocked),
  };
}

function refuse(wait: number, isBlocked: boolean): Decision {
  return { isAllowed: false, isBlocked, wait };
}

/** The time from which a state decides like a fresh one and can be dropped. */
export function expiresAt({ nextArrival, violations, firstViolation, blockedUntil }: RateState): number {
  if (blockedUntil > 0) return Math.max(nextArrival, blockedUntil);
  return violations > 0 ? Math.max(nextArrival, firstViolation + VIOLATION_WINDOW_MS) : nextArrival;
}
