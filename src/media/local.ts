/** Image bytes in a folder, each file under its key. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, glob, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { inParallel } from '../parallel.ts';
import type { Files, OpenFile, Upload } from './files.ts';
import { journalled, removeJournals, startJournal } from './journal.ts';

/** Hidden files of the folder are ours: bytes that are being written, and the journals of intakes. */
const ASIDE = '.aside-';
/** How many files are flushed to the disk at a time. */
const FLUSHED_AT_ONCE = 16;

export function openFolder(folder: string): Files {
  return {
    async open(key: string): Promise<OpenFile | undefined> {
      const handle = await openIfThere(join(folder, key));
      if (!handle) return undefined;
      const facts = await handle.stat();
      if (facts.isFile()) return openFile(handle, facts.size);
      await handle.close();
      return undefined;
    },

    async remove(key: string): Promise<void> {
      await rm(join(folder, key), { force: true });
    },

    async *keys(): AsyncGenerator<string, void> {
      for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
        if (entry.isFile() && !entry.name.startsWith('.')) yield path.split(sep).join('/');
      }
    },

    beginUpload: () => beginUpload(folder),
    dryRunUpload: () => dryRunUpload,
    abandonedKeys: () => journalled(folder),

    async clearAbandoned(): Promise<void> {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((name) => name.startsWith(ASIDE)))
        await rm(join(folder, name), { force: true });
      await removeJournals(folder);
    },
  };
}

async function beginUpload(folder: string): Promise<Upload> {
  const journal = await startJournal(folder);
  return {
    async put(key, bytes, { hash }) {
      const path = join(folder, key);
      const before = await stat(path).catch(() => undefined);
      if (before?.size === bytes.length) return hash;
      if (before === undefined) await journal.note(key);
      await mkdir(dirname(path), { recursive: true });
      await writeAside(path, join(folder, `${ASIDE}${randomUUID()}`), bytes);
      return hash;
    },

    async flush() {
      const paths = [...journal.keys].map((key) => join(folder, key));
      // Once for each folder, and at the end: flushing file by file as they come takes ten times as long.
      await inParallel([...paths, ...new Set(paths.map(dirname))], FLUSHED_AT_ONCE, flush);
    },

    newKeys: () => [...journal.keys],
    finish: () => journal.end(),
    abandon: () => journal.abandon(),
  };
}

const dryRunUpload: Upload = {
  put: async (_key, _bytes, { hash }) => hash,
  flush: async () => {},
  newKeys: () => [],
  finish: async () => {},
  abandon: async () => {},
};

/** Written aside and renamed, so that nobody ever reads half a file. */
async function writeAside(path: string, aside: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(aside, bytes);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

function openFile(handle: FileHandle, size: number): OpenFile {
  return {
    size,
    stream: (start, end) => handle.createReadStream({ start, end }),
    close: () => handle.close(),
  };
}

/** What cannot be there, because of a file where a folder should be or a name that is too long, is not there. */
const absent = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (absent.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
