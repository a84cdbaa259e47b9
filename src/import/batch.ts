/**
 * Gathering lines into batches that can be looked up together. Lines that may mean the same record are kept apart: the
 * later one has to see what the earlier one did.
 */
import { fold } from '../catalogue/fold.ts';
import type { Kind } from '../catalogue/types.ts';
import type { EntryLine } from './record.ts';

const MAX_LINES = 1000;
const MAX_BYTES = 8 * 1024 * 1024;

/** How a name is remembered: two records of a kind that share it may be the same. */
export const nameIdentity = (kind: Kind, name: string): string => `${kind} ${fold(name)}`;

/** What a record may be known by. */
export function identities(line: EntryLine): string[] {
  const name = nameIdentity(line.type, line.name);
  return line.id === undefined ? [name] : [name, line.id];
}

/** Gathers items of one type until there are enough of them. */
export class Batch<T extends { weight: number }> {
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
    const isFull = this.items.length === MAX_LINES || this.#bytes + item.weight > MAX_BYTES;
    return isFull || this.#typeOf(first) !== this.#typeOf(item);
  }

  add(item: T): void {
    this.items.push(item);
    this.#bytes += item.weight;
  }

  /** Gives what was gathered and begins anew. */
  take(): T[] {
    const { items } = this;
    this.items = [];
    this.#bytes = 0;
    return items;
  }
}

/**
 * Hands lines to the work, in order, as many at a time as can be looked up together. The work tells how many of them it
 * did: where it had to stop early, fewer are handed over next time, or a file full of dependent lines would be looked up
 * over and over.
 */
export async function inRuns<T>(
  items: T[],
  identitiesOf: (item: T) => string[],
  work: (some: T[]) => Promise<number>,
): Promise<void> {
  for (const piece of cutAtRepeats(items, identitiesOf)) {
    let size = piece.length;
    for (let start = 0; start < piece.length; ) {
      const some = piece.slice(start, start + size);
      const done = await work(some);
      size = 2 * (done < some.length ? Math.max(1, done) : size);
      start += done;
    }
  }
}

/** Cuts a row of items wherever one repeats an identity of the same piece. */
function* cutAtRepeats<T>(items: T[], identitiesOf: (item: T) => string[]): Generator<T[], void> {
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
