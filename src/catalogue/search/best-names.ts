/** Finds the names that contain words, the best ones first, and sorts names by their numbers of images. */
import { compareCodePoints } from '../names.ts';
import type { NameList } from './scan.ts';

/** How well a name matches. Lower is better. */
const [EQUAL, STARTS, STARTS_WORDS, CONTAINS] = [0, 1, 2, 3];

/** As of one version of the catalogue, in the order of the names. */
export interface NameSizes {
  version: number;
  /** The numbers of images. */
  sizes: readonly number[];
}

interface Match {
  position: number;
  rank: number;
  images: number;
}

/** Work between two calls of `spend`: a fraction of a millisecond. */
const NAMES_PER_STEP = 1000;
/** In the unit of `spend`, about ten nanoseconds. */
const WORK_PER_WORD = 12;

/**
 * The positions of the best names that contain every word: those that are equal to the words or have such an alias, that start
 * with them, whose words start with them, and all others; of these the ones with more images first, and then in list order.
 * Words are folded. Waits if `spend` returns a promise.
 */
export async function bestNames(
  given: readonly string[],
  { folded, aliases }: NameList,
  { sizes }: NameSizes,
  limit: number,
  spend: (work: number) => Promise<void> | undefined,
): Promise<number[]> {
  const text = given.join(' ');
  // Testing a word again would take as long as the first time.
  const words = [...new Set(given)];
  const aliased = new Set(aliases.get(text));
  const best: Match[] = [];
  for (const [position, name] of folded.entries()) {
    const pause = position % NAMES_PER_STEP === 0 && spend(NAMES_PER_STEP * WORK_PER_WORD * words.length);
    if (pause) await pause;
    const isAliased = aliased.has(position);
    if (!isAliased && !words.every((word) => name.includes(word))) continue;
    const rank = isAliased ? EQUAL : rankOf(name, text, words);
    keepBest(best, { position, rank, images: sizes[position] ?? 0 }, limit);
  }
  return best.map(({ position }) => position);
}

/** Inserts the match where it belongs. They come in list order. */
function keepBest(best: Match[], match: Match, limit: number): void {
  const isBetter = ({ rank, images }: Match) =>
    match.rank < rank || (match.rank === rank && match.images > images);
  const at = best.findIndex(isBetter);
  if (at < 0 && best.length === limit) return;
  best.splice(at < 0 ? best.length : at, 0, match);
  if (best.length > limit) best.pop();
}

function rankOf(name: string, text: string, words: readonly string[]): number {
  if (name === text) return EQUAL as number;
  if (name.startsWith(text)) return STARTS as number;
  return (words.every((word) => hasWordStart(name, word)) ? STARTS_WORDS : CONTAINS) as number;
}

function hasWordStart(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{M}\p{N}]$/u.test(name.slice(Math.max(0, at - 2), at))) return true;
  return false;
}

/** Sorts positions, which are in list order, by the numbers of images: most first. Waits if `spend` returns a promise. */
export async function sortBySize(
  positions: Iterable<number>,
  { sizes }: NameSizes,
  spend: (work: number) => Promise<void> | undefined,
): Promise<number[]> {
  const bySize = new Map<number, number[]>();
  let count = 0;
  for (const position of positions) {
    const pause = count++ % NAMES_PER_STEP === 0 && spend(NAMES_PER_STEP * WORK_PER_WORD);
    if (pause) await pause;
    const size = sizes[position] ?? 0;
    const same = bySize.get(size);
    if (same) same.push(position);
    else bySize.set(size, [position]);
  }
  return [...bySize.keys()].sort((a, b) => b - a).flatMap((size) => bySize.get(size) ?? []);
}

/** The positions of a name in the list, which is sorted. */
export function findEqual(folded: readonly string[], name: string): number[] {
  let [low, high] = [0, folded.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareCodePoints(folded[middle] as string, name) < 0) low = middle + 1;
    else high = middle;
  }
  const positions: number[] = [];
  for (; folded[low] === name; low++) positions.push(low);
  return positions;
}
