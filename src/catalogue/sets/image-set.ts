/**
 * Sets of image numbers in ascending order, with fast access by position and fast membership tests.
 * A sparse set is a sorted list, a dense one is a bitmap over the catalogue: whichever is smaller.
 */
import type { Window } from '../schemas.ts';

export interface ImageSet {
  readonly size: number;
  /** Memory use. */
  readonly bytes: number;
  /** The image at a position; positions count from 0. */
  at(position: number): number;
  has(image: number): boolean;
  each(visit: (image: number) => void): void;
}

/** What filters ask about an image: the shelves that it belongs on, and its size in pixels. */
export interface Placement {
  shelves: number[];
  width: number;
  height: number;
}

export interface Placed extends Placement {
  image: number;
}

const BITS_PER_LIST_ITEM = 32;

/** Whether `size` images out of the numbers 1 to `last` take less memory as a list than as a bitmap. */
export const isSparse = (size: number, last: number) => size * BITS_PER_LIST_ITEM <= last;

/** Every image from 1 to `size`: the whole catalogue while no image has been removed. */
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

  /** `images` must be in ascending order. */
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
    return this.#images[lowerBound(this.#images, image)] === image;
  }

  each(visit: (image: number) => void): void {
    for (const image of this.#images) visit(image);
  }
}

/**
 * The bitmap stores a running count for each block of this many words. `at` searches the counts first, then the words of
 * one block.
 */
const WORDS_PER_BLOCK = 8;

export class BitmapSet implements ImageSet {
  readonly bits: Bits;
  readonly size: number;
  /** The number of images before each block. */
  readonly #countBefore: Uint32Array;

  constructor(bits: Bits) {
    this.bits = bits;
    this.#countBefore = new Uint32Array(Math.ceil(bits.length / WORDS_PER_BLOCK));
    let size = 0;
    for (let word = 0; word < bits.length; word++) {
      if (word % WORDS_PER_BLOCK === 0) this.#countBefore[word / WORDS_PER_BLOCK] = size;
      size += popCount(bits[word] as number);
    }
    this.size = size;
  }

  get bytes(): number {
    return this.bits.byteLength + this.#countBefore.byteLength;
  }

