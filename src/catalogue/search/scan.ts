/** Finds the names that match a pattern. The scan counts its work, and gives up when it has used its budget. */
import { Unavailable } from '../../lib/metrics.ts';
import type { Kind } from '../schemas.ts';
import { Automaton } from './automaton.ts';
import type { Node } from './pattern.ts';
import { buildPositions } from './positions.ts';
import { minLength, requiredLiterals, splitAtWildcards, trim } from './shape.ts';

/** The folded names of a kind, in the order of its list, as of one version of the catalogue. */
export interface NameList {
  kind: Kind;
  version: number;
  folded: readonly string[];
  /** The positions of the entries with an alias, by the folded alias. */
  aliases: ReadonlyMap<string, readonly number[]>;
}

/** The search is valid, but takes too long with so many names or images. */
export class SearchTooLong extends Unavailable {
  override readonly advice =
    'This search takes too long in so large a catalogue: use rarer words, or a simpler pattern.';
  override readonly retryAfter = '60';
}

/** A fraction of a second. Work is counted, not timed: the same search has the same result on a busy machine. */
const MAX_WORK = 15_000_000;
/** Work between two calls of `spend`: a fraction of a millisecond. */
const WORK_PER_STEP = 20_000;
/** The fixed cost of a name, in the unit of the matcher's work. */
const WORK_PER_NAME = 8;
/** In code points. */
const MAX_NAME_LENGTH = 255;
/** Searching a name for literals is faster than running the automaton. */
const CHARACTERS_PER_WORK = 4;

/**
 * The positions of the matching names, in list order. Calls `spend` with the work done since the last call, and waits if it
 * returns a promise. Throws PatternError if the pattern is too large, and SearchTooLong.
 */
export async function scan(
  pattern: Node,
  names: NameList,
  spend: (work: number) => Promise<void> | undefined,
): Promise<number[]> {
  const matcher = compile(pattern);
  const found: number[] = [];
  const byAlias = new Set(findAliased(pattern, names));
  let spent = 0;
  for (const [position, name] of names.folded.entries()) {
    if (matcher.matches(name) || byAlias.has(position)) found.push(position);
    const work = matcher.work - spent;
    if (work < WORK_PER_STEP) continue;
    if (matcher.work > MAX_WORK) throw new SearchTooLong();
    spent = matcher.work;
    const pause = spend(work);
    if (pause) await pause;
  }
  return found;
}

/** A pattern without operators also finds the entries that were called so. */
function findAliased(pattern: Node, { aliases }: NameList): readonly number[] {
  const [text, ...more] = splitAtWildcards(pattern) ?? [];
  return text === undefined || more.length > 0 ? [] : (aliases.get(text) ?? []);
}

interface Matcher {
  /** Work done so far. One unit is a transition of the automaton, about ten nanoseconds. */
  readonly work: number;
  matches(name: string): boolean;
}

/**
 * Most patterns consist of literals and "%" only, and need no automaton. For the others, it runs only on names that contain
 * the pattern's literals.
 */
export function compile(pattern: Node, maxLength = MAX_NAME_LENGTH): Matcher {
  const trimmed = trim(pattern, maxLength);
  const texts = splitAtWildcards(trimmed);
  let work = 0;
  const countName = (name: string) => {
    work += WORK_PER_NAME + name.length / CHARACTERS_PER_WORK;
  };
  if (texts) {
    const [first = '', ...middle] = texts;
    const last = middle.pop();
    return {
      get work() {
        return work;
      },
      matches(name) {
        countName(name);
        if (last === undefined) return name === first;
        if (!name.startsWith(first) || !name.endsWith(last)) return false;
        const end = indexAfter(name, middle, first.length);
        return end >= 0 && end + last.length <= name.length;
      },
    };
  }
  const automaton = new Automaton(buildPositions(trimmed));
  const minimum = minLength(trimmed);
  const literals = requiredLiterals(trimmed);
  return {
    get work() {
      return work + automaton.work;
    },
    matches(name) {
      countName(name);
      return name.length >= minimum && indexAfter(name, literals, 0) >= 0 && automaton.matches(name);
    },
  };
}

/** Where the last of the literals ends, if all of them come one after the other from the index on; -1 if not. */
function indexAfter(name: string, literals: readonly string[], from: number): number {
  let end = from;
  for (const literal of literals) {
    const index = name.indexOf(literal, end);
    if (index < 0) return -1;
    end = index + literal.length;
  }
  return end;
}
