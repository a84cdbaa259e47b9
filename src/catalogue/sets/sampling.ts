/** Sampling without replacement: every selection of positions, in every order, is equally likely. */
import type { RandomInt } from '../../lib/random.ts';
import type { ImageSet } from './image-set.ts';

/**
 * The positions below `size` in random order, one at a time. This is a lazy Fisher-Yates shuffle that stores only the
 * entries that were swapped: the first ten of a million take ten steps.
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
