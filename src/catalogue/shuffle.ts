/**
 * The order that a seed puts images in. Each image has a rank, which depends on the seed and on its number alone: so filters
 * only leave images out of the order, and an import only puts new ones in between. A rank leads back to its number, because
 * ranks are a keyed permutation of all numbers that there can be: so images can be found by walking along the ranks, or, where
 * that meets too few, by working out the rank of each.
 */
import { createHash } from 'node:crypto';
import type { ImageSet } from './image-set.ts';

/**
 * The numbers below this are permuted among themselves, as long as they suffice: the fewer there are, the more often a rank
 * is that of an image. A catalogue that outgrows them has all of its orders made anew, once.
 */
const MOST_SMALL = 2 ** 24;
const ROUNDS = 4;

export class Shuffle {
  /** How many ranks there are. */
  readonly size: number;
  readonly #mask: number;
  readonly #half: number;
  readonly #keys: Uint32Array;
  readonly #factors: Uint32Array;
  readonly #inverses: Uint32Array;

  /** For numbers up to `last`. */
  constructor(seed: string, last: number) {
    const bits = last < MOST_SMALL ? 24 : 32;
    this.size = 2 ** bits;
    this.#mask = this.size - 1;
    this.#half = bits / 2;
    const digest = createHash('sha256').update(seed).digest();
    const words = Uint32Array.from({ length: 2 * ROUNDS }, (_, index) => digest.readUInt32BE(index * 4));
    this.#keys = words.subarray(0, ROUNDS);
    this.#factors = words.subarray(ROUNDS).map((word) => word | 1);
    this.#inverses = this.#factors.map(inverseOf);
  }

  // Both are the same steps, there and back. Multiplying carries the low bits up and shifting brings the high ones down, and
  // both can be undone: shifting by half of the bits undoes itself.

  rankOf(number: number): number {
    let value = number;
    for (let round = 0; round < ROUNDS; round++) {
      value = Math.imul(value ^ (this.#keys[round] as number), this.#factors[round] as number) & this.#mask;
      value ^= value >>> this.#half;
    }
    return value >>> 0;
  }

  numberAt(rank: number): number {
    let value = rank;
    for (let round = ROUNDS - 1; round >= 0; round--) {
      value ^= value >>> this.#half;
      value =
        (Math.imul(value, this.#inverses[round] as number) ^ (this.#keys[round] as number)) & this.#mask;
    }
    return value >>> 0;
  }
}

/** What an odd number is to be multiplied with to give 1, in 32 bits. Each step of Newton's doubles the bits that are right. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let right = 3; right < 32; right *= 2) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

export interface Stretch {
  /** By their numbers, in the order of their ranks. */
  images: number[];
  /** The rank of the one that follows, where there is one. */
  next: number | undefined;
}

/** The first images of the set whose rank is not below `from`. */
export function stretchOf(set: ImageSet, shuffle: Shuffle, from: number, limit: number): Stretch {
  const count = limit + 1;
  // Walking meets one of the set in every `shuffle.size / set.size` ranks; else every one of the set is looked at.
  const isWalked = (count * shuffle.size) / set.size < set.size;
  const ranks = isWalked ? walked(set, shuffle, from, count) : lowest(set, shuffle, from, count);
  return { images: ranks.slice(0, limit).map((rank) => shuffle.numberAt(rank)), next: ranks[limit] };
}

function walked(set: ImageSet, shuffle: Shuffle, from: number, count: number): number[] {
  const ranks: number[] = [];
  for (let rank = from; rank < shuffle.size && ranks.length < count; rank++)
    if (set.has(shuffle.numberAt(rank))) ranks.push(rank);
  return ranks;
}

function lowest(set: ImageSet, shuffle: Shuffle, from: number, count: number): number[] {
  const ranks: number[] = [];
  set.each((image) => {
    const rank = shuffle.rankOf(image);
    if (rank < from || (ranks.length === count && rank > (ranks[count - 1] as number))) return;
    const place = ranks.findIndex((other) => other > rank);
    ranks.splice(place < 0 ? ranks.length : place, 0, rank);
    ranks.length = Math.min(ranks.length, count);
  });
  return ranks;
}
