/**
 * A journal: a hidden local file that lists keys whose files may become unused, because they are being stored, replaced or
 * removed. The command removes it at its end. While the command runs, it holds a lock next to the journal, which the
 * operating system releases when the process ends in whatever way. A journal without a held lock is abandoned.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder, PRIVATE_FOLDER } from '../lib/file-system.ts';
import type { Journal, PreparedFiles } from './files.ts';

/** Do not change: after an upgrade, the new version has to find the journals of the old one. */
const PREFIX = '.intake-';
const LOCK_SUFFIX = '.lock';

export async function startJournal(folder: string): Promise<Journal> {
  makeFolder(folder, PRIVATE_FOLDER);
  const id = randomUUID();
  const path = join(folder, `${PREFIX}${id}`);
  // Fails with a clear message if the folder cannot be written.
  await (await open(path + LOCK_SUFFIX, 'a')).close();
  // First, so that the journal is never without it.
  const lock = holdLock(path + LOCK_SUFFIX);
  const file = await open(path, 'a');
  await flush(folder);
  const added = new Map<string, Promise<void>>();
  let waiting: string[] = [];
  let last = Promise.resolve();
  let queued: Promise<void> | undefined;
  /** Each write takes all keys that were added during the one before: flushing every key on its own would be slow. */
  const write = (key: string): Promise<void> => {
    waiting.push(key);
    queued ??= last.then(async () => {
      const keys = waiting;
      [waiting, queued] = [[], undefined];
      await file.appendFile(keys.map((key) => `${key}\n`).join(''));
      await file.datasync();
    });
    last = queued;
    return queued;
  };
  return {
    id,

    // Adding a key again waits for the first write.
    add(key) {
      const writing = added.get(key) ?? write(key);
      added.set(key, writing);
      return writing;
    },

    async withoutShared(keys) {
      const own = new Set(keys);
      if (own.size === 0) return [];
      const { running } = await sortJournals(folder);
      return [...own.difference(new Set(await readKeys(running.filter((other) => other !== path))))];
    },

    async finish() {
      await file.close();
      await rm(path, { force: true });
      lock.release();
    },

    async abandon() {
      await file.close();
      lock.release();
    },
  };
}

/** The keys in all journals of the folder: of commands that run, and of those that were killed. */
export async function readJournals(folder: string): Promise<string[]> {
  return readKeys(await listJournals(folder));
}

/** The abandoned journals, and the ids of the others. */
export async function findAbandoned(folder: string): Promise<{ abandoned: string[]; runningIds: string[] }> {
  const { running, abandoned } = await sortJournals(folder);
  return { abandoned, runningIds: running.map(idOf) };
}

/**
 * Passes on the keys in the abandoned journals and the ids of the others, and then removes the abandoned ones. Keys that a
 * running command lists too are left to that command, and prepared files to the next attempt of their import, if that comes
 * in time.
 */
export async function handleAbandoned(
  folder: string,
  prepared: PreparedFiles,
  work: (keys: string[], runningIds: string[]) => Promise<void>,
): Promise<void> {
  const { running, abandoned } = await sortJournals(folder);
  const left = new Set([...(await readKeys(abandoned)), ...prepared.expiredKeys()]);
  const keys = left.difference(new Set(await readKeys(running))).difference(prepared.listed([...left]));
  await work([...keys], running.map(idOf));
  for (const path of abandoned) await rm(path, { force: true });
  prepared.forgetExpired();
}

async function sortJournals(folder: string): Promise<{ running: string[]; abandoned: string[] }> {
  const { running = [], abandoned = [] } = Object.groupBy(await listJournals(folder), (path) =>
    isLocked(path + LOCK_SUFFIX) ? 'running' : 'abandoned',
  );
  return { running, abandoned };
}

const idOf = (journal: string) => basename(journal).slice(PREFIX.length);

async function readKeys(journals: string[]): Promise<string[]> {
  const texts = await Promise.all(journals.map(readJournal));
  return [...new Set(texts.flatMap((text) => text.split('\n').filter(Boolean)))];
}

/** A journal that disappears after it was listed belongs to a command that has finished. */
async function readJournal(path: string): Promise<string> {
  return (await ifExists(readFile(path, 'utf8'))) ?? '';
}

/** The paths of the journals. A killed process may leave a lock without a journal, which counts as an empty one. */
async function listJournals(folder: string): Promise<string[]> {
  const names = (await ifExists(readdir(folder))) ?? [];
  const journals = names.filter((name) => name.startsWith(PREFIX)).map((name) => name.replace(/\.lock$/, ''));
  return [...new Set(journals)].map((name) => join(folder, name));
}

/** The result, or undefined if the file or folder does not exist. */
export async function ifExists<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a file, or the names in a folder, survive a power failure. */
export async function flush(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/** How long to wait for a process that is about to remove the file. */
const TIMEOUT_MS = 5000;

interface Lock {
  /** Ends the lock and removes the file. */
  release(): void;
}

/**
 * Locks that end with their process. Node has no file locks of its own, but SQLite has: they also work between containers
 * that share a volume, where process ids mean nothing. Nothing else may open the file: closing it would end the lock.
 */
function holdLock(path: string, timeout = TIMEOUT_MS): Lock {
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
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    holdLock(path, 0).release();
    return false;
  } catch {
    return true;
  }
}
