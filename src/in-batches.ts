/** Groups items, so that they can be looked up together. The last group may be smaller, and none is empty. */
export async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
