/**
 * The pattern language of `search`: text to a tree. It is SQL's `SIMILAR TO` as PostgreSQL has it, with the exceptions
 * that docs/search.md lists.
 *
 *     alt   = seq {"|" seq}          seq = {piece}        piece = atom [quant ["?"]]
 *     atom  = "%" | "_" | "(" alt ")" | class | "\" any | char
 *     quant = "*" | "+" | "?" | "{" m ["," [n]] "}"       "{" without a digit behind it is a character
 *
 * Characters are code points throughout. The tree speaks of folded text: see fold.ts.
 */
import { foldCharacter } from '../fold.ts';
import { type CharacterTest, readClass } from './class.ts';
import { Cursor, PatternError } from './reader.ts';

export type Node =
  /** One character: this one, or any for which the test holds. */
  | { type: 'character'; character: string }
  | { type: 'test'; test: CharacterTest }
  | { type: 'sequence'; parts: Node[] }
  | { type: 'choice'; options: Node[] }
  /** `most` may be infinite. */
  | { type: 'repeat'; part: Node; least: number; most: number };

/** As in PostgreSQL. */
const MAX_REPEATS = 255;

/** Holds for every character: the test of "_" and "%". */
export const isAny: CharacterTest = () => true;
const anyCharacter: Node = { type: 'test', test: isAny };
const anything: Node = { type: 'repeat', part: anyCharacter, least: 0, most: Number.POSITIVE_INFINITY };

export function parsePattern(pattern: string): Node {
  const cursor = new Cursor(pattern);
  const node = readChoice(cursor);
  if (cursor.next === ')') throw cursor.error('")" without "("');
  return node;
}

function readChoice(cursor: Cursor): Node {
  const options = [readSequence(cursor)];
  while (cursor.takeIf('|')) options.push(readSequence(cursor));
  return options.length === 1 ? (options[0] as Node) : { type: 'choice', options };
}

function readSequence(cursor: Cursor): Node {
  const parts: Node[] = [];
  while (cursor.next !== undefined && cursor.next !== '|' && cursor.next !== ')')
    parts.push(readPiece(cursor));
  return parts.length === 1 ? (parts[0] as Node) : { type: 'sequence', parts };
}

function readPiece(cursor: Cursor): Node {
  if (isQuantifier(cursor)) throw cursor.error(`nothing to repeat before "${cursor.next}"`);
  const start = cursor.next;
  const part = readAtom(cursor);
  if (!isQuantifier(cursor)) return part;
  // "%" repeats already: "%?" only makes it lazy there, and other repetitions of it say nothing new.
  const isLazy = start === '%' && cursor.next === '?';
  const { least, most } = readQuantifier(cursor);
  // A "?" behind a quantifier makes it lazy, which makes no difference to whether the whole name matches.
  if (!isLazy) cursor.takeIf('?');
  if (isQuantifier(cursor)) throw cursor.error(`"${cursor.next}" behind another repetition`);
  return start === '%' ? anything : { type: 'repeat', part, least, most };
}

function readAtom(cursor: Cursor): Node {
  const start = cursor.position;
  const character = cursor.take();
  switch (character) {
    case '%':
      return anything;
    case '_':
      return anyCharacter;
    case '[':
      return { type: 'test', test: readClass(cursor, start) };
    case '(': {
      const inner = readChoice(cursor);
      if (!cursor.takeIf(')')) throw new PatternError('"(" is never closed', start);
      return inner;
    }
    case '\\':
      return { type: 'character', character: foldCharacter(cursor.takeEscaped(start)) };
    default:
      return { type: 'character', character: foldCharacter(character) };
  }
}

function isQuantifier({ next, afterNext }: Cursor): boolean {
  if (next === '{') return afterNext !== undefined && isDigit(afterNext);
  return next === '*' || next === '+' || next === '?';
}

function readQuantifier(cursor: Cursor): { least: number; most: number } {
  const start = cursor.position;
  switch (cursor.take()) {
    case '*':
      return { least: 0, most: Number.POSITIVE_INFINITY };
    case '+':
      return { least: 1, most: Number.POSITIVE_INFINITY };
    case '?':
      return { least: 0, most: 1 };
    default:
      return readCounts(cursor, start);
  }
}

function readCounts(cursor: Cursor, start: number): { least: number; most: number } {
  const least = readCount(cursor);
  let most = least;
  if (cursor.takeIf(',')) most = cursor.next === '}' ? Number.POSITIVE_INFINITY : readCount(cursor);
  if (!cursor.takeIf('}')) throw new PatternError('"{" needs a form like {2}, {2,} or {2,4}', start);
  if (least > most) throw new PatternError(`{${least},${most}} has the larger number first`, start);
  return { least, most };
}

function readCount(cursor: Cursor): number {
  const start = cursor.position;
  let digits = '';
  while (cursor.next !== undefined && isDigit(cursor.next)) digits += cursor.take();
  if (digits === '') throw cursor.error('a number is missing');
  const count = Number(digits);
  if (count > MAX_REPEATS) throw new PatternError(`more than ${MAX_REPEATS} repetitions`, start);
  return count;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
