/**
 * A journal: a hidden local file that lists keys whose files may become unused, because they are being stored, replaced or
 * removed. The command removes it at its end. While the command runs, it holds a lock next to the journal, which the
 * operating system releases when the process ends in whatever way. A journal without a held lock is abandoned.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { originalKey } from '../catalogue/documents/document.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { inBatches } from '../lib/concurrency.ts';
import { flush, ifExists, makeFolder, PRIVATE_FOLDER, removeDatabase } from '../lib/file-system.ts';
import { isSafeKey, type Journal, type Leftovers, type PreparedFile, type PreparedFiles } from './files.ts';

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
      const others = await Promise.all(running.filter((other) => other !== path).map(readLines));
      return [...own.difference(new Set(others.flat()))];
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

/** The keys in all journals that can be read: of commands that run, and of those that were killed. */
export async function readJournals(folder: string): Promise<string[]> {
  const texts = (await listJournals(folder)).map(({ path }) => readLines(path).catch(() => []));
  return [...new Set((await Promise.all(texts)).flat())];
}

/** The journals of a folder. */
interface Journals {
  /** The ids of those that are not abandoned, as far as is known. */
  otherIds: string[];
  running: string[];
  abandoned: { path: string; keys: string[] }[];
  /** Why the others cannot be used, and what to do, as sentences. */
  problems: string[];
}

export async function sortJournals(folder: string): Promise<Journals> {
  const sorted: Journals = { otherIds: [], running: [], abandoned: [], problems: [] };
  for (const { path, isComplete } of await listJournals(folder))
    try {
      if (isLocked(path + LOCK_SUFFIX)) sorted.running.push(path);
      else if (isComplete) sorted.abandoned.push({ path, keys: await readKeys(path) });
    } catch (error) {
      const advice = 'delete it, then run "zukan check --repair"';
      sorted.problems.push(`the journal ${path} cannot be used: ${(error as Error).message}; ${advice}`);
      sorted.otherIds.push(idOf(path));
    }
  sorted.otherIds.push(...sorted.running.map(idOf));
  return sorted;
}

export function describeLeftovers(
  { running, abandoned, problems }: Journals,
  prepared: PreparedFiles,
): Leftovers {
  const hasAbandoned = abandoned.length > 0 || prepared.expiredKeys().length > 0;
  return { isRunning: running.length > 0, hasAbandoned, problems };
}

/**
 * Passes on the keys in each abandoned journal, and then removes it. Keys that a running command lists too are left to that
 * command, and prepared files to the next attempt of their import, if that comes in time. A failure is passed on, and leaves
 * its journal to the next command.
 */
export async function handleAbandoned(
  { running, abandoned }: Journals,
  prepared: PreparedFiles,
  work: (keys: string[]) => Promise<void>,
  onFailure: (error: Error) => void,
): Promise<void> {
  const inUse = new Set((await Promise.all(running.map(readLines))).flat());
  const handle = async (keys: string[], forget: () => unknown) => {
    try {
      const left = new Set(keys).difference(inUse);
      await work([...left.difference(prepared.listed([...left]))]);
      await forget();
    } catch (error) {
      onFailure(error as Error);
    }
  };
  for (const { path, keys } of abandoned) await handle(keys, () => rm(path, { force: true }));
  const expired = prepared.expiredKeys();
  if (expired.length > 0) await handle(expired, () => prepared.forgetExpired());
}

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
    if (existsSync(path)) return { release: () => removeDatabase(database, path) };
    database.close();
  }
}

const SQLITE_BUSY = 5;

/** Whether a process, maybe this one, holds the lock. Otherwise the file is removed. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    holdLock(path, 0).release();
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return true;
    throw error;
  }
}

// What imports have stored of source files before they could commit: a small local database next to the journals. It keeps
// the stored files from being removed as leftovers, so that the next attempt need not read the source files again. It is
// only a memory aid: a database that cannot be used is removed, and the import does its work again.

/** How long an import can be continued. */
const MAX_AGE_MS = 7 * DAY_MS;
/** SQLite's codes for a file that is damaged, no database, or of another version. The others may not last. */
const UNUSABLE = [1, 11, 14, 26];
const BATCH_SIZE = 1000;

