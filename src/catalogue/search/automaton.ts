/**
 * A DFA over the Glushkov positions of a pattern (positions.ts). Its states are built lazily, when a name first reaches
 * them, and are cached. Matching takes time linear in the length of the name, whatever the pattern, and MAX_STATES bounds
 * the memory.
 *
 * Why not a library: re2js 2.10, the linear-time engine available for JavaScript, is slower (docs/internals/performance.md). This one also
 * counts its work, which the scan needs to share the processor.
 */
import { addBits, type Bits, commonBits, emptyBits, forEachBit, hasBit, setBit } from '../sets/image-set.ts';
import { isAny } from './pattern.ts';
import { MAX_POSITIONS, type Positions } from './positions.ts';

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
