/**
 * A journal: a hidden local file that lists keys whose files may become unused, because they are being stored, replaced or
 * removed. The command removes it at its end. While the command runs, it holds a lock next to the journal, which the
 * operating system releases when the process ends in whatever way. A journal without a held lock is abandoned.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { flush, ifExists, makeFolder, PRIVATE_FOLDER, removeDatabase } from '../lib/file-system.ts';
import { type Files, isSafeKey, type Journal, type StagingTable, type Upload } from './files.ts';

/** Do not change: after an upgrade, the new version has to find the journals of the old one. */
const PREFIX = '.intake-';
const LOCK_SUFFIX = '.lock';
/** The id of its upload's journal follows in the name of a temporary file. Do not change it either. */
export const TEMPORARY_PREFIX = '.aside-';

export async function startJournal(folder: string): Promise<Journal> {
  makeFolder(folder, PRIVATE_FOLDER);
  const id = randomUUID();
  const path = join(folder, `${PREFIX}${id}`);
  // Fails with a clear message if the folder cannot be written.
  await (await open(path + LOCK_SUFFIX, 'a')).close();
  // First, so that the journal is never without it.
  const unlock = holdLock(path + LOCK_SUFFIX);
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
      const { running } = await sortLeftovers(folder);
      const others = await Promise.all(running.filter((other) => other !== path).map(readLines));
      return [...own.difference(new Set(others.flat()))];
    },

    async finish() {
      await file.close();
      await rm(path, { force: true });
      unlock();
    },

    async abandon() {
      await file.close();
      unlock();
    },
  };
}

/** What commands leave in a folder until they end: their journals, and temporary files of uploads. */
export function openJournals(
  folder: string,
  staging: StagingTable,
): Pick<Files, 'startJournal' | 'journaledKeys' | 'findLeftovers' | 'handleAbandoned'> {
  return {
    startJournal: () => startJournal(folder),

    async journaledKeys() {
      const texts = (await listJournals(folder)).map(({ path }) => readLines(path).catch(() => []));
      return [...new Set((await Promise.all(texts)).flat())];
    },

    async findLeftovers() {
      const { running, abandoned, temporary, problems } = await sortLeftovers(folder, staging);
      const hasAbandoned = abandoned.length + temporary.length + staging.expiredKeys().length > 0;
      return { isRunning: running.length > 0, hasAbandoned, problems };
    },

    // Keys that a running command lists too are left to that command, and staged files to the next attempt of their import, if
    // that comes in time. A failure is passed on, and leaves its journal to the next command.
    async handleAbandoned(work, onFailure) {
      const { running, abandoned, temporary } = await sortLeftovers(folder, staging);
      const inUse = new Set((await Promise.all(running.map(readLines))).flat());
      const handle = async (keys: string[], forget: () => unknown) => {
        try {
          const left = new Set(keys).difference(inUse);
          await work([...left.difference(staging.listed([...left]))]);
          await forget();
        } catch (error) {
          onFailure(error as Error);
        }
      };
      for (const { path, keys } of abandoned) await handle(keys, () => rm(path, { force: true }));
      const expired = staging.expiredKeys();
      if (expired.length > 0) await handle(expired, () => staging.forgetExpired());
      for (const name of temporary) await rm(join(folder, name), { force: true });
    },
  };
}

/** The paths of journals, and the names of temporary files. */
interface SortedLeftovers {
  running: string[];
  abandoned: { path: string; keys: string[] }[];
  /** Those that no running upload is writing, as far as is known. */
  temporary: string[];
  /** Why other journals cannot be used, and what to do, as sentences. */
  problems: string[];
}

