/** Opens the database file, and guards it against two writers. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { fileName, parsePreviews, parseStored } from '../../../catalogue/documents/document.ts';
import { type Artist, type Document, type Image, parseDetails } from '../../../catalogue/schemas.ts';
import { emptyBits, hasBit, setBit } from '../../../catalogue/sets/image-set.ts';
import { LockTimeout } from '../../../catalogue/writer.ts';
import type { ByteString } from '../../../lib/byte-string.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../../lib/file-system.ts';
import {
  type DataMigration,
  missingSteps,
  type NewId,
  newestStep,
  type Schema,
} from '../../migrations/migrations.ts';
import { LOCK_TIMEOUT_MS, type LockOptions, OutdatedCatalogue } from '../../session.ts';

/** How long SQLite itself waits for a lock, which blocks the thread. */
export const BUSY_TIMEOUT_MS = 5000;
/** How often to try to get the write lock. */
const LOCK_INTERVAL_MS = 50;
/** How long to wait for readers to finish. An export may read for minutes. */
const CHECKPOINT_TIMEOUT_MS = 1000;
const SQLITE_BUSY = 5;

/** Opens the file for writing, and creates it where needed. */
export function openDatabase(path: string, schema: FileSchema, newId: NewId = randomUUID): DatabaseSync {
  if (path !== ':memory:' && !existsSync(path)) createFile(path);
  return open(path, false, (database) => requireSchema(database, schema, newId));
}

/** Closes it again if the check fails. */
function open(
  location: string | URL,
  readOnly: boolean,
  check: (database: DatabaseSync) => void,
): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly, timeout: BUSY_TIMEOUT_MS });
  try {
    check(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Closes a database that was open for writing, and leaves the two files beside it in place: SQLite removes them with the last
 * connection that may write, and on a full disk could not create them again, not even to read.
 */
export function closeDatabase(database: DatabaseSync, path: string): void {
  let keeper: DatabaseSync | undefined;
  try {
    // The file is then complete without its log. Those who read it meanwhile are not waited for.
    database.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)');
    keeper = new DatabaseSync(path, { readOnly: true });
    keeper.prepare('select 1 from sqlite_schema').get();
  } catch {
    // What was committed is safe.
  }
  database.close();
  keeper?.close();
}

/** Upgrades the schema of a file that an older version made. `onStart` is called before. */
export function migrateDatabase(path: string, schema: FileSchema, onStart: () => void): void {
  // One without a byte is damaged.
  if (!statSync(path, { throwIfNoEntry: false })?.size || isBegun(path)) return;
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (isCurrent(database, schema)) return;
    onStart();
    migrate(database, schema, randomUUID);
  } finally {
    closeDatabase(database, path);
  }
}

/** SQLite would let every user of the machine read the file. Its log gets the mode of the file. */
function createFile(path: string): void {
  makeFolder(dirname(path), PRIVATE_FOLDER);
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    // Another process may have created it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The size of the write-ahead log. */
export function logSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Empties the write-ahead log if it is larger than `maxSize`: it would keep its size, and fill the disk, for as long as a
 * server has the file open. What was committed is safe even if this fails.
 */
export function truncateLog(database: DatabaseSync, path: string, maxSize: number): void {
  if (logSize(path) <= maxSize) return;
  try {
    database.exec(`pragma busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`);
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The next command tries again.
  }
}

/** Begins a transaction under the write lock. */
export async function beginWriting(
  database: DatabaseSync,
  { timeoutMs = LOCK_TIMEOUT_MS, onWait = () => {} }: LockOptions = {},
): Promise<void> {
  const startedAt = performance.now();
  database.exec('pragma busy_timeout = 0');
  for (let attempt = 0; !tryToBegin(database); attempt++) {
    if (attempt === 0) onWait();
    if (performance.now() - startedAt >= timeoutMs) throw new LockTimeout();
    await setTimeout(LOCK_INTERVAL_MS);
  }
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/** Returns whether the lock was free. */
function tryToBegin(database: DatabaseSync): boolean {
  try {
    exclusively(() => database.exec('begin immediate'));
    return true;
  } catch (error) {
    if (error instanceof LockTimeout) return false;
    throw error;
  }
}

/** Runs work that takes the write lock. Throws a clear error if another command holds it. */
export function exclusively<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new LockTimeout() : error;
  }
}

// Opens database files for reading, also on a read-only file system.

/** Creates the file where needed and possible. */
export function openForReading(path: string, schema: FileSchema): DatabaseSync {
  if (isOnReadOnlyDisk(path)) return openUnwritable(path, schema);
  if (!existsSync(path)) closeDatabase(openDatabase(path, schema), path);
  return open(path, true, (database) => requireCurrent(database, schema));
}

/** Missing permissions are not enough: another user may change the file while we read it. */
export function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function openUnwritable(path: string, schema: FileSchema): DatabaseSync {
  if (!existsSync(path)) throw new Error(`${path} does not exist, and the file system is read-only`);
  const url = pathToFileURL(path);
  // SQLite shares the state of the log in a file that it could not create here. If nobody has created it, nobody has the
  // catalogue open, so it does not change.
  if (!existsSync(`${path}-shm`)) {
    if (logSize(path) > 0)
      throw new Error(
        `${path} has changes in its log that cannot be read on a read-only file system; open it once on a writable one`,
      );
    url.searchParams.set('immutable', '1');
  }
  return open(url, true, (database) => {
    if (!isCurrent(database, schema))
      throw new Error(`${path} needs a migration; run "zukan migrate" while the file system is writable`);
  });
}

// Schema migrations of a database file.

/** The file's `user_version` counts the steps applied. */
export interface FileSchema extends Schema {
  /** Stored in the file, so that another program's database is never migrated by mistake. */
  application: number;
}

