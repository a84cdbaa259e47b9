/** The invalid records of an import. */

/** The record is invalid, and the message says why. */
export class RecordError extends Error {}

/** Does the work. A `RecordError` then starts with the subject. */
export function withSubject<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RecordError ? new RecordError(`${subject}: ${error.message}`) : error;
  }
}

const MAX_PROBLEMS = 100;
/** A reason may quote the record, which may be a megabyte long. */
const MAX_REASON_LENGTH = 1000;

/** Where a record comes from. */
export interface RecordLocation {
  /** The index of its source, in the order of the command line. */
  source: number;
  /** Its position in that source. */
  position: number;
  /** For people: a file and a line number, or the path of a picture. */
  label: string;
}

export interface Problem {
  label: string;
  reason: string;
}

export class Problems {
  readonly #skips: boolean;
  readonly #maxListed: number;
  readonly #found: { location: RecordLocation; reason: string }[] = [];
  #count = 0;

  /** Whether invalid records are skipped, so that any number of them does not stop the import. */
  constructor(skips: boolean, listsAll = false) {
    this.#skips = skips;
    this.#maxListed = listsAll ? Number.POSITIVE_INFINITY : MAX_PROBLEMS;
  }

  /** Listed or not. */
  get count(): number {
    return this.#count;
  }

  /** Whether there are enough of them to give up. */
  get isFull(): boolean {
    return !this.#skips && this.#count >= MAX_PROBLEMS;
  }

  /** The result of the work, or undefined if the record turned out to be invalid. */
  attempt<T>(location: RecordLocation, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.add(location, error);
    }
  }

  /** Collects a `RecordError` and rethrows any other error. */
  add(location: RecordLocation, error: unknown): undefined {
    if (!(error instanceof RecordError)) throw error;
    this.#count++;
    if (this.#found.length >= 2 * this.#maxListed) return;
    const { message } = error;
    const isLong = message.length > MAX_REASON_LENGTH;
    this.#found.push({ location, reason: isLong ? `${message.slice(0, MAX_REASON_LENGTH)}…` : message });
  }

  /** The first of them, in the order of the records: a later record may be parsed before an earlier one is planned. */
  list(): Problem[] {
    return this.#found
      .sort((a, b) => a.location.source - b.location.source || a.location.position - b.location.position)
      .slice(0, this.#maxListed)
      .map(({ location, reason }) => ({ label: location.label, reason }));
  }
}
