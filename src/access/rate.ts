/**
 * The rate limit as a rule: what becomes of a client's state when it calls at a moment. Nothing here knows of time or
 * storage; limits/memory.ts and limits/redis.ts keep the state.
 *
 * One request a second is allowed, by the generic cell rate algorithm: each allowed request books the next second, and one
 * that comes up to 100 ms before its second is let through, so that a client that paces itself is never refused for
 * jitter, while in the long run there is never more than one a second. A refused request books nothing; it is a violation.
 */

export const PERIOD_MS = 1000;
export const TOLERANCE_MS = 100;
export const MAX_VIOLATIONS = 10;
/** Both the time within which violations count together, and how long a block lasts. */
export const HOUR_MS = 3_600_000;

/** What becomes of a request. */
export interface Decision {
  isAllowed: boolean;
  /** Refused because the client is blocked, and not only for now. */
  isBlocked: boolean;
  /** Milliseconds until a request would be allowed. */
  wait: number;
}

/** Moments are milliseconds; 0 where there is none. */
export interface RateState {
  /** From when on the next request is due. */
  due: number;
  violations: number;
  firstViolation: number;
  blockedUntil: number;
}

export const freshState: RateState = { due: 0, violations: 0, firstViolation: 0, blockedUntil: 0 };

export function decide(state: RateState, now: number): { state: RateState; decision: Decision } {
  if (now < state.blockedUntil) return { state, decision: refuse(state.blockedUntil - now, true) };
  const calm = state.blockedUntil > 0 ? { ...freshState, due: state.due } : state;
  const early = calm.due - TOLERANCE_MS - now;
  if (early > 0) return violate(calm, now, early);
  const due = Math.max(now, calm.due) + PERIOD_MS;
  return {
    state: { ...calm, due },
    decision: { isAllowed: true, isBlocked: false, wait: due - TOLERANCE_MS - now },
  };
}

function violate(state: RateState, now: number, wait: number): { state: RateState; decision: Decision } {
  const isFirst = state.violations === 0 || now - state.firstViolation >= HOUR_MS;
  const violations = isFirst ? 1 : state.violations + 1;
  const firstViolation = isFirst ? now : state.firstViolation;
  const isBlocked = violations >= MAX_VIOLATIONS;
  const blockedUntil = isBlocked ? now + HOUR_MS : 0;
  return {
    state: { ...state, violations, firstViolation, blockedUntil },
    decision: refuse(isBlocked ? HOUR_MS : wait, isBlocked),
  };
}

function refuse(wait: number, isBlocked: boolean): Decision {
  return { isAllowed: false, isBlocked, wait };
}

/** From when on a state is as good as a fresh one, and can be forgotten. */
export function forgettableFrom({ due, violations, firstViolation, blockedUntil }: RateState): number {
  if (blockedUntil > 0) return Math.max(due, blockedUntil);
  return violations > 0 ? Math.max(due, firstViolation + HOUR_MS) : due;
}
