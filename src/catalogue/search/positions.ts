/**
 * A pattern's tree as positions (Glushkov's construction): each character of the pattern, its repetitions written out,
 * is a position; known are those that may come first, those that may come last, and those that may follow each.
 */
import { addBits, type Bits, emptyBits, forEachBit, setBit } from '../bits.ts';
import type { CharacterTest } from './class.ts';
import type { Node } from './pattern.ts';

/** A longer pattern would cost too much for each character of each name. */
export const MAX_POSITIONS = 256;

/** The pattern would cost more than it may. */
export class PatternTooExpensive extends Error {}

export interface Positions {
  /** The distinct tests, and for each position the number of its test. */
  tests: CharacterTest[];
  testOf: number[];
  first: Bits;
  last: Bits;
  follow: Bits[];
  /** Whether the empty name matches. */
  isNullable: boolean;
}

interface Piece {
  isNullable: boolean;
  first: Bits;
  last: Bits;
}

export function layOut(root: Node): Positions {
  const tests: CharacterTest[] = [];
  const testNumbers = new Map<unknown, number>();
  const testOf: number[] = [];
  const follow: Bits[] = [];
  const none = () => emptyBits(MAX_POSITIONS);

  const leaf = (key: unknown, test: CharacterTest): Piece => {
    const position = testOf.length;
    if (position === MAX_POSITIONS) throw new PatternTooExpensive();
    const number = testNumbers.get(key) ?? tests.push(test) - 1;
    testNumbers.set(key, number);
    testOf.push(number);
    follow.push(none());
    const bits = none();
    setBit(bits, position);
    return { isNullable: false, first: bits, last: bits };
  };
  const empty = (): Piece => ({ isNullable: true, first: none(), last: none() });
  const nothing = (): Piece => ({ ...empty(), isNullable: false });
  const union = (a: Bits, b: Bits): Bits => {
    const both = a.slice();
    addBits(both, b);
    return both;
  };
  const connect = (from: Bits, to: Bits) => {
    forEachBit(from, (position) => addBits(follow[position] as Bits, to));
  };
  const join = (a: Piece, b: Piece): Piece => {
    connect(a.last, b.first);
    return {
      isNullable: a.isNullable && b.isNullable,
      first: a.isNullable ? union(a.first, b.first) : a.first,
      last: b.isNullable ? union(a.last, b.last) : b.last,
    };
  };
  const either = (a: Piece, b: Piece): Piece => ({
    isNullable: a.isNullable || b.isNullable,
    first: union(a.first, b.first),
    last: union(a.last, b.last),
  });

  const build = (node: Node): Piece => {
    switch (node.type) {
      case 'character': {
        const { character } = node;
        return leaf(character, (other) => other === character);
      }
      case 'test':
        return leaf(node.test, node.test);
      case 'sequence':
        return node.parts.map(build).reduce(join, empty());
      case 'choice':
        return node.options.map(build).reduce(either, nothing());
      case 'repeat':
        return buildRepeat(node.part, node.least, node.most);
    }
  };

  /** x{2,4} is xxx?x?, x{2,} is xx+, x* is x+ or nothing. */
  const buildRepeat = (part: Node, least: number, most: number): Piece => {
    let whole = empty();
    const endless = most === Number.POSITIVE_INFINITY;
    const copies = endless ? Math.max(least, 1) : most;
    for (let copy = 1; copy <= copies; copy++) {
      const piece = build(part);
      if (endless && copy === copies) connect(piece.last, piece.first);
      whole = join(whole, copy > least ? { ...piece, isNullable: true } : piece);
    }
    return whole;
  };

  const { first, last, isNullable } = build(root);
  return { tests, testOf, first, last, follow, isNullable };
}
