/** Opens the database file, and guards it against two writers. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { LockTimeout } from '../../../catalogue/writer.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../../lib/file-system.ts';
import type { NewId } from '../../migrations/migrations.ts';
import { LOCK_TIMEOUT_MS, type LockOptions } from '../../session.ts';
import { type FileSchema, isCurrent, migrate, requireSchema } from './migrations.ts';

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
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    requireSchema(database, schema, newId);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
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
  if (!statSync(path, { throwIfNoEntry: false })?.size) return;
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
