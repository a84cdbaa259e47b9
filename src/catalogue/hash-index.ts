/** Perceptual hashes of many images in memory, searched from the first to the last. */
import { popCount } from './bits.ts';

/** A hash is this many words of 32 bits. */
const WORDS = 4;
const HEX_DIGITS_PER_WORD = 8;
const INITIAL_CAPACITY = 1024;

/** Images up to this distance are copies of each other, but for rare accidents (`npm run bench -- alike`). */
export const MAX_COPY_DISTANCE = 15;
/** Images up to this distance may be called similar. Of two unrelated images, about one pair in a million is so close. */
export const MAX_SIMILAR_DISTANCE = 36;

/** A hash as words, or undefined if it has none that could be compared. */
export function parseHash(hash: string): Uint32Array | undefined {
  if (hash.length !== WORDS * HEX_DIGITS_PER_WORD) return undefined;
  return Uint32Array.from({ length: WORDS }, (_, word) =>
    Number.parseInt(hash.slice(word * HEX_DIGITS_PER_WORD, (word + 1) * HEX_DIGITS_PER_WORD), 16),
  );
}

export class HashIndex {
  #images = new Uint32Array(INITIAL_CAPACITY);
  #words = new Uint32Array(INITIAL_CAPACITY * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Memory use. */
  get bytes(): number {
    return this.#images.byteLength + this.#words.byteLength;
  }

  /** Images must be added in ascending order. Those without a comparable hash are left out. */
  add(image: number, hash: string): void {
    const words = parseHash(hash);
    if (!words) return;
    if (this.#size === this.#images.length) this.#grow();
    this.#images[this.#size] = image;
    this.#words.set(words, this.#size * WORDS);
    this.#size++;
  }

  imageAt(position: number): number {
    return this.#images[position] as number;
  }

  hashAt(position: number): Uint32Array {
    return this.#words.subarray(position * WORDS, (position + 1) * WORDS);
  }

  /** The hash of an image, or undefined if it is not in the index. */
  hashOf(image: number): Uint32Array | undefined {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.imageAt(middle) < image) low = middle + 1;
      else high = middle;
    }
    return low < this.#size && this.imageAt(low) === image ? this.hashAt(low) : undefined;
  }

  distance(one: number, other: number): number {
    let distance = 0;
    for (let word = 0; word < WORDS; word++)
      distance += popCount(
        (this.#words[one * WORDS + word] as number) ^ (this.#words[other * WORDS + word] as number),
      );
    return distance;
  }

  /** Visits the positions from `from` up to `to` whose hashes are at most `maxDistance` bits away. */
  scan(
    hash: Uint32Array,
    maxDistance: number,
    from: number,
    to: number,
    visit: (position: number, distance: number) => void,
  ): void {
    const words = this.#words;
    const [a, b, c, d] = hash as unknown as [number, number, number, number];
    const end = Math.min(to, this.#size) * WORDS;
    for (let index = from * WORDS; index < end; index += WORDS) {
      // Half of the bits rule out nearly all.
      let distance = popCount((words[index] as number) ^ a) + popCount((words[index + 1] as number) ^ b);
      if (distance > maxDistance) continue;
      distance += popCount((words[index + 2] as number) ^ c) + popCount((words[index + 3] as number) ^ d);
      if (distance <= maxDistance) visit(index / WORDS, distance);
    }
  }

  #grow(): void {
    const capacity = Math.ceil(this.#size * 1.5);
    const [images, words] = [new Uint32Array(capacity), new Uint32Array(capacity * WORDS)];
    images.set(this.#images);
    words.set(this.#words);
    this.#images = images;
    this.#words = words;
  }
}

/** Collects the nearest positions, in any number of scans in ascending order. */
export class Nearest {
  readonly #limit: number;
  /** The first positions at each distance: no more can be among the nearest. */
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
