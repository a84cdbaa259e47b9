/**
 * The order that a seed puts images in. Each image has a rank, which depends on the seed and on its number alone: so filters
 * only leave images out of the order, and an import only puts new ones in between. A rank leads back to its number, because
 * ranks are a keyed permutation of all numbers that there can be: so images can be found by walking along the ranks, or, where
 * that meets too few, by working out the rank of each.
 */
import { createHash } from 'node:crypto';

import type { ImageSet } from './image-set.ts';

/** A position in the order of a seed: a rank, and how many bits ranks have in that order. */
export interface SeedPosition {
  bits: number;
  rank: number;
}

/**
 * As long as numbers have no more bits than this, they are permuted among themselves: the fewer ranks there are, the sooner
 * one is met that is an image's. A catalogue that outgrows four million has all of its orders made anew, once.
 */
const SMALL_BITS = 22;
const MAX_BITS = 32;

/** A step of the permutation: what is mixed in, and what is multiplied with, there and back. */
interface Round {
  key: number;
  factor: number;
  inverse: number;
}

/** Two words of the seed's hash make a round. */
const ROUND_BYTES = 8;

export class SeedOrder {
  /** Of a number, and of a rank. */
  readonly bits: number;
  /** How many ranks there are. */
  readonly size: number;
  readonly #mask: number;
  readonly #half: number;
  readonly #rounds: [Round, Round, Round, Round];

  /** For numbers up to `last`. */
  constructor(seed: string, last: number) {
    const bits = last < 2 ** SMALL_BITS ? SMALL_BITS : MAX_BITS;
    this.bits = bits;
    this.size = 2 ** bits;
    this.#mask = (this.size - 1) | 0;
    this.#half = bits / 2;
    const words = createHash('sha256').update(seed).digest();
    const round = (index: number) => roundOf(words.subarray(index * ROUND_BYTES, (index + 1) * ROUND_BYTES));
    this.#rounds = [round(0), round(1), round(2), round(3)];
  }

  // Written out, because a loop takes twice the time, and a walk may take ten thousand of these.

  rankOf(number: number): number {
    const [first, second, third, fourth] = this.#rounds;
    return this.#forth(this.#forth(this.#forth(this.#forth(number, first), second), third), fourth) >>> 0;
  }

  numberAt(rank: number): number {
    const [first, second, third, fourth] = this.#rounds;
    return this.#back(this.#back(this.#back(this.#back(rank, fourth), third), second), first) >>> 0;
  }

  /** Multiplying carries the low bits up, and shifting by half of them brings the high ones down. */
  #forth(value: number, { key, factor }: Round): number {
    const product = Math.imul(value ^ key, factor) & this.#mask;
    return product ^ (product >>> this.#half);
  }

  #back(value: number, { key, inverse }: Round): number {
    return (Math.imul(value ^ (value >>> this.#half), inverse) ^ key) & this.#mask;
  }
}

function roundOf(words: Buffer): Round {
  const factor = words.readInt32BE(4) | 1;
  return { key: words.readInt32BE(0), factor, inverse: inverseOf(factor) };
}

/** What an odd number is to be multiplied with to give 1, in 32 bits. Each step of Newton's doubles the bits that are right. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let right = 3; right < 32; right *= 2) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

export interface SeededNumbers {
  /** By their numbers, in the order of their ranks. */
  images: number[];
  next: SeedPosition | undefined;
}

/** The images of the set that come first, or follow from a mark on. Undefined when the mark is of another shuffle's order. */
export function seededNumbers(
  set: ImageSet,
  order: SeedOrder,
  mark: SeedPosition | undefined,
  limit: number,
): SeededNumbers | undefined {
  const { bits } = order;
  if (mark && mark.bits !== bits) return undefined;
  const from = mark?.rank ?? 0;
  const count = limit + 1;
  // Walking meets one of the set in every `shuffle.size / set.size` ranks; else every one of the set is looked at.
  const isWalked = (count * order.size) / set.size < set.size;
  const ranks = isWalked ? walked(set, order, from, count) : lowest(set, order, from, count);
  const rank = ranks[limit];
  return {
    images: ranks.slice(0, limit).map((rank) => order.numberAt(rank)),
    next: rank === undefined ? undefined : { bits, rank },
  };
}

function walked(set: ImageSet, order: SeedOrder, from: number, count: number): number[] {
  const ranks: number[] = [];
  for (let rank = from; rank < order.size && ranks.length < count; rank++)
    if (set.has(order.numberAt(rank))) ranks.push(rank);
  return ranks;
}

function lowest(set: ImageSet, order: SeedOrder, from: number, count: number): number[] {
  const ranks: number[] = [];
  let highest = Number.POSITIVE_INFINITY;
  set.each((image) => {
    const rank = order.rankOf(image);
    if (rank < from || rank > highest) return;
    const place = ranks.findIndex((other) => other > rank);
    ranks.splice(place < 0 ? ranks.length : place, 0, rank);
    if (ranks.length > count) ranks.pop();
    if (ranks.length === count) highest = ranks[count - 1] as number;
  });
  return ranks;
}
