/** Sending many rows in one statement, but not too many. */
import type { SqlValue } from '../../session.ts';

/** Characters in one statement: pg needs a multiple of it in memory. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;
/** About what a number takes as text. */
const NUMBER_LENGTH = 8;

/** Splits rows into batches of bounded length. A longer row is a batch by itself. */
export function* splitBatches(rows: SqlValue[][]): Generator<SqlValue[][], void> {
  let from = 0;
  let length = 0;
  for (const [index, row] of rows.entries()) {
    const added = lengthOf(row);
    if (index > from && length + added > MAX_BATCH_LENGTH) {
      yield rows.slice(from, index);
      from = index;
      length = 0;
    }
    length += added;
  }
  if (from < rows.length) yield rows.slice(from);
}

function lengthOf(row: SqlValue[]): number {
  let length = 0;
  for (const value of row) length += typeof value === 'string' ? value.length : NUMBER_LENGTH;
  return length;
}
