/** Scheduling on the event loop, so long work never delays other requests and short work runs in batches. */
import { setImmediate as nextTick } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Resolves when the caller may compute for a few milliseconds. Only one caller gets a turn per tick: if ten searches ran a
 * slice each in the same tick, other requests would wait for ten slices.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => nextTick());
  return last;
}

/**
 * Collects the items of one tick and passes them on together at its end. Running the same step for many requests in a row,
 * instead of all steps of one request after the other, keeps the CPU caches warm.
 */
export function batchPerTick<T>(processBatch: (items: T[]) => void): (item: T) => void {
  let items: T[] = [];
  const flush = () => {
    const batch = items;
    items = [];
    processBatch(batch);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(flush);
  };
}

/**
 * The same, but the first batch of a tick runs as soon as whatever is running now has added its items. Another one in the same
 * tick waits for the next, so that calls which follow one another never keep requests waiting.
 */
export function batchAtOnce<T>(processBatch: (items: T[]) => void): (item: T) => void {
  let items: T[] = [];
  let hasRun = false;
  const flush = () => {
    const batch = items;
    items = [];
    hasRun = true;
    setImmediate(() => {
      hasRun = false;
    });
    processBatch(batch);
  };
  return (item) => {
    if (items.push(item) > 1) return;
    if (hasRun) setImmediate(flush);
    else process.nextTick(flush);
  };
}