/** With a staging table, what imports staged that have ended since is kept for their next attempts. */
async function sortLeftovers(folder: string, staging?: StagingTable): Promise<SortedLeftovers> {
  // Both first: an import has a journal before it stages anything, and an upload before it writes a file.
  const staged = staging?.running() ?? [];
  const files = ((await ifExists(readdir(folder))) ?? []).filter((name) => name.startsWith(TEMPORARY_PREFIX));
  const sorted: SortedLeftovers = { running: [], abandoned: [], temporary: [], problems: [] };
  const otherIds: string[] = [];
  for (const { path, isComplete } of await listJournals(folder))
    try {
      if (isLocked(path + LOCK_SUFFIX)) sorted.running.push(path);
      else if (isComplete) sorted.abandoned.push({ path, keys: await readKeys(path) });
    } catch (error) {
      const advice = 'delete it, then run "zukan check --repair"';
      sorted.problems.push(`the journal ${path} cannot be used: ${(error as Error).message}; ${advice}`);
      otherIds.push(idOf(path));
    }
  otherIds.push(...sorted.running.map(idOf));
  staging?.keep(staged.filter((id) => !otherIds.includes(id)));
  const isUsed = (name: string) => otherIds.some((id) => name.startsWith(TEMPORARY_PREFIX + id));
  return { ...sorted, temporary: files.filter((name) => !isUsed(name)) };
}

/** The part of an upload that is the same in every storage. `addNew` lists a key that was not stored before. */
export function trackKeys(journal: Journal) {
  const [added, takenOver, released] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const list = async (keys: string[], group: Set<string>): Promise<void> => {
    for (const key of keys) group.add(key);
    await Promise.all(keys.map((key) => journal.add(key)));
  };
  return {
    added: added as ReadonlySet<string>,
    addNew: (key: string) => list([key], added),
    takeOver: (keys: string[]) => list(keys, takenOver),
    release: (keys: string[]) => list(keys, released),
    newKeys: () => [...added.union(takenOver)],
    releasedKeys: () => journal.withoutShared(released),
    id: journal.id,
    finish: journal.finish,
    abandon: journal.abandon,
  };
}

/** `put` returns the entity tag that the storage would assign. */
export const dryRunUpload = (put: Upload['put']): Upload => ({
  id: '',
  put,
  takeOver: async (keys) => keys,
  release: async () => {},
  flush: async () => {},
  findLost: async () => [],
  newKeys: () => [],
  releasedKeys: async () => [],
  finish: async () => {},
  abandon: async () => {},
});

const idOf = (journal: string) => basename(journal).slice(PREFIX.length);

/** The keys are used as paths, so that those of a damaged journal could lead anywhere. */
async function readKeys(path: string): Promise<string[]> {
  const keys = await readLines(path);
  const wrong = keys.find((key) => !isSafeKey(key));
  if (wrong !== undefined) throw new Error(`it lists ${JSON.stringify(wrong)}, which is not a key`);
  return keys;
}

/** A journal that disappears after it was listed belongs to a command that has finished. */
async function readLines(path: string): Promise<string[]> {
  const text = (await ifExists(readFile(path, 'utf8'))) ?? '';
  // A power failure can cut off the last line, before its file is stored.
  return text.split('\n').slice(0, -1);
}

/** A lock without a journal belongs to a command that is starting, or was killed then. */
async function listJournals(folder: string): Promise<{ path: string; isComplete: boolean }[]> {
  const names = new Set((await ifExists(readdir(folder))) ?? []);
  const journals = [...names]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => (name.endsWith(LOCK_SUFFIX) ? name.slice(0, -LOCK_SUFFIX.length) : name));
  return [...new Set(journals)].map((name) => ({ path: join(folder, name), isComplete: names.has(name) }));
}

/** How long to wait for a process that is about to remove the file. */
const TIMEOUT_MS = 5000;

/**
 * Locks that end with their process. Node has no file locks of its own, but SQLite has: they also work between containers
 * that share a volume, where process ids mean nothing. Nothing else may open the file: closing it would end the lock.
 */
export function lockFile(path: string, timeout: number): DatabaseSync {
  const database = new DatabaseSync(path, { timeout });
  try {
    // Without the mode, SQLite would create a second file.
    database.exec('pragma journal_mode = memory; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const SQLITE_BUSY = 5;

/** Whether a process, maybe this one, holds the lock. */
export const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;

/** Returns what ends the lock and removes the file. */
function holdLock(path: string, timeout = TIMEOUT_MS): () => void {
  for (;;) {
    const database = lockFile(path, timeout);
    // Another process may have removed the file just before.
    if (existsSync(path)) return () => removeDatabase(database, path);
    database.close();
  }
}

/** If nobody holds the lock, the file is removed. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    holdLock(path, 0)();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}
