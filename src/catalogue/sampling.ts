/** Drawing without repeats: every choice of positions, in every order, is equally likely. */
import type { Chance } from '../model.ts';

/**
 * The positions below `size` in random order, drawn one at a time. This is the Fisher-Yates shuffle with only the
 * moved entries kept, so that the first ten of a million cost ten steps.
 */
export function* shuffledPositions(size: number, chance: Chance): Generator<number, void> {
  const moved = new Map<number, number>();
  for (let first = 0; first < size; first++) {
    const chosen = first + chance(size - first);
    yield moved.get(chosen) ?? chosen;
    moved.set(chosen, moved.get(first) ?? first);
    moved.delete(first);
  }
}

export function sample<T>(items: readonly T[], count: number, chance: Chance): T[] {
  return shuffledPositions(items.length, chance)
    .take(count)
    .map((position) => items[position] as T)
    .toArray();
}
