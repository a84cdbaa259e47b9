/**
 * Glushkov's construction: turns a pattern's tree into an NFA without empty transitions. Each character of the pattern, with
 * repetitions expanded, is a position. The NFA is given by the positions that can come first, those that can come last, and
 * those that can follow each position.
 */
import { addBits, type Bits, emptyBits, forEachBit, setBit } from '../sets/image-set.ts';
import type { Node } from './pattern.ts';
import { type CharacterTest, PatternError } from './reader.ts';

/** Limits the cost of a DFA state. Whether a pattern has more depends on nothing but the pattern. */
export const MAX_POSITIONS = 256;

export interface Positions {
  /** The distinct character tests. */
  tests: CharacterTest[];
  /** For each position, the index of its test. */
  testOf: number[];
  first: Bits;
  last: Bits;
  follow: Bits[];
  /** Whether the empty string matches. */
  isNullable: boolean;
}

/** A part of the pattern. */
interface Fragment {
  isNullable: boolean;
  first: Bits;
  last: Bits;
}

export function buildPositions(root: Node): Positions {
  const tests: CharacterTest[] = [];
  const testIndexes = new Map<unknown, number>();
  const testOf: number[] = [];
  const follow: Bits[] = [];
  const noBits = () => emptyBits(MAX_POSITIONS);

  const leaf = (key: unknown, test: CharacterTest): Fragment => {
    const position = testOf.length;
    if (position === MAX_POSITIONS)
      throw new PatternError('the pattern is too large; use fewer or smaller repetitions');
    const testIndex = testIndexes.get(key) ?? tests.push(test) - 1;
    testIndexes.set(key, testIndex);
    testOf.push(testIndex);
    follow.push(noBits());
    const bits = noBits();
    setBit(bits, position);
    return { isNullable: false, first: bits, last: bits };
  };
  const empty = (): Fragment => ({ isNullable: true, first: noBits(), last: noBits() });
  const unmatchable = (): Fragment => ({ ...empty(), isNullable: false });
  const union = (a: Bits, b: Bits): Bits => {
    const both = a.slice();
    addBits(both, b);
    return both;
  };
  const connect = (from: Bits, to: Bits) => {
    forEachBit(from, (position) => addBits(follow[position] as Bits, to));
  };
  const concatenate = (a: Fragment, b: Fragment): Fragment => {
    connect(a.last, b.first);
    return {
      isNullable: a.isNullable && b.isNullable,
      first: a.isNullable ? union(a.first, b.first) : a.first,
      last: b.isNullable ? union(a.last, b.last) : b.last,
    };
  };
  const alternate = (a: Fragment, b: Fragment): Fragment => ({
    isNullable: a.isNullable || b.isNullable,
    first: union(a.first, b.first),
    last: union(a.last, b.last),
  });

  const build = (node: Node): Fragment => {
    switch (node.type) {
      case 'character': {
        const { character } = node;
        return leaf(character, (other) => other === character);
      }
      case 'test':
        return leaf(node.test, node.test);
      case 'sequence':
        return node.parts.map(build).reduce(concatenate, empty());
      case 'choice':
        return node.options.map(build).reduce(alternate, unmatchable());
      case 'repeat':
        return buildRepeat(node.part, node.min, node.max);
    }
  };

  /** Expands x{2,4} to xxx?x?, x{2,} to xx+ and x* to (x+)?. */
  const buildRepeat = (part: Node, min: number, max: number): Fragment => {
    let whole = empty();
    const isUnbounded = max === Number.POSITIVE_INFINITY;
    const copies = isUnbounded ? Math.max(min, 1) : max;
    for (let copy = 1; copy <= copies; copy++) {
      const fragment = build(part);
      if (isUnbounded && copy === copies) connect(fragment.last, fragment.first);
      whole = concatenate(whole, copy > min ? { ...fragment, isNullable: true } : fragment);
    }
    return whole;
  };

  const { first, last, isNullable } = build(root);
  return { tests, testOf, first, last, follow, isNullable };
}
