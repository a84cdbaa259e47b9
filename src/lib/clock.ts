/** The clock, which is passed in, and what to make of it when it is wrong. */

export const DAY_MS = 86_400_000;

/** Returns the time in milliseconds since 1970. */
export type Clock = () => number;

/** Calls back after the given milliseconds, unless the returned function is called before. */
export type StartTimer = (milliseconds: number, onElapsed: () => void) => () => void;

// Nothing expires because of a wrong clock. Commits note the time. If it differs by more than a step from the last one, the
// clock was wrong before or is wrong now; what is kept for some days then stays until the clock has run for as many days
// without such a jump, or until somebody accepts the present time. Pure.

/** Half of the 30 days that the trash is kept by default: a jump that nobody notices costs no more. */
const MAX_STEP_MS = 14 * DAY_MS;
const MIN_STEP_MS = DAY_MS / 24;

export interface NotedTime {
  /** When it was noted. Empty if it never was. */
  at: string;
  /** Since when the clock has not jumped. Empty if no jump is known. */
  since: string;
}

/** The same object if it is too early to note the time again. */
export function noteTime(noted: NotedTime, now: string): NotedTime {
  if (noted.at === '') return { at: now, since: '' };
  const step = Math.abs(Date.parse(now) - Date.parse(noted.at));
  if (step > MAX_STEP_MS) return { at: now, since: now };
  return step < MIN_STEP_MS ? noted : { ...noted, at: now };
}

/** What is older than this is not kept any longer. */
export const expiryTime = (now: string, days: number): string =>
  new Date(Date.parse(now) - days * DAY_MS).toISOString();

/** Whether the clock jumped too recently to tell. */
export const isInDoubt = ({ since }: NotedTime, expiry: string): boolean => since > expiry;
