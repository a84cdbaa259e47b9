/** Orders of images: random draws, the newest first, and the order of a seed. */
import { createHash } from 'node:crypto';
import type { RandomInt } from '../../lib/random.ts';
import type { ImageSet } from './image-set.ts';

// Chooses images of an ordered list: random ones, or a page of the newest.

/**
 * The positions below `size` one at a time, in an order that is as likely as any other. This is a lazy Fisher-Yates shuffle
 * that stores only the entries that were swapped: the first ten of a million take ten steps.
 */
export function* shuffledPositions(size: number, randomInt: RandomInt): Generator<number, void> {
  const swapped = new Map<number, number>();
  for (let first = 0; first < size; first++) {
    const chosen = first + randomInt(size - first);
    yield swapped.get(chosen) ?? chosen;
    swapped.set(chosen, swapped.get(first) ?? first);
    swapped.delete(first);
  }
}

/** `count` random positions below `size`, or all of them if there are fewer. */
export function drawPositions(size: number, count: number, randomInt: RandomInt): number[] {
  // A few of many: drawing again on a repeat is faster than the shuffle.
  if (count * 4 > size) return shuffledPositions(size, randomInt).take(count).toArray();
  const positions: number[] = [];
  while (positions.length < count) {
    const position = randomInt(size);
    if (!positions.includes(position)) positions.push(position);
  }
  return positions;
}

/** `count` random images of the set, or all of them if there are fewer. */
export function sample(set: ImageSet, count: number, randomInt: RandomInt): number[] {
  return drawPositions(set.size, count, randomInt).map((position) => set.at(position));
}

export interface NewestPage {
  /** Image numbers, descending. */
  numbers: number[];
  /** The next page continues below this number. Undefined on the last page. */
  next: number | undefined;
}

/**
 * The newest images, or the newest of those below a number. Numbers grow as images are added, so a page continues below the
 * last number of the previous one: images added meanwhile are above it, and a removed one leaves no gap. Looks at few of
 * them, however many there are.
 */
export function newestBelow(images: ImageSet, below: number | undefined, limit: number): NewestPage {
  const end = below === undefined ? images.size : countBelow(images, below);
  const start = Math.max(0, end - limit);
  const numbers: number[] = [];
  for (let position = end - 1; position >= start; position--) numbers.push(images.at(position));
  return { numbers, next: start > 0 ? numbers.at(-1) : undefined };
}