  at(position: number): number {
    // The last block with no more than `position` images before it.
    const block = lowerBound(this.#countBefore, position + 1) - 1;
    let left = position - (this.#countBefore[block] as number);
    let word = block * WORDS_PER_BLOCK;
    for (let count = popCount(this.bits[word] as number); left >= count; ) {
      left -= count;
      count = popCount(this.bits[++word] as number);
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

/** The first position in the ascending `numbers` whose value is at least `number`. */
export function lowerBound(numbers: Uint32Array, number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Builds a set by set operations on others, 32 images at a time. */
export class BitmapBuilder {
  readonly #last: number;
  readonly bits: Bits;

  /** Starts empty, for images up to `last`. */
  constructor(last: number) {
    this.#last = last;
    this.bits = emptyBits(last + 1);
  }

  add(set: ImageSet): void {
    if (set instanceof BitmapSet) addBits(this.bits, set.bits);
    else if (set instanceof RangeSet) setBits(this.bits, 1, set.size);
    else set.each((image) => setBit(this.bits, image));
  }

  /** Removes the images from one number up to another, both multiples of 32, that fail a test. */
  retain(from: number, to: number, test: (image: number) => boolean): void {
    for (let word = from / 32; word < Math.min(to / 32, this.bits.length); word++) {
      let kept = this.bits[word] as number;
      for (let rest = kept; rest !== 0; rest &= rest - 1)
        if (!test(word * 32 + 31 - Math.clz32(rest & -rest))) kept ^= rest & -rest;
      this.bits[word] = kept;
    }
  }

  intersect(other: BitmapBuilder): void {
    intersectBits(this.bits, other.bits);
  }

  subtract(set: ImageSet): void {
    if (set instanceof BitmapSet) subtractBits(this.bits, set.bits);
    else if (set instanceof RangeSet) this.bits.fill(0);
    else set.each((image) => clearBit(this.bits, image));
  }

  build(): ImageSet {
    const set = new BitmapSet(this.bits);
    return isSparse(set.size, this.#last) ? toListSet(set) : set;
  }
}

function toListSet(set: ImageSet): ListSet {
  const images = new Uint32Array(set.size);
  let position = 0;
  set.each((image) => {
    images[position++] = image;
  });
  return new ListSet(images);
}

/** A page of the set: fewer images than `limit` at its end, none past it. */
export function sliceImages(set: ImageSet, { offset, limit }: Window): number[] {
  const count = Math.max(0, Math.min(limit, set.size - offset));
  const images: number[] = [];
  for (let index = 0; index < count; index++) images.push(set.at(offset + index));
  return images;
}

/** Fixed-size bitmaps. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31));
}

export function clearBit(bits: Bits, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] as number) & ~(1 << (index & 31));
}

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

/** Sets every bit from `first` to `last`, both included. */
function setBits(bits: Bits, first: number, last: number): void {
  for (let index = first; index <= last; ) {
    const isWholeWord = index % 32 === 0 && index + 31 <= last;
    if (isWholeWord) bits[index >>> 5] = 0xffffffff;
    else setBit(bits, index);
    index += isWholeWord ? 32 : 1;
  }
}

// Of two bitmaps, the shorter one has no bits beyond its end.

/** Adds the bits of `other` to `bits`, in place. */
export function addBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < Math.min(bits.length, other.length); word++)
    bits[word] = (bits[word] as number) | (other[word] as number);
}

/** Clears the bits that `other` does not have, in place. */
function intersectBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) & (other[word] as number);
}

/** Clears the bits that `other` has, in place. */
function subtractBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < Math.min(bits.length, other.length); word++)
    bits[word] = (bits[word] as number) & ~(other[word] as number);
}

/** A new bitmap with the bits that both have. */
export function commonBits(a: Bits, b: Bits): Bits {
  return a.map((word, index) => word & (b[index] as number));
}

/** The number of bits set in a 32-bit word. */
export function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (const word of bits) count += popCount(word);
  return count;
}

/** Visits the bits that are set, in ascending order. */
export function forEachBit(bits: Bits, visit: (index: number) => void): void {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1)
      visit(word * 32 + 31 - Math.clz32(rest & -rest));
  }
}

// The width and height of every image in memory. Filters by size ask this: there are too many sizes to keep a shelf for each.

export type SizeTest = (width: number, height: number) => boolean;

/** Images whose size could not be read have no pixels, and pass no test. */
export const hasSize = (test: SizeTest, width: number, height: number): boolean =>
  width > 0 && test(width, height);

/** The width and height of each image up to a number, one after the other. Images that do not exist have no pixels. */
export class ImageSizes {
  readonly words: Uint32Array;

  constructor(last: number) {
    this.words = new Uint32Array(2 * (last + 1));
  }

  passes(test: SizeTest, image: number): boolean {
    return hasSize(test, this.words[2 * image] as number, this.words[2 * image + 1] as number);
  }
}

/** What a selection demands of each image, in memory: to be in a set of every choice, in no excluded one, and of the right size. */
export interface Demands {
  /** The smallest choice first. */
  choices: ImageSet[][];
  excluded: ImageSet[];
  /** What it must not meet. */
  except?: Demands | undefined;
  sizes: ImageSizes | undefined;
  tests: SizeTest[];
}

export function meets({ choices, excluded, except, sizes, tests }: Demands, image: number): boolean {
  const isIn = (set: ImageSet) => set.has(image);
  return (
    choices.every((sets) => sets.some(isIn)) &&
    !excluded.some(isIn) &&
    tests.every((test) => sizes?.passes(test, image) === true) &&
    !(except && meets(except, image))
  );
}

/** The image at a position of the row that the sets of a choice make; undefined if an earlier set has it, too. */
export function imageInRow(sets: readonly ImageSet[], position: number): number | undefined {
  let index = 0;
  let left = position;
  for (; left >= (sets[index] as ImageSet).size; index++) left -= (sets[index] as ImageSet).size;
  const image = (sets[index] as ImageSet).at(left);
  return sets.findIndex((set) => set.has(image)) === index ? image : undefined;
}
