/**
 * Which images stand on a shelf, as one bit each, kept in memory for the shelves that are asked for: a million images
 * are 125 kB, and what two such shelves have in common is found in a fraction of a millisecond.
 */
import { type Bits, commonBits, isEmpty, listBits, noBits, setBit } from '../catalogue/bits.ts';
import { readSlices, type Slice } from './slices.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The numbers of the images on a shelf, from one position up to another. */
export type ReadShelf = (shelf: number, from: number, to: number) => Promise<Slice<number>>;

/** A version of the catalogue, and the highest number of an image in it. */
export interface Moment {
  version: number;
  lastImage: number;
}

interface Kept {
  version: number;
  bytes: number;
  /** Undefined when it turned out to be of another version. */
  members: Promise<Bits | undefined>;
}

export class Members {
  readonly #read: ReadShelf;
  readonly #readAtOnce: number;
  /** The shelves that were asked for last stand last. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(readAtOnce: number, read: ReadShelf) {
    this.#readAtOnce = readAtOnce;
    this.#read = read;
  }

  /**
   * The images that stand on all of the shelves, best given from the smallest to the largest. Undefined when the catalogue
   * is no longer the one of that moment.
   */
  async ofAll(shelves: number[], moment: Moment): Promise<number[] | undefined> {
    let common: Bits | undefined;
    for (const shelf of shelves) {
      const members = await this.#of(shelf, moment);
      if (!members) return undefined;
      common = common ? commonBits(common, members) : members;
      if (isEmpty(common)) return [];
    }
    return common ? listBits(common) : [];
  }

  #of(shelf: number, moment: Moment): Promise<Bits | undefined> {
    const kept = this.#kept.get(shelf);
    if (kept) this.#drop(shelf, kept);
    const current = kept?.version === moment.version ? kept : this.#begin(shelf, moment);
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

  #begin(shelf: number, { version, lastImage }: Moment): Kept {
    const bits = noBits(lastImage + 1);
    const members = this.#fill(bits, shelf).then((found) => (found === version ? bits : undefined));
    const kept: Kept = { version, bytes: bits.byteLength, members };
    const forget = () => {
      if (this.#kept.get(shelf) === kept) this.#drop(shelf, kept);
    };
    // A reading that failed, or came too late, is not kept: the next draw reads anew.
    members.then((found) => found ?? forget(), forget);
    return kept;
  }

  #fill(bits: Bits, shelf: number): Promise<number | undefined> {
    return readSlices(
      this.#readAtOnce,
      (from, to) => this.#read(shelf, from, to),
      (image) => setBit(bits, image),
    );
  }
}
