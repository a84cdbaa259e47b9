/** Opens database files for reading, also on a read-only file system. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BUSY_TIMEOUT_MS, closeDatabase, logSize, openDatabase } from './database.ts';
import { type FileSchema, isCurrent, requireCurrent } from './migrations.ts';

/** Creates the file where needed and possible. */
export function openForReading(path: string, schema: FileSchema): DatabaseSync {
  if (isOnReadOnlyDisk(path)) return openUnwritable(path, schema);
  if (!existsSync(path)) closeDatabase(openDatabase(path, schema), path);
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    requireCurrent(database, schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
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
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    if (isCurrent(database, schema)) return database;
    throw new Error(`${path} needs a migration; run "zukan migrate" while the file system is writable`);
  } catch (error) {
    database.close();
    throw error;
  }
}
