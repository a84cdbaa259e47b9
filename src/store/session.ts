/** A connection to a database, how its SQL differs, and the SQL that both databases understand. */
import type { TokenStore } from '../access/tokens.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FileType, Orientation, Rating } from '../catalogue/schemas.ts';
import type { Placed, Placement } from '../catalogue/sets/image-set.ts';
import type { BlockedName, FixedShelves, LastBackup, TokenRecord } from '../catalogue/writer.ts';
import type { Monitored } from '../lib/metrics.ts';

/** A list is for '= any($1)': whether a value is in it. */
export type SqlValue = string | number | null | readonly string[] | readonly number[];
export type SqlType = 'int' | 'text';

/** What the databases write differently. */
export interface Dialect {
  /** Aggregates the values of a column into the text of a JSON array, in their order or in that of another column. */
  jsonArray(column: string, order?: string): string;
  /** Whether a row of `image_shelves` has the shelf. */
  hasShelf(shelf: string): string;
  /** A subquery with a row for each shelf of each image, called `belongs`: its `image` and `shelf`. */
  belongs: string;
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
   * Runs a statement that uses rows as a table called `given`, and returns what it returns. It is repeated for some of the rows
   * at a time, so they must not depend on each other.
   */
  runWith<Name extends string>(
    columns: Record<Name, SqlType>,
    rows: Record<NoInfer<Name>, SqlValue>[],
    text: string,
  ): Promise<unknown[]>;
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

// SQL that both stores understand.

export const IMAGE_COLUMNS = `number, id, etag as "eTag", key, mimetype, document,
  (select hash from perceptual_hash where perceptual_hash.image = image.number) as "perceptualHash",
  coalesce((select fields from edited where edited.image = image.number), '') as edited`;
export const REMOVED_COLUMNS = 'hash, image, removed_at as "removedAt", reason';
const BLOCKED_COLUMNS = 'kind, name, blocked_at as "blockedAt", skips';
export type BlockedRow = Omit<BlockedName, 'skips'> & { skips: number };

export const PLACEMENT_COLUMNS = 'image, shelves, width, height';
export type PlacementRow = Omit<Placed, 'shelves'> & { shelves: SqlValue };

/** By image number. */
export function toPlacements(rows: PlacementRow[], { parseShelves }: Dialect): Map<number, Placement> {
  return new Map(
    rows.map(({ image, shelves, ...size }) => [image, { shelves: parseShelves(shelves), ...size }]),
  );
}

/** The values of a statement whose only column is called `value`. */
export async function readValues<T>(session: ReadSession, text: string, values?: SqlValue[]): Promise<T[]> {
  return (await session.query<{ value: T }>(text, values)).map(({ value }) => value);
}

/** Rows that are in memory at the same time. */
const PAGE_SIZE = 500;

/**
 * Rows in pages, which may be changed meanwhile: each follows the last row of the one before. The last parameters of the statement are
 * the key of that row, first `start`, and it ends with the order of the keys.
 */
export async function* readPages<Row>(
  session: ReadSession,
  text: string,
  values: SqlValue[],
  start: SqlValue[],
  keyOf: (row: Row) => SqlValue[],
): AsyncGenerator<Row[], void> {
  for (let key = start; ; ) {
    const rows = await session.query<Row>(`${text} limit ${PAGE_SIZE}`, [...values, ...key]);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    key = keyOf(last);
  }
}

/** `rest` is what follows the table. */
export const selectBlocked = (rest: string): string => `select ${BLOCKED_COLUMNS} from blocked_name ${rest}`;

export const toBlockedName = ({ skips, ...blocked }: BlockedRow): BlockedName =>
  skips === 1 ? { ...blocked, skips: true } : blocked;

/** Images of a shelf that are read at a time. */
export const SHELF_BATCH_SIZE = 500;

/** `listed.image` is an image. */
export const IS_EDITED = 'exists (select 1 from edited where edited.image = listed.image)';
/** The fields are words, of which no other contains these. */
export const IS_UNRATED = `not exists (select 1 from edited where edited.image = listed.image
  and fields like '%rating%')`;
export const IS_FILE_CHANGED = `exists (select 1 from edited where edited.image = listed.image
  and fields like '%file-changed%')`;
/** `change` is a parameter that is used twice. */
export const isOfChange = (change: string): string =>
  `(exists (select 1 from change where change.number = ${change}
      and listed.image between change.first_image and change.last_image)
    or exists (select 1 from change_item where change_item.change = ${change}
      and change_item.kind = 'image' and change_item.id = image.id))`;

const withoutImage = (table: string) => `${table} where image not in (select number from image)`;
const ALIAS_OF_NONE = 'alias where shelf not in (select number from shelf where shelf.kind = alias.kind)';
const IN_NO_ALBUM = `album_image where album not in (select number from shelf where shelf.kind = 'album')
    or (image not in (select id from image) and image not in (select id from trash))`;
/** Rows that refer to something that does not exist. */
export const DANGLING = [
  ...['image_shelves', 'perceptual_hash', 'edited'].map(withoutImage),
  ...[ALIAS_OF_NONE, IN_NO_ALBUM],
];

/** The kinds of shelves that belong to an entry, as SQL. */
export const ENTRY_KINDS = `('artist', 'category', 'character', 'album')`;

/** By name ignoring case, by name and by id (names.ts), each by code point. */
const ENTRY_ORDER = 'sort_key, name, id';

/** Numbers the entries within their kind. */
export const NUMBER_ENTRIES = `
  update shelf set position = ordered.position
  from (select number, row_number() over (partition by kind order by ${ENTRY_ORDER}) - 1 as position from shelf
        where kind in ${ENTRY_KINDS}) as ordered
  where ordered.number = shelf.number and shelf.position <> ordered.position`;

export async function readFixedShelves(session: ReadSession): Promise<FixedShelves> {
  const rows = await session.query<{ kind: string; id: string; number: number }>(
    `select kind, id, number from shelf where kind in ('catalogue', 'rating', 'orientation', 'type', 'animation')`,
  );
  const byId = <Id extends string>(wanted: string) =>
    Object.fromEntries(
      rows.flatMap(({ kind, id, number }) => (kind === wanted ? [[id, number]] : [])),
    ) as Record<Id, number>;
  return {
    catalogue: byId<'all'>('catalogue').all,
    rating: byId<Rating>('rating'),
    orientation: byId<Orientation>('orientation'),
    type: byId<FileType>('type'),
    animated: byId<'animated'>('animation').animated,
  };
}

/** Files of folders together with their images, for a `where` clause. Those whose image was removed are left out. */
export const KNOWN_FILES = `select folder, path, source_file.image as image, state, fingerprint, image.etag as "eTag",
    (select hash from perceptual_hash where perceptual_hash.image = image.number) as "perceptualHash"
  from source_file join image on image.id = source_file.image`;

/** Files of folders whose pictures an operator removed, for a `where` clause that goes on. */
export const REMOVED_SOURCES = `select path, state, fingerprint, hash, removed_file.image as image,
    removed_at as "removedAt", reason
  from source_file join removed_file on removed_file.image = source_file.image
  where not exists (select 1 from image where image.etag = removed_file.hash or image.id = removed_file.image)`;

/** `kinds` is a condition on the kind of a shelf, `listed.image` an image. */
export const isOnNo = ({ belongs }: Dialect, kinds: string): string =>
  `not exists (select 1 from ${belongs} join shelf on shelf.number = belongs.shelf
    where belongs.image = listed.image and shelf.kind ${kinds})`;

/** Problems with aliases, albums and lists, one sentence per row. */
export const LIST_PROBLEMS = `
  select 'a list has an image that does not exist' as problem from ${withoutImage('image_shelves')}
  union all
  select 'the ' || kind || ' with the alias "' || name || '" does not exist' from ${ALIAS_OF_NONE}
  union all
  select 'the order of an album has an image or an album that does not exist' from ${IN_NO_ALBUM}
  union all
  select 'fields of an image that does not exist are marked as edited' from ${withoutImage('edited')}
  union all
  select 'the list of ' || kind || 's is out of order'
  from (select kind, position, row_number() over (partition by kind order by ${ENTRY_ORDER}) - 1 as expected from shelf
        where kind in ${ENTRY_KINDS}) as listed
  where position <> expected group by kind`;

// A store, opened for serving.

export interface Store extends Monitored, AsyncDisposable {
  catalogue: Catalogue;
  tokens: TokenStore;
  /** The last backup that succeeded, if any was recorded. */
  lastBackup(): Promise<LastBackup | undefined>;
  recordBackup(backup: LastBackup): Promise<void>;
}
