/** Opens the database file, and guards it against two writers. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, type Schema } from './migrations.ts';

/** How long a command waits for another one to finish writing. */
export const BUSY_TIMEOUT_MS = 5000;
/** How long to wait for readers to finish. An export may read for minutes. */
const CHECKPOINT_TIMEOUT_MS = 1000;
const SQLITE_BUSY = 5;

/** Opens the file for writing. Creates it and migrates its schema where needed. */
export function openDatabase(path: string, schema: Schema): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    migrate(database, schema);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
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

/** Runs work that takes the write lock. Throws a clear error if another command holds it. */
export function exclusively<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error('another command is changing the catalogue; try again when it has finished');
  }
}
