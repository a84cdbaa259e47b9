/** A connection to a database, and how its SQL differs: what the rules of the catalogue are written with. */
import type { TokenRecord } from './contract/token-record.ts';

/** A list is for the functions of a `Dialect` that take one. */
export type SqlValue = string | number | null | readonly string[] | readonly number[];
export type SqlType = 'int' | 'text';

/** What the databases write differently. A `parameter` is `$1`, `$2` and so on. */
export interface Dialect {
  /** The rest of a condition: whether a value is in the list of a parameter. */
  isOneOf(parameter: string, type: SqlType): string;
  /** Aggregates the values of a column into the text of a JSON array, in their order or in that of another column. */
  jsonArray(column: string, order?: string): string;
  /** Whether a row of `image_shelves` has the shelf. */
  hasShelf(shelf: string): string;
  /** A subquery with a row for each shelf of each image, called `belongs`: its `image` and `shelf`. */
  belongs: string;
  /**
   * A statement that numbers the images of a shelf ($1) from a position ($2) on again, in ascending order, without those in
   * a list ($3) and with those in another one ($4). Rows of former positions behind the last one may stay.
   */
  rewriteShelf: string;
  /** How `image_shelves` stores the shelves of an image. */
  formatShelves(shelves: number[]): SqlValue;
  parseShelves(stored: SqlValue): number[];
}

/** Reads. Values are bound to `$1`, `$2` and so on. The caller knows the type of the rows. */
export interface ReadSession extends AsyncDisposable {
  readonly dialect: Dialect;
  query<Row>(text: string, values?: SqlValue[]): Promise<Row[]>;
  /** The same, in bounded memory. Only within a transaction. */
  stream<Row>(text: string, values?: SqlValue[]): AsyncIterable<Row>;
  /** Of the catalogue. Undefined if an older version made it. */
  identity(): Promise<string | undefined>;
}

/** A transaction under the write lock. Disposing of it without a commit rolls back. */
export interface WriteSession extends ReadSession {
  /** Returns how many rows it changed. */
  run(text: string, values?: SqlValue[]): Promise<number>;
  insert(table: string, columns: string[], rows: SqlValue[][]): Promise<void>;
  /**
   * Runs a statement that uses rows as a table called `given`. It is repeated for some of the rows at a time, so they must
   * not depend on each other.
   */
  runWith<Name extends string>(
    columns: Record<Name, SqlType>,
    rows: Record<NoInfer<Name>, SqlValue>[],
    text: string,
  ): Promise<void>;
  /** Adds tokens together with the commit. Those that exist already stay as they are. */
  restoreTokens(records: TokenRecord[]): Promise<void>;
  /** Commits and closes. */
  commit(): Promise<void>;
}

export interface LockOptions {
  /** How long to wait. */
  timeoutMs?: number;
  /** Called once if another command holds the lock. */
  onWait?: () => void;
}

/** Commands hold the lock for seconds at most, unless they change a large part of a large catalogue. */
export const LOCK_TIMEOUT_MS = 60_000;

/** Only `migrateCatalogue` upgrades a catalogue: the older version could no longer read it. */
export class OutdatedCatalogue extends Error {
  constructor() {
    super(
      'the catalogue was made by an older version of zukan; make a backup with that version, then run "zukan migrate"',
    );
  }
}