/** By binary search. */
function countBelow(images: ImageSet, number: number): number {
  let [low, high] = [0, images.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (images.at(middle) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a page of a search continues: in a level, below an image number. */
export interface SearchPosition {
  level: number;
  below: number;
}

const LOW_NUMBERS = 2 ** 32;

/** Numbers of up to 8 and of 32 bits, as image numbers and ranks have, as one number for a cursor. */
export const packPosition = (high: number, low: number): number => high * LOW_NUMBERS + low;

export const unpackPosition = (packed: number): [high: number, low: number] => [
  Math.floor(packed / LOW_NUMBERS),
  packed % LOW_NUMBERS,
];

// The order of images for a seed. Each image has a rank that depends only on the seed and on its number. So a filter removes
// images from the order without moving the others, and an import inserts new ones.
//
// Ranks are a keyed permutation of all possible image numbers, and the permutation can be inverted. A page is found either
// by going through the ranks and testing which image has each, or, for a small set, by computing the rank of every image.

/** A position in seed order: a rank, and the bits per rank of the permutation it belongs to. */
export interface SeedPosition {
  bits: number;
  rank: number;
}

/**
 * The permutation covers 22-bit numbers up to four million images, then 32-bit numbers, which changes the order of every
 * seed once. In a smaller permutation more of the ranks belong to images, so pages are found faster.
 */
const SMALL_BITS = 22;
const MAX_BITS = 32;

/** The parameters of one round of the permutation. */
interface Round {
  /** XORed into the value. */
  key: number;
  /** Odd, so that multiplication can be inverted. */
  factor: number;
  /** The inverse of `factor` modulo 2^32. */
  inverse: number;
}

/** Each round takes two words of the seed's hash. */
const ROUND_BYTES = 8;

export class SeedOrder {
  /** The bits per rank. */
  readonly bits: number;
  /** The number of ranks. */
  readonly size: number;
  readonly #mask: number;
  readonly #halfBits: number;
  readonly #rounds: [Round, Round, Round, Round];

  /** For image numbers up to `last`. */
  constructor(seed: string, last: number) {
    const bits = last < 2 ** SMALL_BITS ? SMALL_BITS : MAX_BITS;
    this.bits = bits;
    this.size = 2 ** bits;
    this.#mask = (this.size - 1) | 0;
    this.#halfBits = bits / 2;
    const hash = createHash('sha256').update(seed).digest();
    const round = (index: number) =>
      deriveRound(hash.subarray(index * ROUND_BYTES, (index + 1) * ROUND_BYTES));
    this.#rounds = [round(0), round(1), round(2), round(3)];
  }

  // Unrolled: a loop takes twice the time, and one page may need ten thousand calls.

  rankOf(number: number): number {
    const [first, second, third, fourth] = this.#rounds;
    return this.#mix(this.#mix(this.#mix(this.#mix(number, first), second), third), fourth) >>> 0;
  }

  numberAt(rank: number): number {
    const [first, second, third, fourth] = this.#rounds;
    return this.#unmix(this.#unmix(this.#unmix(this.#unmix(rank, fourth), third), second), first) >>> 0;
  }

  /** Multiplication spreads the low bits upwards; the shift brings the high bits down again. */
  #mix(value: number, { key, factor }: Round): number {
    const product = Math.imul(value ^ key, factor) & this.#mask;
    return product ^ (product >>> this.#halfBits);
  }

  #unmix(value: number, { key, inverse }: Round): number {
    return (Math.imul(value ^ (value >>> this.#halfBits), inverse) ^ key) & this.#mask;
  }
}

function deriveRound(hash: Buffer): Round {
  const factor = hash.readInt32BE(4) | 1;
  return { key: hash.readInt32BE(0), factor, inverse: invert(factor) };
}

/** The inverse of an odd number modulo 2^32. Each step of Newton's method doubles the number of correct bits. */
function invert(odd: number): number {
  let inverse = odd;
  for (let correctBits = 3; correctBits < 32; correctBits *= 2)
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

export interface SeedOrderPage {
  /** Image numbers in rank order. */
  images: number[];
  /** Where the next page starts, if there is one. */
  next: SeedPosition | undefined;
}

/** A page of the set in seed order. Returns undefined when `from` belongs to a permutation of another size. */
export function pageInSeedOrder(
  set: ImageSet,
  order: SeedOrder,
  from: SeedPosition | undefined,
  limit: number,
): SeedOrderPage | undefined {
  const { bits } = order;
  if (from && from.bits !== bits) return undefined;
  const firstRank = from?.rank ?? 0;
  const count = limit + 1;
  // One in `order.size / set.size` ranks belongs to the set.
  const isScanCheaper = (count * order.size) / set.size < set.size;
  const findRanks = isScanCheaper ? scanRanks : lowestRanks;
  const ranks = findRanks(set, order, firstRank, count);
  const rank = ranks[limit];
  return {
    images: ranks.slice(0, limit).map((rank) => order.numberAt(rank)),
    next: rank === undefined ? undefined : { bits, rank },
  };
}

/** Goes through the ranks until enough of them belong to the set. */
function scanRanks(set: ImageSet, order: SeedOrder, from: number, count: number): number[] {
  const ranks: number[] = [];
  for (let rank = from; rank < order.size && ranks.length < count; rank++)
    if (set.has(order.numberAt(rank))) ranks.push(rank);
  return ranks;
}

/** Computes the rank of every image in the set and keeps the lowest. */
function lowestRanks(set: ImageSet, order: SeedOrder, from: number, count: number): number[] {
  const ranks: number[] = [];
  let highest = Number.POSITIVE_INFINITY;
  set.each((image) => {
    const rank = order.rankOf(image);
    if (rank < from || rank > highest) return;
    const position = ranks.findIndex((other) => other > rank);
    ranks.splice(position < 0 ? ranks.length : position, 0, rank);
    if (ranks.length > count) ranks.pop();
    if (ranks.length === count) highest = ranks[count - 1] as number;
  });
  return ranks;
}
