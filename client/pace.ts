/** The turns of calls: one after the other, and none sooner than the service allows. */
export class Pace {
  #last: Promise<unknown> = Promise.resolve();
  /** By the clock of `performance`. */
  #openFrom = 0;

  /** Does this when its turn has come. Who is aborted while waiting is told at once. */
  run<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const done = this.#last.then(async () => {
      await pause(this.#openFrom - performance.now(), signal);
      return task();
    });
    this.#last = done.catch(() => {});
    return Promise.race([done, ...(signal ? [abortionOf(signal, done)] : [])]);
  }

  /** Keeps everyone waiting for so long from now on. */
  holdFor(seconds: number): void {
    this.#openFrom = performance.now() + seconds * 1000;
  }
}

/** Waits, unless there is nothing to wait for. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Rejects when the signal aborts, and listens no longer than until the work is done: a signal may live on. */
function abortionOf(signal: AbortSignal, done: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const forget = () => signal.removeEventListener('abort', abort);
    done.then(forget, forget);
  });
}
