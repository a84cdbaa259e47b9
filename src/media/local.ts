/** Image bytes in a folder, each file under its key. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Files, OpenFile } from '../model.ts';

export function openFolder(folder: string): Files {
  const pathOf = (key: string) => join(folder, key);
  return {
    async open(key: string): Promise<OpenFile | undefined> {
      const handle = await openIfThere(pathOf(key));
      if (!handle) return undefined;
      const facts = await handle.stat();
      if (facts.isFile()) return openFile(handle, facts.size);
      await handle.close();
      return undefined;
    },

    async put(key: string, bytes: Uint8Array): Promise<boolean> {
      const path = pathOf(key);
      const before = await stat(path).catch(() => undefined);
      if (before?.size === bytes.length) return false;
      await mkdir(dirname(path), { recursive: true });
      await writeWhole(path, join(folder, `.${randomUUID()}`), bytes);
      return before === undefined;
    },

    async remove(key: string): Promise<void> {
      await rm(pathOf(key), { force: true });
    },
  };
}

/**
 * Written aside and renamed, so that nobody ever reads half a file; file and folder are flushed, so that a power cut does
 * not take what the catalogue already counts on.
 */
async function writeWhole(path: string, aside: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(aside, bytes, { flush: true });
    await rename(aside, path);
    await using folder = await open(dirname(path), 'r');
    await folder.sync();
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
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
