/** Sends requests one at a time, no sooner than the service allows. */

/** Milliseconds since some fixed time, and a way to wait. Tests pass their own. */
export interface Timer {
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Not the time of day where there is another: somebody may set it back. */
export const now = (): number => (globalThis.performance ?? Date).now();

export const systemTimer: Timer = { now, sleep };

export class RequestQueue {
  readonly #timer: Timer;
  #last: Promise<unknown> = Promise.resolve();
  #hold = { until: 0, anchor: 0, spacing: 0 };

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Runs the task after all earlier ones. Rejects as soon as the signal aborts, even while the task waits. */
  run<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const result = this.#last.then(async () => {
      throwIfAborted(signal);
      const wait = this.#wait();
      if (wait > 0) await this.#timer.sleep(wait, signal);
      return task();
    });
    this.#last = result.catch(() => {});
    return signal ? Promise.race([result, rejectOnAbort(signal, result)]) : result;
  }

  /** Delays the next task until then and, with a spacing, until a time that is whole spacings after the anchor. */
  holdUntil(until: number, anchor = until, spacing = 0): void {
    this.#hold = { until, anchor, spacing };
  }

  #wait(): number {
    const { until, anchor, spacing } = this.#hold;
    const now = this.#timer.now();
    const earliest = Math.max(now, until);
    const turn = spacing > 0 ? anchor + spacing * Math.ceil((earliest - anchor) / spacing) : earliest;
    return turn - now;
  }
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    const abort = () => {
      clearTimeout(timeout);
      reject(signal && reasonOf(signal));
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Signals have a method for it, and a reason, in newer runtimes only. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal);
}

function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' });
}

/** Removes its listener when the work is done, because callers may reuse the signal. */
export function rejectOnAbort(signal: AbortSignal, work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(reasonOf(signal));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const stopListening = () => signal.removeEventListener('abort', abort);
    work.then(stopListening, stopListening);
  });
}
