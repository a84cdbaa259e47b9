/**
 * Locks that end with their process. Node has no file locks of its own, but SQLite has: they also work between containers
 * that share a volume, where process ids mean nothing. Nothing else may open the file: closing it would end the lock.
 */
import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** How long to wait for a process that is about to remove the file. */
const TIMEOUT_MS = 5000;

export interface Lock {
  /** Ends the lock and removes the file. */
  release(): void;
}

export function holdLock(path: string, timeout = TIMEOUT_MS): Lock {
  for (;;) {
    const database = new DatabaseSync(path, { timeout });
    try {
      // Without the mode, SQLite would create a second file.
      database.exec('pragma journal_mode = memory; begin exclusive');
    } catch (error) {
      database.close();
      throw error;
    }
    // Another process may have removed the file just before.
    if (existsSync(path)) return { release: () => release(path, database) };
    database.close();
  }
}

function release(path: string, database: DatabaseSync): void {
  rmSync(path, { force: true });
  database.close();
}

/** Whether a process, maybe this one, holds the lock. Otherwise the file is removed. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    holdLock(path, 0).release();
    return false;
  } catch {
    return true;
  }
}
