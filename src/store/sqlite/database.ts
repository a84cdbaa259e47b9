/** The database file: made where it is missing, and written by one command at a time. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, type Schema } from './migrations.ts';

/** How long a command waits for another one that is writing. */
export const BUSY_TIMEOUT_MS = 5000;
const SQLITE_BUSY = 5;

/** Opens the file for writing, making it and bringing its schema up to date where needed. */
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

/** Runs what needs the write lock, and says plainly when another command has it. */
export function exclusively<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error('another command is changing the catalogue; try again when it is done');
  }
}
