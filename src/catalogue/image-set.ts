/**
 * Sets of images by their numbers, in ascending order, for two questions: which one is at a position, and is one among them.
 * A few are a list, many are a bit for each image of the catalogue: whichever is smaller.
 */

import {
  addBits,
  type Bits,
  clearBit,
  countBits,
  dropBits,
  emptyBits,
  forEachBit,
  hasBit,
  keepBits,
  setBit,
  setBits,
} from './bits.ts';
import type { Window } from './types.ts';

export interface ImageSet {
  readonly size: number;
  /** How much memory it takes. */
  readonly bytes: number;
  at(position: number): number;
  has(image: number): boolean;
  each(visit: (image: number) => void): void;
}

/** A number in a list takes as much as so many bits. */
const BITS_IN_A_NUMBER = 32;

/** Whether so many images of all up to `last` are better kept as a list. */
export const isSparse = (size: number, last: number) => size * BITS_IN_A_NUMBER <= last;

/** Every image from 1 to `size`, as long as none was removed. */
export class RangeSet implements ImageSet {
  readonly size: number;
  readonly bytes = 0;

  constructor(size: number) {
    this.size = size;
  }

  at(position: number): number {
    return position + 1;
  }

  has(image: number): boolean {
    return image > 0 && image <= this.size;
  }

  each(visit: (image: number) => void): void {
    for (let image = 1; image <= this.size; image++) visit(image);
  }
}

export class ListSet implements ImageSet {
  readonly #images: Uint32Array;

  /** In ascending order. */
  constructor(images: Uint32Array) {
    this.#images = images;
  }

  get size(): number {
    return this.#images.length;
  }

  get bytes(): number {
    return this.#images.byteLength;
  }

  at(position: number): number {
    return this.#images[position] as number;
  }

  has(image: number): boolean {
    return this.#images[positionIn(this.#images, image)] === image;
  }

  each(visit: (image: number) => void): void {
    for (const image of this.#images) visit(image);
  }
}

/** Words whose bits are counted together: a position is found by the counts before these, and then within one of them. */
const WORDS_IN_A_BLOCK = 8;

export class BitmapSet implements ImageSet {
  readonly bits: Bits;
  readonly size: number;
  /** How many images come before each block. */
  readonly #before: Uint32Array;

  constructor(bits: Bits) {
    this.bits = bits;
    this.#before = new Uint32Array(Math.ceil(bits.length / WORDS_IN_A_BLOCK));
    let size = 0;
    for (let word = 0; word < bits.length; word++) {
      if (word % WORDS_IN_A_BLOCK === 0) this.#before[word / WORDS_IN_A_BLOCK] = size;
      size += countBits(bits[word] as number);
    }
    this.size = size;
  }

  get bytes(): number {
    return this.bits.byteLength + this.#before.byteLength;
  }

  at(position: number): number {
    // The last block with no more than `position` images before it.
    const block = positionIn(this.#before, position + 1) - 1;
    let left = position - (this.#before[block] as number);
    let word = block * WORDS_IN_A_BLOCK;
    for (let count = countBits(this.bits[word] as number); left >= count; ) {
      left -= count;
      count = countBits(this.bits[++word] as number);
    }
    let rest = this.bits[word] as number;
    for (; left > 0; left--) rest &= rest - 1;
    return word * 32 + 31 - Math.clz32(rest & -rest);
  }

  has(image: number): boolean {
    return image >>> 5 < this.bits.length && hasBit(this.bits, image);
  }

  each(visit: (image: number) => void): void {
    forEachBit(this.bits, visit);
  }
}

/** The first position in ascending numbers at which one stands that is not below `number`. */
function positionIn(numbers: Uint32Array, number: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Those of a few images that are in one set of each choice, and in none of the others: looked at one by one. */
export function picked(
  first: readonly ImageSet[],
  choices: readonly (readonly ImageSet[])[],
  none: readonly ImageSet[],
): ImageSet {
  const isWanted = (image: number) =>
    choices.every((sets) => sets.some((set) => set.has(image))) && !none.some((set) => set.has(image));
  return new ListSet(union(first).filter(isWanted));
}

/** In ascending order, each once. */
function union(sets: readonly ImageSet[]): Uint32Array {
  const images: number[] = [];
  for (const set of sets) set.each((image) => images.push(image));
  if (sets.length === 1) return Uint32Array.from(images);
  const sorted = Uint32Array.from(images).sort();
  return sorted.filter((image, index) => image !== sorted[index - 1]);
}

/** A set that is put together from others, one after the other, 32 images at a time. */
export class BitmapBuilder {
  readonly #last: number;
  readonly #bits: Bits;

  /** Of images up to `last`; none of them at first. */
  constructor(last: number) {
    this.#last = last;
    this.#bits = emptyBits(last + 1);
  }

  add(set: ImageSet): void {
    if (set instanceof BitmapSet) addBits(this.#bits, set.bits);
    else if (set instanceof RangeSet) setBits(this.#bits, 1, set.size);
    else set.each((image) => setBit(this.#bits, image));
  }

  /** Leaves what the other has too. */
  keep(other: BitmapBuilder): void {
    keepBits(this.#bits, other.#bits);
  }

  drop(set: ImageSet): void {
    if (set instanceof BitmapSet) dropBits(this.#bits, set.bits);
    else if (set instanceof RangeSet) this.#bits.fill(0);
    else set.each((image) => clearBit(this.#bits, image));
  }

  done(): ImageSet {
    const set = new BitmapSet(this.#bits);
    return isSparse(set.size, this.#last) ? listed(set) : set;
  }
}

function listed(set: ImageSet): ListSet {
  const images = new Uint32Array(set.size);
  let position = 0;
  set.each((image) => {
    images[position++] = image;
  });
  return new ListSet(images);
}

/** The images from one position on, so many of them as there are. */
export function imagesFrom(set: ImageSet, { offset, limit }: Window): number[] {
  const count = Math.max(0, Math.min(limit, set.size - offset));
  return Array.from({ length: count }, (_, index) => set.at(offset + index));
}
