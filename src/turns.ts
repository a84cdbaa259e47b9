/** Long work in one process takes turns, so that however much of it there is, other requests are never held up for long. */
import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn to compute for a few milliseconds: one caller in each round of the event loop. */
export function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}
