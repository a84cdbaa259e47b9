/** Gathering records into batches whose lines do not depend on each other. */
import { fold } from '../catalogue/fold.ts';
import type { EntryLine } from './record.ts';

export const LARGEST_BATCH = 1000;

/** What a record may be known by: two lines that share one of these are the same record. */
export function identities(line: EntryLine): string[] {
  const name = `${line.type} ${fold(line.name)}`;
  return line.id === undefined ? [name] : [name, line.id];
}

/** Cuts a row of items wherever one repeats an identity of the same piece. */
export function* cutAtRepeats<T>(items: T[], identitiesOf: (item: T) => string[]): Generator<T[], void> {
  let piece: T[] = [];
  let seen = new Set<string>();
  for (const item of items) {
    const names = identitiesOf(item);
    if (names.some((name) => seen.has(name))) {
      yield piece;
      piece = [];
      seen = new Set();
    }
    piece.push(item);
    for (const name of names) seen.add(name);
  }
  if (piece.length > 0) yield piece;
}
