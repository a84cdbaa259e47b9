/**
 * Reads a pattern one character at a time, and the character classes in it: `[abc]`, `[^a-z]`, `[[:digit:]]`.
 *
 *     class = "[" ["^"] ["]"] {cp | cp-cp | "[:name:]" | "\" cp} "]"
 *
 * Names are folded before they are matched, so a folded character is in the class when any character that folds to it is.
 */
import { charactersFoldingTo } from './fold.ts';

/** A malformed pattern. The message is shown to API users: what is wrong, and at which character, counted from 1. */
export class PatternError extends Error {
  /** `position` counts code points from 0. Without it, the pattern as a whole is wrong. */
  constructor(problem: string, position?: number) {
    super(position === undefined ? problem : `${problem} at character ${position + 1}`);
  }
}

export class PatternReader {
  readonly #characters: string[];
  position = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
    const nul = this.#characters.indexOf('\0');
    if (nul !== -1) throw new PatternError('NUL is not allowed', nul);
  }

  get next(): string | undefined {
    return this.#characters[this.position];
  }

  get afterNext(): string | undefined {
    return this.#characters[this.position + 1];
  }

  /** Call it only when `next` is defined. */
  take(): string {
    return this.#characters[this.position++] as string;
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false;
    this.position++;
    return true;
  }

  /** The character after the backslash at `start`, which is always literal. */
  takeEscaped(start: number): string {
    if (this.next === undefined) throw new PatternError('incomplete escape', start);
    return this.take();
  }

  error(problem: string): PatternError {
    return new PatternError(problem, this.position);
  }
}

/** Whether a folded character matches. */
export type CharacterTest = (character: string) => boolean;

/** The POSIX classes as Unicode sets, independent of the locale. Case is ignored, so `lower` and `upper` are equal. */
const namedClasses: Record<string, RegExp> = {
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

/** Reads the rest of a class whose "[" is at `start`. */
export function readClass(reader: PatternReader, start: number): CharacterTest {
  const isNegated = reader.takeIf('^');
  const ranges: Range[] = [];
  const classes: RegExp[] = [];
  for (let isFirst = true; isFirst || reader.next !== ']'; isFirst = false) {
    if (reader.next === undefined) throw new PatternError('unterminated character class', start);
    const namedClass = readNamedClass(reader);
    if (namedClass) classes.push(namedClass);
    else ranges.push(readRange(reader, isFirst, start));
  }
  reader.take();
  const isMember = (character: string) => {
    const code = character.codePointAt(0) as number;
    return (
      ranges.some(({ first, last }) => first <= code && code <= last) ||
      classes.some((namedClass) => namedClass.test(character))
    );
  };
  return (character) => charactersFoldingTo(character).some(isMember) !== isNegated;
}

function startsNamedClass({ next, afterNext }: PatternReader): boolean {
  return next === '[' && (afterNext === ':' || afterNext === '.' || afterNext === '=');
}

/** Reads `[:digit:]` inside of a class, if there is one. */
function readNamedClass(reader: PatternReader): RegExp | undefined {
  if (!startsNamedClass(reader)) return undefined;
  const start = reader.position;
  reader.take();
  const kind = reader.take();
  let name = '';
  while (reader.next !== undefined && !(reader.next === kind && reader.afterNext === ']'))
    name += reader.take();
  if (reader.next === undefined) throw new PatternError(`unterminated "[${kind}"`, start);
  reader.take();
  reader.take();
  if (kind === ':' && Object.hasOwn(namedClasses, name)) return namedClasses[name];
  throw new PatternError(`unknown class [${kind}${name}${kind}]`, start);
}

/** Reads a single character or a range such as `a-z`. */
function readRange(reader: PatternReader, isFirst: boolean, start: number): Range {
  const memberStart = reader.position;
  const isHyphen = reader.next === '-';
  const first = readMember(reader, start);
  const isLast = reader.next === ']' || reader.next === undefined;
  // "-" is an ordinary character at the start and at the end of a class.
  if (isHyphen && !isFirst && !isLast) throw new PatternError('range without a start', memberStart);
  if (reader.next !== '-' || reader.afterNext === ']') return { first, last: first };
  reader.take();
  if (startsNamedClass(reader)) throw reader.error('a named class cannot end a range');
  const last = readMember(reader, start);
  if (first > last) throw new PatternError('range out of order', memberStart);
  return { first, last };
}

function readMember(reader: PatternReader, start: number): number {
  const memberStart = reader.position;
  if (reader.next === undefined) throw new PatternError('unterminated character class', start);
  const character = reader.take();
  return (character === '\\' ? reader.takeEscaped(memberStart) : character).codePointAt(0) as number;
}
