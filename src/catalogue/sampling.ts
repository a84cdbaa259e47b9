/** Drawing without repeats: every choice of positions, in every order, is equally likely. */
import type { RandomInt } from '../random.ts';
import type { ImageSet } from './image-set.ts';

/**
 * The positions below `size` in random order, drawn one at a time. This is the Fisher-Yates shuffle with only the
 * moved entries kept, so that the first ten of a million cost ten steps.
 */
export function* shuffledPositions(size: number, randomInt: RandomInt): Generator<number, void> {
  const moved = new Map<number, number>();
  for (let first = 0; first < size; first++) {
    const chosen = first + randomInt(size - first);
    yield moved.get(chosen) ?? chosen;
    moved.set(chosen, moved.get(first) ?? first);
    moved.delete(first);
  }
}

/** Some of the positions below `size`, all of them where there are no more. */
export function drawPositions(size: number, count: number, randomInt: RandomInt): number[] {
  // Of many, few are found quickest by drawing again what was drawn already.
  if (count * 4 > size) return shuffledPositions(size, randomInt).take(count).toArray();
  const positions: number[] = [];
  while (positions.length < count) {
    const position = randomInt(size);
    if (!positions.includes(position)) positions.push(position);
  }
  return positions;
}

/** Some of a set's images. */
export function sample(set: ImageSet, count: number, randomInt: RandomInt): number[] {
  return drawPositions(set.size, count, randomInt).map((position) => set.at(position));
}
