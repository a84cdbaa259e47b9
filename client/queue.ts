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
  #openAt = 0;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Runs the task after all earlier ones. Rejects as soon as the signal aborts, even while the task waits. */
  run<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const result = this.#last.then(async () => {
      throwIfAborted(signal);
      const wait = this.#openAt - this.#timer.now();
      if (wait > 0) await this.#timer.sleep(wait, signal);
      return task();
    });
    this.#last = result.catch(() => {});
    return signal ? Promise.race([result, rejectOnAbort(signal, result)]) : result;
  }

  /** Delays the next task by this many milliseconds from now. */
  holdFor(milliseconds: number): void {
    this.#openAt = this.#timer.now() + milliseconds;
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
