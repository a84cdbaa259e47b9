/** Perceptual hashes (media/perceptual-hash.ts) of many images in memory, compared one after the other. */
import { popCount } from './bits.ts';

/** Images up to this distance, in bits of 128, are taken for copies of each other. */
export const MAX_COPY_DISTANCE = 14;
/** Images up to this distance are similar. Slightly cropped copies are, unrelated images hardly ever. */
export const MAX_SIMILAR_DISTANCE = 36;
/**
 * The first word holds the lowest frequencies, which crops change least. If more of its bits differ, images are not similar:
 * for nearly all images, this one word decides.
 */
const MAX_FIRST_WORD_DISTANCE = 8;

/** A hash is this many words of 32 bits. */
export const HASH_WORDS = 4;
const DIGITS_PER_WORD = 8;
const INITIAL_CAPACITY = 1024;

export class HashIndex {
  #images = new Uint32Array(INITIAL_CAPACITY);
  /** The first words of all hashes, the second words, and so on. */
  #words = Array.from({ length: HASH_WORDS }, () => new Int32Array(INITIAL_CAPACITY));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Images must be added in ascending order. Those with too little detail are left out. */
  add(image: number, hash: string): void {
    const words = parseHash(hash);
    if (!words) return;
    if (this.#size === this.#images.length) this.#grow();
    this.#images[this.#size] = image;
    for (const [index, column] of this.#words.entries()) column[this.#size] = words[index] as number;
    this.#size++;
  }

  imageAt(position: number): number {
    return this.#images[position] as number;
  }

  hashAt(position: number): Int32Array {
    return Int32Array.from(this.#words, (column) => column[position] as number);
  }

  wordAt(position: number, word: number): number {
    return (this.#words[word] as Int32Array)[position] as number;
  }

  /** The hash of an image, or undefined if it is not in the index. */
  hashOf(image: number): Int32Array | undefined {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.imageAt(middle) < image) low = middle + 1;
      else high = middle;
    }
    return low < this.#size && this.imageAt(low) === image ? this.hashAt(low) : undefined;
  }

  areWithin(maxDistance: number, one: number, other: number): boolean {
    let distance = 0;
    for (let word = 0; word < HASH_WORDS && distance <= maxDistance; word++)
      distance += popCount(this.wordAt(one, word) ^ this.wordAt(other, word));
    return distance <= maxDistance;
  }

  /** Visits the positions from `from` up to `to` whose hashes are similar and at most `maxDistance` away. */
  scan(
    hash: Int32Array,
    maxDistance: number,
    from: number,
    to: number,
    visit: (position: number, distance: number) => void,
  ): void {
    const [first, second, third, fourth] = this.#words as [Int32Array, Int32Array, Int32Array, Int32Array];
    const [a, b, c, d] = hash as unknown as [number, number, number, number];
    const end = Math.min(to, this.#size);
    for (let position = from; position < end; position++) {
      let distance = popCount((first[position] as number) ^ a);
      if (distance > MAX_FIRST_WORD_DISTANCE) continue;
      distance +=
        popCount((second[position] as number) ^ b) +
        popCount((third[position] as number) ^ c) +
        popCount((fourth[position] as number) ^ d);
      if (distance <= maxDistance) visit(position, distance);
    }
  }

  #grow(): void {
    const capacity = Math.ceil(this.#size * 1.5);
    const images = new Uint32Array(capacity);
    images.set(this.#images);
    this.#images = images;
    this.#words = this.#words.map((column) => {
      const longer = new Int32Array(capacity);
      longer.set(column);
      return longer;
    });
  }
}

/** In bits. Infinite if one of the pictures had too little detail to be compared. */
export function distanceBetween(one: string, other: string): number {
  const [a, b] = [parseHash(one), parseHash(other)];
  if (!a || !b) return Number.POSITIVE_INFINITY;
  return a.reduce((distance, word, index) => distance + popCount(word ^ (b[index] as number)), 0);
}

/** The words of a hash; undefined if the picture had too little detail. */
export function parseHash(hash: string): Int32Array | undefined {
  if (hash.length !== HASH_WORDS * DIGITS_PER_WORD) return undefined;
  const words = new Int32Array(HASH_WORDS);
  for (let index = 0; index < hash.length; index++) {
    const code = hash.charCodeAt(index);
    const digit = code <= 0x39 ? code - 0x30 : code - 0x57;
    words[index >>> 3] = ((words[index >>> 3] as number) << 4) | digit;
  }
  return words;
}

/** Collects the nearest positions of any number of scans in ascending order. */
export class Nearest {
  readonly #limit: number;
  /** The first positions at each distance: later ones cannot be among the nearest. */
  readonly #byDistance: number[][] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(position: number, distance: number): void {
    this.#byDistance[distance] ??= [];
    const positions = this.#byDistance[distance];
    if (positions.length < this.#limit) positions.push(position);
  }

  /** Nearest first; at the same distance, in ascending order. */
  positions(): number[] {
    return this.#byDistance.flat().slice(0, this.#limit);
  }
}
