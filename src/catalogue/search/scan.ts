/**
 * Finds the names that match a pattern, in time that is linear in their length: from the pattern to an NFA, from that to a DFA.
 */
import { Unavailable } from '../../lib/metrics.ts';
import type { Kind } from '../schemas.ts';
import { addBits, type Bits, commonBits, emptyBits, forEachBit, hasBit, setBit } from '../sets/image-set.ts';
import {
  type CharacterTest,
  isAny,
  minLength,
  type Node,
  PatternError,
  requiredLiterals,
  splitAtWildcards,
  trim,
} from './pattern.ts';

// Glushkov's construction: turns a pattern's tree into an NFA without empty transitions. Each character of the pattern, with
// repetitions expanded, is a position. The NFA is given by the positions that can come first, those that can come last, and
// those that can follow each position.

/** Limits the cost of a DFA state. Whether a pattern has more depends on nothing but the pattern. */
const MAX_POSITIONS = 256;

interface Positions {
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

// A DFA over the Glushkov positions of a pattern. Its states are built lazily, when a name first reaches
// them, and are cached. Matching takes time linear in the length of the name, whatever the pattern, and MAX_STATES bounds
// the memory.
//
// Why not a library: re2js 2.10, the linear-time engine available for JavaScript, is slower (docs/internals/performance.md). This one also
// counts its work, which the scan needs to share the processor.

const MAX_STATES = 2000;
/** Bounds the cache of character classes; there are more than a million characters. */
const MAX_CLASSIFIED_CHARACTERS = 10_000;
const ASCII = 128;
/** The cost of building a state, in units of one cached transition. */
const WORK_PER_STATE = 100;
const WORK_PER_POSITION = 8;

/** A DFA state: a set of positions that the text read so far can have reached. */
interface State {
  /** The positions that the next character may match. */
  follow: Bits;
  isAccepting: boolean;
  /** No continuation matches. */
  isDead: boolean;
  /** Every continuation matches. */
  isUniversal: boolean;
  /** The transitions built so far, by character class. */
  next: State[];
}

export class Automaton {
  /** Work done so far; a cached transition counts as one. */
  work = 0;
  readonly #positions: Positions;
  readonly #start: State;
  /** By the set of positions. */
  readonly #states = new Map<string, State>();
  /**
   * For each character class, the positions that match its characters. Two characters are in the same class when they match
   * the same positions.
   */
  readonly #classes: Bits[] = [];
  /** By the results of all tests. */
  readonly #classNumbers = new Map<string, number>();
  readonly #asciiClasses = new Int16Array(ASCII).fill(-1);
  readonly #otherClasses = new Map<number, number>();

  constructor(positions: Positions) {
    this.#positions = positions;
    this.#start = {
      follow: positions.first,
      isAccepting: positions.isNullable,
      isDead: false,
      isUniversal: false,
      next: [],
    };
  }

  /** Whether the whole name matches. The name must be folded. */
  matches(name: string): boolean {
    let state = this.#start;
    let index = 0;
    for (; index < name.length; index++) {
      let code = name.charCodeAt(index);
      if (code >= 0xd800 && code < 0xdc00) {
        code = name.codePointAt(index) as number;
        if (code > 0xffff) index++;
      }
      const cached = code < ASCII ? (this.#asciiClasses[code] as number) : this.#otherClasses.get(code);
      const classNumber = cached === undefined || cached < 0 ? this.#classify(code) : cached;
      state = state.next[classNumber] ?? this.#buildTransition(state, classNumber);
      if (state.isDead || state.isUniversal) break;
    }
    this.work += index;
    return state.isUniversal || state.isAccepting;
  }

  #classify(code: number): number {
    const character = String.fromCodePoint(code);
    const { tests } = this.#positions;
    const results = tests.map((test) => test(character));
    const classNumber = this.#classNumbers.get(results.join()) ?? this.#addClass(results);
    this.work += tests.length;
    if (code < ASCII) {
      this.#asciiClasses[code] = classNumber;
    } else {
      if (this.#otherClasses.size >= MAX_CLASSIFIED_CHARACTERS) this.#otherClasses.clear();
      this.#otherClasses.set(code, classNumber);
    }
    return classNumber;
  }

  #addClass(results: boolean[]): number {
    const matching = emptyBits(MAX_POSITIONS);
    for (const [position, test] of this.#positions.testOf.entries())
      if (results[test]) setBit(matching, position);
    const classNumber = this.#classes.push(matching) - 1;
    this.#classNumbers.set(results.join(), classNumber);
    return classNumber;
  }

  #buildTransition(state: State, classNumber: number): State {
    this.work += WORK_PER_STATE;
    const reached = commonBits(state.follow, this.#classes[classNumber] as Bits);
    const key = reached.join();
    let next = this.#states.get(key);
    if (!next) {
      if (this.#states.size >= MAX_STATES) this.#clearStates();
      next = this.#buildState(reached);
      this.#states.set(key, next);
    }
    state.next[classNumber] = next;
    return next;
  }

  #buildState(reached: Bits): State {
    const positions = this.#positions;
    const follow = emptyBits(MAX_POSITIONS);
    let isDead = true;
    let isAccepting = false;
    let isUniversal = false;
    forEachBit(reached, (position) => {
      addBits(follow, positions.follow[position] as Bits);
      isDead = false;
      isAccepting ||= hasBit(positions.last, position);
      isUniversal ||= this.#isFinalWildcard(position);
      this.work += WORK_PER_POSITION;
    });
    return { follow, isAccepting, isDead, isUniversal, next: [] };
  }

  /** Whether the position is a "%" at the end of the pattern. */
  #isFinalWildcard(position: number): boolean {
    const { tests, testOf, last, follow } = this.#positions;
    const test = tests[testOf[position] as number];
    return test === isAny && hasBit(last, position) && hasBit(follow[position] as Bits, position);
  }

  /** Evicts all cached states. A state in use stays valid and leads to new ones. */
  #clearStates(): void {
    this.#states.clear();
    this.#start.next.length = 0;
  }
}

// Finds the names that match a pattern. The scan counts its work, and gives up when it has used its budget.

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
