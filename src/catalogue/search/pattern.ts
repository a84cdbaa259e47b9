/**
 * Parses the pattern language of `search`: PostgreSQL's `SIMILAR TO`, with the exceptions listed in docs/search.md.
 *
 *     alt   = seq {"|" seq}          seq = {piece}        piece = atom [quant ["?"]]
 *     atom  = "%" | "_" | "(" alt ")" | class | "\" any | char
 *     quant = "*" | "+" | "?" | "{" m ["," [n]] "}"       "{" is literal unless a digit follows
 *
 * Characters are code points. The tree matches folded text (fold.ts).
 */

import { fold } from './fold.ts';
import { type CharacterTest, PatternError, PatternReader, readClass } from './reader.ts';

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
