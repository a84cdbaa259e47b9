/**
 * A journal: a hidden local file that lists keys whose files may become unused, because they are being stored, replaced or
 * removed. The command removes it at its end. A journal that remains belongs to a killed process, or to a command that is
 * still running.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal } from './files.ts';

/** Do not change: after an upgrade, the new version has to find the journals of the old one. */
const PREFIX = '.intake-';

export async function startJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${PREFIX}${randomUUID()}`);
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
    // Adding a key again waits for the first write.
    add(key) {
      const writing = added.get(key) ?? write(key);
      added.set(key, writing);
      return writing;
    },

    async finish() {
      await file.close();
      // A command that started after our commit may have removed it already.
      await rm(path, { force: true });
    },

    abandon: () => file.close(),
  };
}

/** The keys in all journals of the folder. */
export async function readJournals(folder: string): Promise<string[]> {
  const journals = await Promise.all((await listJournals(folder)).map(readJournal));
  return [...new Set(journals.flatMap((journal) => journal.split('\n').filter(Boolean)))];
}

/** A journal that disappears after it was listed belongs to a command that has finished. */
async function readJournal(path: string): Promise<string> {
  return (await ifExists(readFile(path, 'utf8'))) ?? '';
}

export async function removeJournals(folder: string): Promise<void> {
  for (const path of await listJournals(folder)) await rm(path, { force: true });
}

async function listJournals(folder: string): Promise<string[]> {
  const names = (await ifExists(readdir(folder))) ?? [];
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
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
