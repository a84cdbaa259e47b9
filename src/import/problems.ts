/** The wrong lines of an import, as they are found. */
import { LineError } from './lines.ts';

export const MOST_PROBLEMS = 100;

export interface Problem {
  source: string;
  line: number;
  reason: string;
}

/** Where a line stands. */
export interface Place {
  /** The number of its source, in the order in which they were given. */
  source: number;
  number: number;
}

export class Problems {
  readonly #found: { place: Place; reason: string }[] = [];

  get areMany(): boolean {
    return this.#found.length >= MOST_PROBLEMS;
  }

  get areNone(): boolean {
    return this.#found.length === 0;
  }

  /** The result of the work, or undefined where it found the line to be wrong. */
  attempt<T>(place: Place, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.note(place, error);
    }
  }

  /** Remembers a wrong line; anything else that went wrong goes on up. */
  note(place: Place, error: unknown): undefined {
    if (!(error instanceof LineError)) throw error;
    this.#found.push({ place, reason: error.message });
  }

  /** The first of them, in the order of the lines: a line may be parsed before an earlier one is planned. */
  list(names: string[]): Problem[] {
    return this.#found
      .sort((a, b) => a.place.source - b.place.source || a.place.number - b.place.number)
      .slice(0, MOST_PROBLEMS)
      .map(({ place, reason }) => ({ source: names[place.source] ?? '', line: place.number, reason }));
  }
}
