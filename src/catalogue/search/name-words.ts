/** The names and aliases of a kind by their words: finds those that have a phrase, the best ones for a list, and near spellings. */
import { editDistance } from '../../lib/text.ts';
import { fold } from '../names.ts';
import { foldText, type Phrase, splitWords } from './words.ts';

/** Records work, in units of about ten nanoseconds. Returns a promise to wait for if others have their turn. */
type Spend = (work: number) => Promise<void> | undefined;

/** How many images entries have, in the order of their list. */
type Sizes = readonly { size: number }[];

/** How well a name matches. Lower is better. */
const [EQUAL, STARTS, STARTS_WORDS, CONTAINS] = [0, 1, 2, 3];

interface Match {
  position: number;
  rank: number;
  images: number;
}

/** A word or a name that somebody may have meant. */
export interface NearText {
  text: string;
  distance: number;
}

/** Work between two calls of `spend`: a fraction of a millisecond. */
const NAMES_PER_STEP = 1000;
const WORK_PER_NAME = 12;
const CHARACTERS_PER_WORK = 10;

export class NameWords {
  readonly version: number;
  /** A line for each name and each alias, ` like this `, so that a native search finds where words begin and end. */
  readonly #text: string;
  /** Where each line starts, and the position of its entry in the list of the kind. */
  readonly #starts: Uint32Array;
  readonly #positions: Uint32Array;

  /** `lines` are made by `toLine`. */
  constructor(version: number, lines: readonly string[], positions: readonly number[]) {
    this.version = version;
    this.#text = lines.join('');
    this.#positions = Uint32Array.from(positions);
    this.#starts = new Uint32Array(lines.length + 1);
    for (const [index, line] of lines.entries())
      this.#starts[index + 1] = (this.#starts[index] as number) + line.length;
  }

  /** What a search takes at least, in the unit of `spend`. */
  get work(): number {
    return this.#text.length / CHARACTERS_PER_WORK;
  }

