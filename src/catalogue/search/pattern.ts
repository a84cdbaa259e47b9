/** The pattern language of `search`: from a text to a tree, and what a tree says about the names that match. */
import { charactersFoldingTo, fold } from '../names.ts';

// Reads a pattern one character at a time, and the character classes in it: `[abc]`, `[^a-z]`, `[[:digit:]]`.
//
//     class = "[" ["^"] ["]"] {cp | cp-cp | "[:name:]" | "\" cp} "]"
//
// Names are folded before they are matched, so a folded character is in the class when any character that folds to it is.

/** A malformed pattern. The message is shown to API users: what is wrong, and at which character, counted from 1. */
export class PatternError extends Error {
  /** `position` counts code points from 0. Without it, the pattern as a whole is wrong. */
  constructor(problem: string, position?: number) {
    super(position === undefined ? problem : `${problem} at character ${position + 1}`);
  }
}

class PatternReader {
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
function readClass(reader: PatternReader, start: number): CharacterTest {
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

// Parses the pattern language of `search`: PostgreSQL's `SIMILAR TO`, with the exceptions listed in docs/search.md.
//
//     alt   = seq {"|" seq}          seq = {piece}        piece = atom [quant ["?"]]
//     atom  = "%" | "_" | "(" alt ")" | class | "\" any | char
//     quant = "*" | "+" | "?" | "{" m ["," [n]] "}"       "{" is literal unless a digit follows
//
// Characters are code points. The tree matches folded text (names.ts).

export type Node =
  /** Exactly this character. */
  | { type: 'character'; character: string }
  /** Any character that passes the test. */
  | { type: 'test'; test: CharacterTest }
  | { type: 'sequence'; parts: Node[] }
  | { type: 'choice'; options: Node[] }
  /** `max` may be infinite. */
  | { type: 'repeat'; part: Node; min: number; max: number };

/** The same limit as in PostgreSQL. */
const MAX_REPEATS = 255;

/** The test of "_" and "%". */
export const isAny: CharacterTest = () => true;
const anyCharacter: Node = { type: 'test', test: isAny };
const anything: Node = { type: 'repeat', part: anyCharacter, min: 0, max: Number.POSITIVE_INFINITY };

export function parsePattern(pattern: string): Node {
  const reader = new PatternReader(pattern);
  const node = readChoice(reader);
  if (reader.next === ')') throw reader.error('unmatched ")"');
  return node;
}

function readChoice(reader: PatternReader): Node {
  const options = [readSequence(reader)];
  while (reader.takeIf('|')) options.push(readSequence(reader));
  return options.length === 1 ? (options[0] as Node) : { type: 'choice', options };
}

function readSequence(reader: PatternReader): Node {
  const parts: Node[] = [];
  while (reader.next !== undefined && reader.next !== '|' && reader.next !== ')')
    parts.push(readPiece(reader));
  return parts.length === 1 ? (parts[0] as Node) : { type: 'sequence', parts };
}

function readPiece(reader: PatternReader): Node {
  if (isQuantifier(reader)) throw reader.error(`nothing to repeat before "${reader.next}"`);
  const start = reader.next;
  const part = readAtom(reader);
  if (!isQuantifier(reader)) return part;
  // In PostgreSQL "%?" is a lazy "%". Any other repetition of "%" matches the same as "%".
  const isLazy = start === '%' && reader.next === '?';
  const { min, max } = readQuantifier(reader);
  // A "?" after a quantifier makes it lazy, which does not change whether the whole name matches.
  if (!isLazy) reader.takeIf('?');
  if (isQuantifier(reader)) throw reader.error(`unexpected second quantifier "${reader.next}"`);
  return start === '%' ? anything : { type: 'repeat', part, min, max };
}

function readAtom(reader: PatternReader): Node {
  const start = reader.position;
  const character = reader.take();
  switch (character) {
    case '%':
      return anything;
    case '_':
      return anyCharacter;
    case '[':
      return { type: 'test', test: readClass(reader, start) };
    case '(': {
      const inner = readChoice(reader);
      if (!reader.takeIf(')')) throw new PatternError('unterminated group', start);
      return inner;
    }
    case '\\':
      return { type: 'character', character: fold(reader.takeEscaped(start)) };
    default:
      return { type: 'character', character: fold(character) };
  }
}

function isQuantifier({ next, afterNext }: PatternReader): boolean {
  if (next === '{') return afterNext !== undefined && isDigit(afterNext);
  return next === '*' || next === '+' || next === '?';
}

function readQuantifier(reader: PatternReader): { min: number; max: number } {
  const start = reader.position;
  switch (reader.take()) {
    case '*':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case '+':
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case '?':
      return { min: 0, max: 1 };
    default:
      return readCounts(reader, start);
  }
}

function readCounts(reader: PatternReader, start: number): { min: number; max: number } {
  const min = readCount(reader);
  let max = min;
  if (reader.takeIf(',')) max = reader.next === '}' ? Number.POSITIVE_INFINITY : readCount(reader);
  if (!reader.takeIf('}')) throw new PatternError('malformed repetition (use {2}, {2,} or {2,4})', start);
  if (min > max) throw new PatternError(`minimum exceeds maximum in {${min},${max}}`, start);
  return { min, max };
}

function readCount(reader: PatternReader): number {
  const start = reader.position;
  let digits = '';
  while (reader.next !== undefined && isDigit(reader.next)) digits += reader.take();
  if (digits === '') throw reader.error('expected a number');
  const count = Number(digits);
  if (count > MAX_REPEATS) throw new PatternError(`repetition count above ${MAX_REPEATS}`, start);
  return count;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

// Static analysis of patterns: simplification, minimum length and required literals.

const empty: Node = { type: 'sequence', parts: [] };
const unmatchable: Node = { type: 'choice', options: [] };

/**
 * Simplifies a pattern for names of at most `maxLength` characters: limits repetitions to what fits and removes branches
 * that cannot match. Every repeated part in the result contains a character, so expanding the repetitions cannot take more
 * steps than there are positions.
 */
export function trim(node: Node, maxLength: number): Node {
  const trimmed = trimParts(node, maxLength);
  return minLength(trimmed) > maxLength ? unmatchable : trimmed;
}

function trimParts(node: Node, maxLength: number): Node {
  switch (node.type) {
    case 'sequence': {
      const parts = node.parts.map((part) => trim(part, maxLength)).filter((part) => !isEmpty(part));
      return parts.some(isUnmatchable) ? unmatchable : { type: 'sequence', parts };
    }
    case 'choice': {
      const options = node.options
        .map((option) => trim(option, maxLength))
        .filter((option) => !isUnmatchable(option));
      return options.length > 0 && options.every(isEmpty) ? empty : { type: 'choice', options };
    }
    case 'repeat': {
      const part = trim(node.part, maxLength);
      if (isEmpty(part) || (isUnmatchable(part) && node.min === 0)) return empty;
      const partLength = minLength(part);
      const min = partLength === 0 ? 0 : node.min;
      const mostThatFit = Math.floor(maxLength / Math.max(1, partLength));
      const isUnbounded = node.max === Number.POSITIVE_INFINITY;
      const max = isUnbounded ? node.max : Math.max(min, Math.min(node.max, mostThatFit));
      return max === 0 ? empty : { type: 'repeat', part, min, max };
    }
    default:
      return node;
  }
}

const isEmpty = (node: Node) => node.type === 'sequence' && node.parts.length === 0;
const isUnmatchable = (node: Node) => node.type === 'choice' && node.options.length === 0;

/** The length of the shortest match; infinite if nothing matches. */
export function minLength(node: Node): number {
  switch (node.type) {
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + minLength(part), 0);
    case 'choice':
      return Math.min(...node.options.map(minLength));
    case 'repeat':
      return node.min === 0 ? 0 : node.min * minLength(node.part);
    default:
      return 1;
  }
}

/** Literals that every match contains one after the other, in this order. */
export function requiredLiterals(node: Node): string[] {
  const literals: string[] = [];
  let current = '';
  const end = () => {
    if (current !== '') literals.push(current);
    current = '';
  };
  const visit = (part: Node): void => {
    if (part.type === 'character') current += part.character;
    else if (part.type === 'sequence') part.parts.forEach(visit);
    else {
      end();
      if (part.type === 'repeat' && part.min > 0) visit(part.part);
      end();
    }
  };
  visit(node);
  end();
  return literals;
}

/** The literals between the "%" of a pattern, which may be empty; undefined if the pattern contains anything else. */
export function splitAtWildcards(node: Node): string[] | undefined {
  const texts = [''];
  const visit = (part: Node): boolean => {
    if (part.type === 'sequence') return part.parts.every(visit);
    if (part.type === 'character') texts.push(texts.pop() + part.character);
    else if (isWildcard(part)) texts.push('');
    else return false;
    return true;
  };
  // Half of a surrogate pair is no character, but would be found in one.
  return visit(node) && texts.join('').isWellFormed() ? texts : undefined;
}

function isWildcard(node: Node): boolean {
  if (node.type !== 'repeat' || node.min > 0 || node.max !== Number.POSITIVE_INFINITY) return false;
  return node.part.type === 'test' && node.part.test === isAny;
}
