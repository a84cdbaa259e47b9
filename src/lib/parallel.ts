/** Work on many items: several at the same time, in batches, or as many as fit into a budget of memory. */

/**
 * Runs `work` for each item, at most `concurrency` at a time. When one fails, no more are started; the error is thrown after
 * the running ones have ended, so the caller can clean up without interfering with them.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = numbered(items);
  let hasFailed = false;
  const runWorker = async () => {
    try {
      for (let next = await queue.next(); !next.done && !hasFailed; next = await queue.next())
        await work(...next.value);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, runWorker));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}

async function* numbered<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<[T, number], void> {
  let index = 0;
  for await (const item of items) yield [item, index++];
}

/** Groups items, so that they can be handled together. The last batch may be smaller, and none is empty. */
export function* inBatches<T>(items: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** The same for items that come one by one. */
export async function* streamBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Bounds the memory of work that runs at the same time: what does not fit waits. */
export class Budget {
  readonly #max: number;
  readonly #waiting: { amount: number; start: () => void }[] = [];
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the work when there is room for the amount, in the order of the calls. Any amount may run alone. */
  async spend<T>(amount: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ amount, start });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#used -= amount;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.amount > this.#max) return;
      this.#waiting.shift();
      this.#used += next.amount;
      next.start();
    }
  }
}
