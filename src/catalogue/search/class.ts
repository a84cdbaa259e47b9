/**
 * Character classes: `[abc]`, `[^a-z]`, `[[:digit:]]`.
 *
 *     class = "[" ["^"] ["]"] {cp | cp-cp | "[:name:]" | "\" cp} "]"
 *
 * A class is asked about folded characters, and holds one when it holds any character that folds to it.
 */
import { charactersFoldingTo } from '../fold.ts';
import { type Cursor, PatternError } from './reader.ts';

/** Decides whether a folded character belongs. */
export type CharacterTest = (character: string) => boolean;

/** The POSIX classes as fixed sets of Unicode; of upper and lower case nothing is left after folding. */
const named: Record<string, RegExp> = {
  alnum: /[\p{Alphabetic}\p{Nd}]/u,
  alpha: /\p{Alphabetic}/u,
  blank: /[\t\p{Zs}]/u,
  cntrl: /\p{Cc}/u,
  digit: /\p{Nd}/u,
  graph: /[^\p{White_Space}\p{Cc}\p{Cs}\p{Cn}]/u,
  lower: /\p{Cased}/u,
  print: /[^\p{Cc}\p{Cs}\p{Cn}]/u,
  punct: /[\p{P}\p{S}]/u,
  space: /\p{White_Space}/u,
  upper: /\p{Cased}/u,
  xdigit: /[0-9a-fA-F]/,
};

interface Range {
  first: number;
  last: number;
}

/** Reads on behind the "[" at `start`. */
export function readClass(cursor: Cursor, start: number): CharacterTest {
  const isNegated = cursor.takeIf('^');
  const ranges: Range[] = [];
  const sets: RegExp[] = [];
  for (let isFirst = true; isFirst || cursor.next !== ']'; isFirst = false) {
    if (cursor.next === undefined) throw new PatternError('"[" is never closed', start);
    const set = readNamed(cursor);
    if (set) sets.push(set);
    else ranges.push(readRange(cursor, isFirst, start));
  }
  cursor.take();
  const holds = (character: string) => {
    const code = character.codePointAt(0) as number;
    return (
      ranges.some(({ first, last }) => first <= code && code <= last) ||
      sets.some((set) => set.test(character))
    );
  };
  return (character) => charactersFoldingTo(character).some(holds) !== isNegated;
}

function isNamed({ next, afterNext }: Cursor): boolean {
  return next === '[' && (afterNext === ':' || afterNext === '.' || afterNext === '=');
}

/** `[:digit:]` inside of a class. */
function readNamed(cursor: Cursor): RegExp | undefined {
  if (!isNamed(cursor)) return undefined;
  const start = cursor.position;
  cursor.take();
  const kind = cursor.take();
  let name = '';
  while (cursor.next !== undefined && !(cursor.next === kind && cursor.afterNext === ']'))
    name += cursor.take();
  if (cursor.next === undefined) throw new PatternError(`"[${kind}" is never closed`, start);
  cursor.take();
  cursor.take();
  if (kind === ':' && Object.hasOwn(named, name)) return named[name];
  throw new PatternError(`there is no class [${kind}${name}${kind}]`, start);
}

/** One character, or all from one to another. */
function readRange(cursor: Cursor, isFirst: boolean, start: number): Range {
  const at = cursor.position;
  const isHyphen = cursor.next === '-';
  const first = readMember(cursor, start);
  const isLast = cursor.next === ']' || cursor.next === undefined;
  // "-" stands for itself first and last; anywhere else it has to stand between the two ends of a range.
  if (isHyphen && !isFirst && !isLast) throw new PatternError('"-" without a character before it', at);
  if (cursor.next !== '-' || cursor.afterNext === ']') return { first, last: first };
  cursor.take();
  if (isNamed(cursor)) throw cursor.error('a class cannot end a range');
  const last = readMember(cursor, start);
  if (first > last) throw new PatternError('the range runs backwards', at);
  return { first, last };
}

function readMember(cursor: Cursor, start: number): number {
  const at = cursor.position;
  if (cursor.next === undefined) throw new PatternError('"[" is never closed', start);
  const character = cursor.take();
  return (character === '\\' ? cursor.takeEscaped(at) : character).codePointAt(0) as number;
}
