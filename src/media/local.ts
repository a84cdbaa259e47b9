/** Image bytes in a folder, each file under its key. */
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
      const there = await stat(path).catch(() => undefined);
      if (there?.size === bytes.length) return false;
      await mkdir(dirname(path), { recursive: true });
      // Written aside and renamed, so that nobody ever reads half a file; flushed, so that a power cut cannot empty it.
      const aside = join(folder, `.${process.pid}-${key.replaceAll('/', '-')}`);
      await writeFile(aside, bytes, { flush: true });
      await rename(aside, path);
      return true;
    },

    async remove(key: string): Promise<void> {
      await rm(pathOf(key), { force: true });
    },
  };
}

function openFile(handle: FileHandle, size: number): OpenFile {
  return {
    size,
    stream: (start, end) => handle.createReadStream({ start, end }),
    close: () => handle.close(),
  };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
