/**
 * The journal of an upload: a hidden local file that lists the keys being stored. The upload removes it at its end. A
 * journal that remains belongs to a killed process, or to an upload that is still running.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Do not change: after an upgrade, the new version has to find the journals of the old one. */
const PREFIX = '.intake-';

export interface Journal {
  /** The keys added so far. */
  readonly keys: Iterable<string>;
  /** Await this before storing the bytes, so that the next import finds them if this process is killed. */
  add(key: string): Promise<void>;
  /** Removes the journal. */
  finish(): Promise<void>;
  /** Leaves the journal to the next import. */
  abandon(): Promise<void>;
}

export async function startJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${PREFIX}${randomUUID()}`);
  const file = await open(path, 'a');
  const added = new Map<string, Promise<void>>();
  const write = async (key: string) => {
    await file.write(`${key}\n`);
  };
  return {
    keys: { [Symbol.iterator]: () => added.keys() },

    // Adding a key again waits for the first write.
    add(key) {
      const writing = added.get(key) ?? write(key);
      added.set(key, writing);
      return writing;
    },

    async finish() {
      await file.close();
      // An import that started after our commit may have removed it already.
      await rm(path, { force: true });
    },

    abandon: () => file.close(),
  };
}

/** The keys in all journals of the folder. */
export async function readJournals(folder: string): Promise<string[]> {
  const journals = await Promise.all((await listJournals(folder)).map(readJournal));
  return journals.flatMap((journal) => journal.split('\n').filter(Boolean));
}

/** A journal that disappears after it was listed belongs to an import that has finished. */
async function readJournal(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

export async function removeJournals(folder: string): Promise<void> {
  for (const path of await listJournals(folder)) await rm(path, { force: true });
}

async function listJournals(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
}