  /** The positions of the entries with a phrase in a name, at most `limit`, in list order. */
  find({ words, isBegun }: Phrase, limit: number): number[] {
    const found = new Set<number>();
    for (const line of this.#linesWith(` ${words.join(' ')}${isBegun ? '' : ' '}`)) {
      found.add(this.#positions[line] as number);
      if (found.size === limit) break;
    }
    return [...found].sort((a, b) => a - b);
  }

  /**
   * The positions of the best entries with a name that contains every phrase: those that are equal, those that start with them, those
   * whose words start with them, and all others; of these the ones with more images first, and then in list order.
   */
  async best(phrases: readonly Phrase[], sizes: Sizes, limit: number, spend: Spend): Promise<number[]> {
    // Testing a phrase again would take as long as the first time.
    const parts = [...new Set(phrases.map(({ words }) => words.join(' ')))];
    const whole = ` ${phrases.map(({ words }) => words.join(' ')).join(' ')}`;
    const [longest = '', ...others] = parts.toSorted((a, b) => b.length - a.length);
    const ranks = new Map<number, number>();
    let lines = 0;
    for (const line of this.#linesWith(longest)) {
      const pause = lines++ % NAMES_PER_STEP === 0 && spend(NAMES_PER_STEP * WORK_PER_NAME * parts.length);
      if (pause) await pause;
      const text = this.#text.slice(this.#starts[line], this.#starts[line + 1]);
      if (!others.every((part) => text.includes(part))) continue;
      const position = this.#positions[line] as number;
      ranks.set(position, Math.min(ranks.get(position) ?? (CONTAINS as number), rankOf(text, whole, parts)));
    }
    const best: Match[] = [];
    for (const [position, rank] of ranks)
      keepBest(best, { position, rank, images: sizes[position]?.size ?? 0 }, limit);
    return best.map(({ position }) => position);
  }

  /** Words of names, or whole names if the text has several words, that are spelt nearly like it. */
  async near(text: string, maxDistance: number, spend: Spend): Promise<NearText[]> {
    const near = new Map<string, NearText>();
    const isLong = text.includes(' ');
    for (let line = 0; line < this.#positions.length; line++) {
      const pause = line % NAMES_PER_STEP === 0 && spend(NAMES_PER_STEP * WORK_PER_NAME);
      if (pause) await pause;
      const name = this.#text.slice(
        (this.#starts[line] as number) + 1,
        (this.#starts[line + 1] as number) - 1,
      );
      for (const candidate of isLong ? [name] : name.split(' ')) {
        const found = nearText(text, candidate, maxDistance);
        if (found) near.set(candidate, found);
      }
    }
    return [...near.values()];
  }

  /** The lines that contain a text, each once. */
  *#linesWith(text: string): Generator<number, void> {
    for (let at = this.#text.indexOf(text), line = 0; at >= 0; ) {
      line = this.#lineAt(at, line);
      yield line++;
      at = this.#text.indexOf(text, this.#starts[line]);
    }
  }

  #lineAt(at: number, from: number): number {
    let [low, high] = [from, this.#positions.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Inserts the match where it belongs. */
function keepBest(best: Match[], match: Match, limit: number): void {
  const order = (other: Match) =>
    match.rank - other.rank || other.images - match.images || match.position - other.position;
  const at = best.findIndex((other) => order(other) < 0);
  if (at < 0 && best.length === limit) return;
  best.splice(at < 0 ? best.length : at, 0, match);
  if (best.length > limit) best.pop();
}

function rankOf(line: string, whole: string, parts: readonly string[]): number {
  if (line === `${whole} `) return EQUAL as number;
  if (line.startsWith(whole)) return STARTS as number;
  return (parts.every((part) => line.includes(` ${part}`)) ? STARTS_WORDS : CONTAINS) as number;
}

/** Undefined if it is spelt in another way altogether. */
export function nearText(text: string, candidate: string, maxDistance: number): NearText | undefined {
  if (Math.abs(candidate.length - text.length) > maxDistance) return undefined;
  // Few people misspell both ends of a word, and comparing all would take long.
  if (candidate[0] !== text[0] && candidate.at(-1) !== text.at(-1)) return undefined;
  const distance = editDistance([...text], [...candidate], maxDistance);
  return distance <= maxDistance ? { text: candidate, distance } : undefined;
}

/** Of a name without letters and digits, all of it is a word. */
export function toLine(name: string): string {
  const words = splitWords(name);
  return ` ${words.length > 0 ? words.join(' ') : foldText(name)} `;
}

/** Sorts positions, which are in list order, by the numbers of images: most first. Waits if `spend` returns a promise. */
export async function sortBySize(positions: Iterable<number>, sizes: Sizes, spend: Spend): Promise<number[]> {
  const bySize = new Map<number, number[]>();
  let count = 0;
  for (const position of positions) {
    const pause = count++ % NAMES_PER_STEP === 0 && spend(NAMES_PER_STEP * WORK_PER_NAME);
    if (pause) await pause;
    const size = sizes[position]?.size ?? 0;
    const same = bySize.get(size);
    if (same) same.push(position);
    else bySize.set(size, [position]);
  }
  return [...bySize.keys()].sort((a, b) => b - a).flatMap((size) => bySize.get(size) ?? []);
}

// Names that someone may have meant. Pure.

const MAX_SUGGESTIONS = 3;

/** Those that differ from the name by a third of its characters at most, or contain it; the nearest first. */
export function nearNames(name: string, names: Iterable<string>): string[] {
  const wanted = [...fold(name)];
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3));
  const near: { name: string; distance: number }[] = [];
  for (const candidate of names) {
    const folded = fold(candidate);
    const distance = editDistance(wanted, [...folded], maxDistance);
    if (distance <= maxDistance) near.push({ name: candidate, distance });
    else if (folded.includes(fold(name))) near.push({ name: candidate, distance: maxDistance + 1 });
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}
