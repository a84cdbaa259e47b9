/** Working on several things at a time. */

/**
 * Calls the work for each item, a few at a time, and waits until none is running any more, even when one fails: whoever
 * cleans up afterwards must not be overtaken. Then the first failure is thrown.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = numbered(items);
  let hasFailed = false;
  const workOn = async () => {
    try {
      for (let next = await queue.next(); !next.done && !hasFailed; next = await queue.next())
        await work(...next.value);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, workOn));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}

async function* numbered<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<[T, number], void> {
  let index = 0;
  for await (const item of items) yield [item, index++];
}
