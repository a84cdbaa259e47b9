/** Image files in a local folder. The key is the path. */
import { randomUUID } from 'node:crypto';
import {
  access,
  constants,
  type FileHandle,
  glob,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { inParallel } from '../parallel.ts';
import type { Files, OpenFile, Upload } from './files.ts';
import { readJournals, removeJournals, startJournal } from './journal.ts';

/** Hidden files in the folder are journals and temporary files. Do not change: see `PREFIX` in journal.ts. */
const TEMPORARY_PREFIX = '.aside-';
const MAX_CONCURRENT_FLUSHES = 16;

export function openFolder(folder: string): Files {
  return {
    async open(key: string): Promise<OpenFile | undefined> {
      const handle = await openIfExists(join(folder, key));
      if (!handle) return undefined;
      const facts = await handle.stat();
      if (facts.isFile()) return openFile(handle, facts.size);
      await handle.close();
      return undefined;
    },

    async verify(): Promise<void> {
      await access(folder, constants.R_OK | constants.X_OK);
      await using entries = await opendir(folder);
      // A disk that is not mounted leaves an empty folder.
      if ((await entries.read()) === null) throw new Error(`${folder} is empty`);
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
    abandonedKeys: () => readJournals(folder),

    async clearAbandoned(): Promise<void> {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((name) => name.startsWith(TEMPORARY_PREFIX)))
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
      if (before === undefined) await journal.add(key);
      await mkdir(dirname(path), { recursive: true });
      await writeAtomically(path, join(folder, `${TEMPORARY_PREFIX}${randomUUID()}`), bytes);
      return hash;
    },

    async flush() {
      const paths = [...journal.keys].map((key) => join(folder, key));
      // At the end and once per folder: flushing each file as it is stored takes ten times as long.
      await inParallel([...paths, ...new Set(paths.map(dirname))], MAX_CONCURRENT_FLUSHES, flush);
    },

    newKeys: () => [...journal.keys],
    finish: () => journal.finish(),
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

/** Writes a temporary file and renames it, so that nobody reads a partial file. */
async function writeAtomically(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
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

/** The file does not exist, or cannot exist: a parent is a file, or the name is too long. */
const notFoundCodes = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (notFoundCodes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
