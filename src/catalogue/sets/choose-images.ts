/** Chooses images of an ordered list: random ones, or a page of the newest. */
import type { RandomInt } from '../../lib/random.ts';
import type { ImageSet } from './image-set.ts';

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

/** Images in ascending order of their numbers. An ImageSet is one, and so is a shelf. */
interface OrderedImages {
  readonly size: number;
  at(position: number): number;
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
export function newestBelow(images: OrderedImages, below: number | undefined, limit: number): NewestPage {
  const end = below === undefined ? images.size : countBelow(images, below);
  const start = Math.max(0, end - limit);
  const numbers: number[] = [];
  for (let position = end - 1; position >= start; position--) numbers.push(images.at(position));
  return { numbers, next: start > 0 ? numbers.at(-1) : undefined };
}

/** By binary search. */
function countBelow(images: OrderedImages, number: number): number {
  let [low, high] = [0, images.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (images.at(middle) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