const SCHEMA = `
  create table if not exists prepared (
    path text primary key, fingerprint text not null, key text not null, keys text not null, hashes text not null,
    facts text not null, prepared_at integer not null
  ) strict;
  create index if not exists prepared_key on prepared (key);`;

type Row = Record<'path' | 'fingerprint' | 'keys' | 'hashes' | 'facts', string>;
const isGiven = 'in (select value from json_each(?))';

export function openPrepared(path: string, clock: Clock): PreparedFiles {
  /** Returns `otherwise` if there is no database, or none that can be used. Fails if it is locked, or the disk does. */
  const use = <T>(otherwise: T, work: (database: DatabaseSync) => T): T => {
    if (!existsSync(path)) return otherwise;
    try {
      using database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
      database.exec(SCHEMA);
      return work(database);
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode !== undefined && !UNUSABLE.includes(errcode & 0xff)) throw error;
      discard(path);
      return otherwise;
    }
  };
  const readKeys = (where: string, ...parameters: SQLInputValue[]): string[] =>
    use([], (database) => {
      const rows = database.prepare(`select keys from prepared where ${where}`).all(...parameters) as Row[];
      return rows.flatMap(({ keys }) => JSON.parse(keys));
    });
  /** The database goes with its last row. */
  const forget = (where: string, ...parameters: SQLInputValue[]): void =>
    use(undefined, (database) => {
      database.prepare(`delete from prepared where ${where}`).run(...parameters);
      // Under a lock: what another command adds meanwhile is lost before it relies on it.
      database.exec('begin immediate');
      const isEmpty = database.prepare('select 1 from prepared limit 1').get() === undefined;
      if (isEmpty) removeDatabase(database, path);
      else database.exec('rollback');
    });
  const oldest = () => clock() - MAX_AGE_MS;

  return {
    find: (paths) =>
      use([], (database) => {
        const text = `select path, fingerprint, keys, hashes, facts from prepared where path ${isGiven}`;
        return (database.prepare(text).all(JSON.stringify(paths)) as Row[]).map(parseRow);
      }),

    save(files) {
      createFile(path);
      use(undefined, (database) => {
        const fields = ['path', 'fingerprint', 'keys[0]', 'keys', 'hashes', 'facts'];
        const columns = fields.map((name) => `value ->> '$.${name}'`).join();
        database
          .prepare(`insert or replace into prepared select ${columns}, ? from json_each(?)`)
          .run(clock(), JSON.stringify(files));
      });
    },

    keysOf: (hashes) =>
      readKeys(`exists (select 1 from json_each(hashes) where value ${isGiven})`, JSON.stringify(hashes)),

    keysBelow: (folder) => readKeys('substr(path, 1, length(?1)) = ?1', prefixOf(folder)),
    forgetBelow: (folder) => forget('substr(path, 1, length(?1)) = ?1', prefixOf(folder)),

    forget: (keys) => {
      for (const batch of inBatches(keys, BATCH_SIZE))
        forget(`key ${isGiven}`, JSON.stringify(batch.map((key) => originalKey(key) ?? key)));
    },

    listed(keys) {
      const found = new Set<string>();
      for (const batch of inBatches(keys, BATCH_SIZE)) {
        const originals = JSON.stringify(batch.map((key) => originalKey(key) ?? key));
        const listed = readKeys(`key ${isGiven} and prepared_at >= ?`, originals, oldest());
        for (const key of listed) found.add(key);
      }
      return found;
    },

    expiredKeys: () => readKeys('prepared_at < ?', oldest()),
    forgetExpired: () => forget('prepared_at < ?', oldest()),
  };
}

function parseRow({ path, fingerprint, keys, hashes, facts }: Row): PreparedFile {
  return { path, fingerprint, keys: JSON.parse(keys), hashes: JSON.parse(hashes), facts };
}

const prefixOf = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

/** Names of folders and metadata of pictures are nobody else's business. SQLite's own journal gets the mode of the file. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  try {
    makeFolder(dirname(path), PRIVATE_FOLDER);
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // Another process may have created it just now. Otherwise nothing is kept.
  }
}

function discard(path: string): void {
  for (const name of [path, `${path}-journal`])
    try {
      rmSync(name, { force: true, recursive: true });
    } catch {
      // It is tried again the next time.
    }
}
