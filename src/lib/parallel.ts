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
