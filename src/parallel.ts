/** Working on several things at a time. */

/**
 * Calls the work for each item, a few at a time, and waits until none is running any more, even when one fails: whoever
 * cleans up afterwards must not be overtaken. Then the first failure is thrown.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = Iterator.from(items).map((item, index) => [item, index] as const);
  let hasFailed = false;
  const workOn = async () => {
    for (const [item, index] of queue) {
      if (hasFailed) return;
      await work(item, index).catch((error) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, workOn));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}
