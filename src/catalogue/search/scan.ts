/**
 * Looking through all names for those that match, beside other work: the scan pauses every few milliseconds, and gives
 * up when its pattern has used more than its share of time.
 */
import type { Kind } from '../types.ts';
import { Automaton } from './automaton.ts';
import type { Node } from './pattern.ts';
import { layOut, PatternTooExpensive } from './positions.ts';
import { requiredText, shortest, trim } from './shape.ts';

/** The folded names of a kind, in the order of its list, as of one version of the catalogue. */
export interface NameList {
  kind: Kind;
  version: number;
  folded: readonly string[];
  /** An upper bound on the length of a name, in code points. */
  maxLength: number;
}

export interface ScanOptions {
  /** How long the scan may compute in all, in milliseconds. */
  budget: number;
  /** How long it may compute before it pauses. */
  slice: number;
  /** Milliseconds from anywhere. */
  clock: () => number;
  /** Lets everything else that waits have its turn. */
  pause: () => Promise<void>;
}

/** Steps between two looks at the clock: a fraction of a millisecond's worth. */
const STEPS_PER_LOOK = 20_000;
/** What a name costs besides its characters. */
const STEPS_PER_NAME = 20;

/** The positions of the names that match, in order. */
export async function scan(pattern: Node, names: NameList, options: ScanOptions): Promise<number[]> {
  const { budget, slice, clock, pause } = options;
  await pause();
  const matcher = compile(pattern, names.maxLength);
  const found: number[] = [];
  let [used, begun, steps] = [0, clock(), 0];
  for (const [position, name] of names.folded.entries()) {
    const before = matcher.work;
    if (matcher.matches(name)) found.push(position);
    steps += STEPS_PER_NAME + matcher.work - before;
    if (steps < STEPS_PER_LOOK) continue;
    steps = 0;
    const elapsed = clock() - begun;
    if (used + elapsed > budget) throw new PatternTooExpensive();
    if (elapsed < slice) continue;
    used += elapsed;
    await pause();
    begun = clock();
  }
  return found;
}

interface Matcher {
  readonly work: number;
  matches(name: string): boolean;
}

/** The automaton, behind tests that are cheaper and rule most names out. */
export function compile(pattern: Node, longest: number): Matcher {
  const trimmed = trim(pattern, longest);
  const automaton = new Automaton(layOut(trimmed));
  const least = shortest(trimmed);
  const required = requiredText(trimmed);
  return {
    get work() {
      return automaton.work;
    },
    matches: (name) => name.length >= least && name.includes(required) && automaton.matches(name),
  };
}
