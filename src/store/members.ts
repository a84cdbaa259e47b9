/**
 * Which images stand on a shelf, kept in memory for the shelves that are asked for: four bytes an image for the row of
 * them, so that a draw needs no database, and one bit for whether an image is among them. What two shelves of a
 * million images have in common is found in a fraction of a millisecond.
 */
import { type Bits, commonBits, isEmpty, listBits, noBits, setBit } from '../catalogue/bits.ts';
import type { Shelf } from './shelves.ts';
import { readSlices, type Slice } from './slices.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** The numbers of the images on a shelf, from one position up to another. */
export type ReadShelf = (shelf: number, from: number, to: number) => Promise<Slice<number>>;

/** A version of the catalogue, and the highest number of an image in it. */
export interface Moment {
  version: number;
  lastImage: number;
}

export interface Membership {
  /** In the order of their positions. */
  images: Uint32Array;
  /** A bit for the number of each. */
  bits: Bits;
}

interface Kept {
  version: number;
  bytes: number;
  /** Undefined when it turned out to be of another version. */
  reading: Promise<Membership | undefined>;
  membership: Membership | undefined;
}

export class Members {
  readonly #read: ReadShelf;
  readonly #readAtOnce: number;
  /** Those that were read first stand first, and are the first to go. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(readAtOnce: number, read: ReadShelf) {
    this.#readAtOnce = readAtOnce;
    this.#read = read;
  }

  /** Undefined when it is not known yet; then it is being read from now on. */
  known(shelf: Shelf, moment: Moment): Membership | undefined {
    return this.#of(shelf, moment).membership;
  }

  /**
   * The images that stand on all of the shelves, best given from the smallest to the largest. Undefined when the catalogue
   * is no longer the one of that moment.
   */
  async ofAll(shelves: Shelf[], moment: Moment): Promise<number[] | undefined> {
    let common: Bits | undefined;
    for (const shelf of shelves) {
      const membership = await this.#of(shelf, moment).reading;
      if (!membership) return undefined;
      common = common ? commonBits(common, membership.bits) : membership.bits;
      if (isEmpty(common)) return [];
    }
    return common ? listBits(common) : [];
  }

  #of(shelf: Shelf, moment: Moment): Kept {
    const kept = this.#kept.get(shelf.number);
    if (kept?.version === moment.version) return kept;
    if (kept) this.#drop(shelf.number, kept);
    const current = this.#begin(shelf, moment);
    this.#kept.set(shelf.number, current);
    this.#bytes += current.bytes;
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= MOST_BYTES || oldest === shelf.number) break;
      this.#drop(oldest, entry);
    }
    return current;
  }

  #drop(shelf: number, { bytes }: Kept): void {
    this.#kept.delete(shelf);
    this.#bytes -= bytes;
  }

  #begin({ number, size }: Shelf, { version, lastImage }: Moment): Kept {
    const membership = { images: new Uint32Array(size), bits: noBits(lastImage + 1) };
    const reading = this.#fill(membership, number).then((found) =>
      found === version ? membership : undefined,
    );
    const bytes = membership.images.byteLength + membership.bits.byteLength;
    const kept: Kept = { version, bytes, reading, membership: undefined };
    const forget = () => {
      if (this.#kept.get(number) === kept) this.#drop(number, kept);
    };
    reading.then((found) => {
      kept.membership = found;
      // What came too late, or failed, is not kept: the next draw reads anew.
      if (!found) forget();
    }, forget);
    return kept;
  }

  #fill({ images, bits }: Membership, shelf: number): Promise<number | undefined> {
    let position = 0;
    return readSlices(
      this.#readAtOnce,
      (from, to) => this.#read(shelf, from, to),
      (image) => {
        images[position++] = image;
        setBit(bits, image);
      },
    );
  }
}
