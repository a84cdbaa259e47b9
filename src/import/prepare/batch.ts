/**
 * Batches of records that can be looked up together. Records that may be the same one go into different batches, because
 * the later one depends on what the earlier one changed.
 */
import { fold } from '../../catalogue/search/fold.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { EntryLine } from '../records/record.ts';

const MAX_RECORDS = 1000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Two records of a kind with the same name identity may be the same record. */
export const nameIdentity = (kind: Kind, name: string): string => `${kind} ${fold(name)}`;

/** Everything that may identify an entry. */
export function entryIdentities(record: EntryLine): string[] {
  const names = [record.name, ...(record.aliases ?? [])].map((name) => nameIdentity(record.type, name));
  return record.id === undefined ? names : [...names, record.id];
}

/** Collects records of one type, up to a maximum number and size. */
export class Batch<T extends { size: number }> {
  items: T[] = [];
  #bytes = 0;
  readonly #typeOf: (item: T) => string;

  constructor(typeOf: (item: T) => string) {
    this.#typeOf = typeOf;
  }

  /** Whether the item has to wait for the next batch. */
  isFullFor(item: T): boolean {
    const [first] = this.items;
    if (!first) return false;
    const isFull = this.items.length === MAX_RECORDS || this.#bytes + item.size > MAX_BYTES;
    return isFull || this.#typeOf(first) !== this.#typeOf(item);
  }

  add(item: T): void {
    this.items.push(item);
    this.#bytes += item.size;
  }

  /** Returns the collected items and empties the batch. */
  take(): T[] {
    const { items } = this;
    this.items = [];
    this.#bytes = 0;
    return items;
  }
}

/**
 * Passes the items to `process` in order, in batches without repeated identities. `process` returns how many items it
 * finished. If it stopped early, the next batch is smaller: otherwise a file full of dependent records would be looked up
 * over and over.
 */
export async function processInBatches<T>(
  items: T[],
  identitiesOf: (item: T) => string[],
  process: (batch: T[]) => Promise<number>,
): Promise<void> {
  for (const piece of splitAtRepeats(items, identitiesOf)) {
    let size = piece.length;
    for (let start = 0; start < piece.length; ) {
      const batch = piece.slice(start, start + size);
      const done = await process(batch);
      size = 2 * (done < batch.length ? Math.max(1, done) : size);
      start += done;
    }
  }
}

/** Starts a new piece at each item that repeats an identity of the current one. */
function* splitAtRepeats<T>(items: T[], identitiesOf: (item: T) => string[]): Generator<T[], void> {
  let piece: T[] = [];
  let seen = new Set<string>();
  for (const item of items) {
    const identities = identitiesOf(item);
    if (identities.some((identity) => seen.has(identity))) {
      yield piece;
      piece = [];
      seen = new Set();
    }
    piece.push(item);
    for (const identity of identities) seen.add(identity);
  }
  if (piece.length > 0) yield piece;
}
