/**
 * Finds the names that match a pattern. The scan pauses every few milliseconds to let other work run, and gives up when it
 * has used its time budget.
 */
import type { Kind } from '../types.ts';
import { Automaton } from './automaton.ts';
import type { Node } from './pattern.ts';
import { buildPositions, PatternTooExpensive } from './positions.ts';
import { minLength, requiredLiteral, trim } from './shape.ts';

/** The folded names of a kind, in the order of its list, as of one version of the catalogue. */
export interface NameList {
  kind: Kind;
  version: number;
  folded: readonly string[];
  /** An upper bound on the length of a name, in code points. */
  maxLength: number;
}

export interface ScanOptions {
  /** Total computing time in milliseconds, without pauses. */
  budget: number;
  /** Computing time between two pauses, in milliseconds. */
  slice: number;
  /** The current time in milliseconds; any origin. */
  clock: () => number;
  /** Lets other work run. */
  pause: () => Promise<void>;
}

/** Work between two readings of the clock: a fraction of a millisecond. */
const WORK_PER_CLOCK_CHECK = 20_000;
/** The fixed cost of a name, in the unit of the matcher's work. */
const WORK_PER_NAME = 20;

/** The positions of the matching names, in list order. Throws PatternTooExpensive. */
export async function scan(pattern: Node, names: NameList, options: ScanOptions): Promise<number[]> {
  const { budget, slice, clock, pause } = options;
  await pause();
  const matcher = compile(pattern, names.maxLength);
  const found: number[] = [];
  let [usedMs, startedAt, work] = [0, clock(), 0];
  for (const [position, name] of names.folded.entries()) {
    const workBefore = matcher.work;
    if (matcher.matches(name)) found.push(position);
    work += WORK_PER_NAME + matcher.work - workBefore;
    if (work < WORK_PER_CLOCK_CHECK) continue;
    work = 0;
    const elapsedMs = clock() - startedAt;
    if (usedMs + elapsedMs > budget) throw new PatternTooExpensive();
    if (elapsedMs < slice) continue;
    usedMs += elapsedMs;
    await pause();
    startedAt = clock();
  }
  return found;
}

interface Matcher {
  /** The automaton's work so far. */
  readonly work: number;
  matches(name: string): boolean;
}

/** Runs the automaton only on names that pass two cheaper tests. Names have at most `maxLength` characters. */
export function compile(pattern: Node, maxLength: number): Matcher {
  const trimmed = trim(pattern, maxLength);
  const automaton = new Automaton(buildPositions(trimmed));
  const minimum = minLength(trimmed);
  const literal = requiredLiteral(trimmed);
  return {
    get work() {
      return automaton.work;
    },
    matches: (name) => name.length >= minimum && name.includes(literal) && automaton.matches(name),
  };
}
