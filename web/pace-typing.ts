/** Runs work for the latest of quickly changing inputs, such as the text that a visitor types. */

/** Long enough to type the next letter, short enough to feel quick. */
const DELAY_MS = 250;

export interface Typing {
  /** Starts the work after a short rest, and stops the work for earlier inputs. `isCurrent` is false once it was stopped. */
  change(work: (signal: AbortSignal, isCurrent: () => boolean) => Promise<void>): void;
  /** Stops the work, or lets the request that is under way finish. */
  stop(canFinish?: boolean): void;
}

export function createTyping(): Typing {
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (canFinish = false) => {
    clearTimeout(timer);
    if (!canFinish) controller.abort();
    controller = new AbortController();
  };
  return {
    stop,
    change(work) {
      stop();
      const own = controller;
      const isCurrent = () => own === controller;
      // Without a connection there is still what is already loaded.
      timer = setTimeout(() => work(own.signal, isCurrent).catch(() => {}), DELAY_MS);
    },
  };
}
