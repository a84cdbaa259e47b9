/** Sending many rows in one statement, but not too many. */

/** Characters of documents in one statement: the driver needs a multiple of it in memory. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;

/** Turns rows into columns for `unnest`. */
export function columns<Row>(rows: Row[], ...names: (keyof Row)[]): Row[keyof Row][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** Splits items into batches of bounded length. A longer item is a batch by itself. */
export function* splitBatches<T>(items: T[], measure: (item: T) => number): Generator<T[], void> {
  let batch: T[] = [];
  let length = 0;
  for (const item of items) {
    if (batch.length > 0 && length + measure(item) > MAX_BATCH_LENGTH) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(item);
    length += measure(item);
  }
  if (batch.length > 0) yield batch;
}
