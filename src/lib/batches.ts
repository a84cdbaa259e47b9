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
