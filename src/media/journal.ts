/**
 * The journal of an intake: a hidden local file with the keys whose bytes are being taken in. It is gone when the intake
 * ends; one that is still there belongs to a process that was killed, or that is still running.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = '.intake-';

export interface Journal {
  /** The keys noted so far. */
  readonly keys: Iterable<string>;
  /** To be waited for before the bytes are there: should we be killed, the next import knows what to look for. */
  note(key: string): Promise<void>;
  end(): Promise<void>;
  /** Ends, but leaves the journal for the next import. */
  abandon(): Promise<void>;
}

export async function startJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${PREFIX}${randomUUID()}`);
  const file = await open(path, 'a');
  const noted = new Map<string, Promise<void>>();
  const write = async (key: string) => {
    await file.write(`${key}\n`);
  };
  return {
    keys: { [Symbol.iterator]: () => noted.keys() },

    // Whoever notes a key for the second time waits for the first writing too.
    note(key) {
      const writing = noted.get(key) ?? write(key);
      noted.set(key, writing);
      return writing;
    },

    abandon: () => file.close(),

    async end() {
      await file.close();
      // An import that began since the commit may have taken it away.
      await rm(path, { force: true });
    },
  };
}

/** What all journals of the folder have noted. */
export async function journalled(folder: string): Promise<string[]> {
  const journals = await Promise.all((await journalsOf(folder)).map(readJournal));
  return journals.flatMap((journal) => journal.split('\n').filter(Boolean));
}

/** One that is gone since it was listed belongs to an import that has ended. */
async function readJournal(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

export async function removeJournals(folder: string): Promise<void> {
  for (const path of await journalsOf(folder)) await rm(path, { force: true });
}

async function journalsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
}