/** Documents of 1 to 2 kB waste a sixth of pages of 4 kB, SQLite's default: importing them takes a quarter more CPU time. */
const PAGE_SIZE = 8192;

/** Creates the schema in a new file. Throws if the file has an older one. */
function requireSchema(database: DatabaseSync, schema: FileSchema, newId: NewId): void {
  // Takes no lock, so that commands can start while an import runs.
  if (pragma(database, 'user_version') === 0 && !isCurrent(database, schema))
    migrate(database, schema, newId);
  else requireCurrent(database, schema);
}

function requireCurrent(database: DatabaseSync, schema: FileSchema): void {
  if (!isCurrent(database, schema)) throw new OutdatedCatalogue();
}

/** Whether another command is creating the file, or was killed when it began: there is nothing in it. */
export function isBegun(path: string): boolean {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return database.prepare('select 1 from sqlite_schema').get() === undefined;
  } catch {
    // Whoever opens it says what is wrong.
    return false;
  }
}

/** Applies the missing steps under the write lock, so that several processes may start at once. */
function migrate(database: DatabaseSync, schema: FileSchema, newId: NewId): void {
  // This changes a new file only.
  database.exec(`pragma page_size = ${PAGE_SIZE}; pragma journal_mode = wal`);
  database.exec('begin immediate');
  try {
    for (const step of missingSteps(schema, pragma(database, 'user_version')))
      if (typeof step === 'string') database.exec(step);
      else migrateData(database, step(newId));
    database.exec(`pragma application_id = ${schema.application}`);
    database.exec(`pragma user_version = ${newestStep(schema)}`);
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

function migrateData(database: DatabaseSync, statements: ReturnType<DataMigration>): void {
  const prepared = new Map<string, StatementSync>();
  let next = statements.next();
  while (!next.done) {
    const { text, values } = next.value;
    const statement = prepared.get(text) ?? database.prepare(text.replaceAll('$', '?'));
    prepared.set(text, statement);
    next = statements.next(statement.all(...(values as SQLInputValue[])));
  }
}

/** Whether no step is missing. Throws if this version cannot migrate the file. */
function isCurrent(database: DatabaseSync, schema: FileSchema): boolean {
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as {
    tables: number;
  };
  if (tables > 0 && pragma(database, 'application_id') !== schema.application)
    throw new Error('the database file belongs to another program; name another file in DATABASE_URL');
  return missingSteps(schema, pragma(database, 'user_version')).length === 0;
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}

// The identity of a catalogue in its database and beside its tokens.

/** The identity in a file that may not exist. */
export function findIdentity(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return undefined;
  using database = new DatabaseSync(path, { readOnly: true });
  return readIdentity(database);
}

/** Undefined in a file of an older version. */
export function readIdentity(database: DatabaseSync): string | undefined {
  if (!database.prepare("select 1 from sqlite_schema where name = 'identity'").get()) return undefined;
  return database.prepare('select id from identity').get()?.id as string | undefined;
}

// Notices a damaged database file. SQLite detects damage to its own structures, but returns damaged text as it is, and
// responses are joined from stored texts without parsing them.

export class DamagedError extends Error {}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = [11, 26];

export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  // The low byte is the primary code.
  return error instanceof DamagedError || (errcode !== undefined && damageCodes.includes(errcode & 0xff));
}

/** Verifies image documents of one version of the catalogue, each when it is read for the first time. */
export class DocumentVerifier {
  readonly #verified: Uint32Array;

  constructor(lastImage: number) {
    this.#verified = emptyBits(lastImage + 1);
  }

  verify(image: number, document: unknown): Document {
    if (typeof document !== 'string') throw new DamagedError(`the fields of image ${image} are missing`);
    // Parsing takes as long as reading, so it is not repeated. The health check looks at every document again.
    if (hasBit(this.#verified, image)) return document;
    this.verifyAgain(image, document);
    return document;
  }

  verifyAgain(image: number, document: unknown): void {
    if (typeof document !== 'string' || !isWhole(document))
      throw new DamagedError(`the fields of image ${image} are damaged`);
    setBit(this.#verified, image);
  }
}

/** Parses the public JSON without the contents of its placeholders, and what follows it. */
export function isWhole(document: Document): boolean {
  try {
    const stored = parseStored(document);
    const image = JSON.parse(stored.json) as Image;
    const { id, url, categories, characters, createdAt, meta } = image;
    // The cache looks for the lists, and the file name repeats the id.
    const hasLists = Array.isArray(categories) && Array.isArray(characters) && typeof createdAt === 'string';
    const hasLink = url === '' && stored.fileName === fileName(id, meta.mimetype) && stored.key !== '';
    const hasArtist = (JSON.parse(stored.artist) as Artist).id === image.artist;
    const hasPreviews = stored.previews === undefined || parsePreviews(stored.previews) !== undefined;
    const details = Object.values(parseDetails(stored.details));
    const hasDetails = details.every((text) => typeof text === 'string');
    const hasMeta = meta.expires === '' && typeof meta.dimens === 'object';
    return hasLists && hasLink && hasArtist && hasDetails && hasPreviews && hasMeta;
  } catch {
    return false;
  }
}

/** Verifies the JSON of an artist, character or category. */
export function verifyEntry(document: unknown): ByteString {
  try {
    const { buffer, byteOffset, byteLength } = document as Uint8Array<ArrayBuffer>;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    const json = bytes.toString('latin1');
    // What JSON consists of is ASCII, so it can be parsed without decoding it.
    if (isUtf8(bytes) && typeof JSON.parse(json).id === 'string') return json;
  } catch {}
  throw new DamagedError('the fields of an artist, character or category are damaged');
}
