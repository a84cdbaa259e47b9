/** Many rows in one statement, but not too many. */

/** So many characters of documents are sent in one statement: the driver needs a multiple of it to write it down. */
const SENT_AT_ONCE = 4 * 1024 * 1024;

/** Rows as the columns that `unnest` makes rows of again: one statement and one round trip for many rows. */
export function columns<Row>(rows: Row[], ...names: (keyof Row)[]): Row[keyof Row][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** Pieces that are not too heavy to send, unless a single item is. */
export function* inPieces<T>(items: T[], weigh: (item: T) => number): Generator<T[], void> {
  let piece: T[] = [];
  let weight = 0;
  for (const item of items) {
    if (piece.length > 0 && weight + weigh(item) > SENT_AT_ONCE) {
      yield piece;
      piece = [];
      weight = 0;
    }
    piece.push(item);
    weight += weigh(item);
  }
  if (piece.length > 0) yield piece;
}
