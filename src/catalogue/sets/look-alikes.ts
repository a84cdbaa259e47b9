/** Images that look alike: their perceptual hashes in memory, and the groups that they form. */
import { lowerBound, popCount } from './image-set.ts';

// Perceptual hashes (media/picture.ts) of many images in memory, compared one after the other.

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
const HASH_WORDS = 4;
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
    const images = this.#images.subarray(0, this.#size);
    const position = lowerBound(images, image);
    return images[position] === image ? this.hashAt(position) : undefined;
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

// Groups of images that look alike, among all images. Two hashes within the distance of copies agree in one of eight bands
// of 16 bits, but for one bit at most, so each is compared only with those that have such a band.

const BANDS = 2 * HASH_WORDS;
const BAND_BITS = 16;
const BAND_VALUES = 2 ** BAND_BITS;

if (MAX_COPY_DISTANCE >= 2 * BANDS) throw new Error('images may differ in two bits of every band');

/**
 * Groups of two or more positions in the index, each in ascending order, the largest first. Copies of copies are in one
 * group. `onProgress` is called with the share of the work that each step was.
 */
export function groupLookAlikes(
  index: HashIndex,
  onProgress: (share: number) => void = () => {},
): number[][] {
  const groups = new Groups(index.size);
  const distinct = joinEqual(index, groups);
  for (let band = 0; band < BANDS; band++) {
    joinWithinBand(index, distinct, band, groups);
    onProgress(1 / BANDS);
  }
  return groups.list();
}

/**
 * Which positions of a group to keep, each with the others that look like it. A copy of a copy may look different by now, so
 * it is compared with what is kept: the best of all, then the best of the rest. `compare` sorts the best first.
 */
export function chooseBest(
  index: HashIndex,
  group: number[],
  compare: (one: number, other: number) => number,
): { best: number; others: number[] }[] {
  const choices: { best: number; others: number[] }[] = [];
  let rest = group.toSorted(compare);
  while (rest.length > 0) {
    const [best, ...more] = rest as [number, ...number[]];
    const { true: others = [], false: different = [] } = Object.groupBy(more, (position) =>
      String(index.areWithin(MAX_COPY_DISTANCE, best, position)),
    );
    if (others.length > 0) choices.push({ best, others });
    rest = different;
  }
  return choices;
}

/** Joins images with equal hashes, and returns the first of each: a catalogue may have any number of them. */
function joinEqual(index: HashIndex, groups: Groups): Uint32Array {
  const first = new Map<string, number>();
  for (let position = 0; position < index.size; position++) {
    const hash = index.hashAt(position).join();
    const same = first.get(hash);
    if (same === undefined) first.set(hash, position);
    else groups.join(same, position);
  }
  return Uint32Array.from(first.values());
}

function joinWithinBand(index: HashIndex, positions: Uint32Array, band: number, groups: Groups): void {
  const values = Uint16Array.from(positions, (position) => bandOf(index, position, band));
  const { starts, sorted } = sortByValue(positions, values);
  const joinWith = (position: number, value: number, from: number) => {
    const end = starts[value + 1] as number;
    for (let place = from; place < end; place++) {
      const other = sorted[place] as number;
      if (index.areWithin(MAX_COPY_DISTANCE, position, other)) groups.join(position, other);
    }
  };
  for (let value = 0; value < BAND_VALUES; value++)
    for (let place = starts[value] as number; place < (starts[value + 1] as number); place++) {
      const position = sorted[place] as number;
      joinWith(position, value, place + 1);
      // A neighbour with a smaller value has made the same comparison.
      for (let bit = 0; bit < BAND_BITS; bit++) {
        const neighbour = value | (1 << bit);
        if (neighbour !== value) joinWith(position, neighbour, starts[neighbour] as number);
      }
    }
}

function bandOf(index: HashIndex, position: number, band: number): number {
  const word = index.wordAt(position, band >>> 1);
  return band % 2 === 0 ? word & 0xffff : word >>> 16;
}

/** A counting sort: the positions with a value are those from `starts[value]` up to `starts[value + 1]`. */
function sortByValue(positions: Uint32Array, values: Uint16Array) {
  const starts = new Uint32Array(BAND_VALUES + 1);
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1;
  for (let value = 0; value < BAND_VALUES; value++)
    starts[value + 1] = (starts[value + 1] as number) + (starts[value] as number);
  const next = starts.slice();
  const sorted = new Uint32Array(positions.length);
  for (const [index, value] of values.entries()) {
    sorted[next[value] as number] = positions[index] as number;
    next[value] = (next[value] as number) + 1;
  }
  return { starts, sorted };
}

/** Disjoint sets of positions. */
class Groups {
  /** A chain of parents leads from each position to the smallest one of its group. */
  readonly #parents: Uint32Array;

  constructor(size: number) {
    this.#parents = Uint32Array.from({ length: size }, (_, position) => position);
  }

  join(one: number, other: number): void {
    const [a, b] = [this.#first(one), this.#first(other)];
    this.#parents[Math.max(a, b)] = Math.min(a, b);
  }

  list(): number[][] {
    const groups = Map.groupBy(this.#parents.keys(), (position) => this.#first(position));
    return [...groups.values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  }

  #first(position: number): number {
    let first = position;
    while (this.#parents[first] !== first) {
      // Shortens the chain on the way.
      const next = this.#parents[this.#parents[first] as number] as number;
      this.#parents[first] = next;
      first = next;
    }
    return first;
  }
}
