/**
 * Which images stand on a shelf, as one bit each, kept in memory for the shelves that are asked for: a million images
 * are 125 kB, and what two such shelves have in common is found in a fraction of a millisecond.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Bits, commonBits, isEmpty, listBits, noBits, setBit } from '../catalogue/bits.ts';
import { nextTurn } from '../turns.ts';

const READ_AT_ONCE = 1000;
/** After so long a reading, other requests have their turn. */
const SLICE_MS = 5;
const MOST_BYTES = 64 * 1024 * 1024;

interface Kept {
  version: number;
  bytes: number;
  members: Promise<Bits>;
}

export class SqliteMembers {
  readonly #last: StatementSync;
  readonly #images: StatementSync;
  /** The shelves that were asked for last stand last. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(database: DatabaseSync) {
    this.#last = database.prepare('select max(number) as last from image');
    this.#images = database.prepare(
      'select image from placement where shelf = ? and position >= ? and position < ?',
    );
  }

  /**
   * The images that stand on all of the shelves, best given from the smallest to the largest. They are read at this
   * version of the catalogue, which the caller has to find unchanged afterwards.
   */
  async ofAll(shelves: number[], version: number): Promise<number[]> {
    let common: Bits | undefined;
    for (const shelf of shelves) {
      const members = await this.#of(shelf, version);
      common = common ? commonBits(common, members) : members;
      if (isEmpty(common)) return [];
    }
    return common ? listBits(common) : [];
  }

  #of(shelf: number, version: number): Promise<Bits> {
    const kept = this.#kept.get(shelf);
    if (kept) this.#drop(shelf, kept);
    const current = kept?.version === version ? kept : this.#begin(shelf, version);
    this.#kept.set(shelf, current);
    this.#bytes += current.bytes;
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= MOST_BYTES || oldest === shelf) break;
      this.#drop(oldest, entry);
    }
    return current.members;
  }

  #drop(shelf: number, { bytes }: Kept): void {
    this.#kept.delete(shelf);
    this.#bytes -= bytes;
  }

  #begin(shelf: number, version: number): Kept {
    const bits = noBits(Number(this.#last.get()?.last ?? 0) + 1);
    const kept: Kept = { version, bytes: bits.byteLength, members: this.#fill(bits, shelf) };
    // A reading that failed is not kept: the next draw reads anew.
    kept.members.catch(() => {
      if (this.#kept.get(shelf) === kept) this.#drop(shelf, kept);
    });
    return kept;
  }

  async #fill(members: Bits, shelf: number): Promise<Bits> {
    await nextTurn();
    let begun = performance.now();
    for (let position = 0; ; position += READ_AT_ONCE) {
      const rows = this.#images.all(shelf, position, position + READ_AT_ONCE);
      for (const { image } of rows) setBit(members, image as number);
      if (rows.length < READ_AT_ONCE) return members;
      if (performance.now() - begun < SLICE_MS) continue;
      await nextTurn();
      begun = performance.now();
    }
  }
}
