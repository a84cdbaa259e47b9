/** The wrong lines of an import, as they are found. */
import { LineError } from './lines.ts';

const MAX_PROBLEMS = 100;

/** Where a record stands. */
export interface Place {
  /** The number of its source, in the order in which they were given, and its own in there. */
  source: number;
  number: number;
  /** As it is told to people: a file and a line, or the path of a picture. */
  where: string;
}

export interface Problem {
  where: string;
  reason: string;
}

export class Problems {
  readonly #found: { place: Place; reason: string }[] = [];

  get areMany(): boolean {
    return this.#found.length >= MAX_PROBLEMS;
  }

  get areNone(): boolean {
    return this.#found.length === 0;
  }

  /** The result of the work, or undefined where it found the record to be wrong. */
  attempt<T>(place: Place, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.note(place, error);
    }
  }

  /** Remembers a wrong record; anything else that went wrong goes on up. */
  note(place: Place, error: unknown): undefined {
    if (!(error instanceof LineError)) throw error;
    this.#found.push({ place, reason: error.message });
  }

  /** The first of them, in the order of the records: one may be parsed before an earlier one is planned. */
  list(): Problem[] {
    return this.#found
      .sort((a, b) => a.place.source - b.place.source || a.place.number - b.place.number)
      .slice(0, MAX_PROBLEMS)
      .map(({ place, reason }) => ({ where: place.where, reason }));
  }
}
