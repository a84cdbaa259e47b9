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

/**
 * What stops an import: any problem, only an invalid record of a catalogue file, or nothing. A picture that cannot be read, or
 * whose sidecar is invalid, is left out otherwise.
 */
export type StopsAt = 'any' | 'records' | 'nothing';

export interface ProblemOptions {
  stopsAt: StopsAt;
  isDryRun?: boolean;
  /** Whether all of them are listed, however many they are. */
  listsAll?: boolean;
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
  readonly #stops: (location: RecordLocation, isPicture: boolean) => boolean;
  readonly #isDryRun: boolean;
  readonly #maxListed: number;
  readonly #found: { location: RecordLocation; reason: string }[] = [];
  #count = 0;
  #stopping = 0;

  /** A dry run shows everything that an import would do without the invalid records. */
  constructor(
    sources: { isFolder: boolean }[],
    { stopsAt, isDryRun = false, listsAll = false }: ProblemOptions,
  ) {
    this.#isDryRun = isDryRun;
    const isRecord = ({ source }: RecordLocation) => sources[source]?.isFolder === false;
    this.#stops = (location, isPicture) =>
      stopsAt === 'any' || (stopsAt === 'records' && !isPicture && isRecord(location));
    this.#maxListed = listsAll ? Number.POSITIVE_INFINITY : MAX_PROBLEMS;
  }

  /** Listed or not. */
  get count(): number {
    return this.#count;
  }

  /** Whether one of them stops the import. */
  get isStopping(): boolean {
    return this.#stopping > 0;
  }

  /** Whether there are enough of those to give up. */
  get isFull(): boolean {
    return !this.#isDryRun && this.#stopping >= MAX_PROBLEMS;
  }

  /** The result of the work, or undefined if the record turned out to be invalid. */
  attempt<T>(location: RecordLocation, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.add(location, error);
    }
  }

  /** Collects a `RecordError` and rethrows any other error. `isPicture` is whether only the file of the record is bad. */
  add(location: RecordLocation, error: unknown, isPicture = false): undefined {
    if (!(error instanceof RecordError)) throw error;
    this.#count++;
    if (this.#stops(location, isPicture)) this.#stopping++;
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
