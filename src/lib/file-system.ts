/** What the file system modules of Node lack. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Only for the user that zukan runs as. */
export const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder, and those above it, if it does not exist. The mode is that of every new one. Node's recursive `mkdir` never
 * returns if the file system refuses a folder with ENOENT, as /proc does.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it just now.
    if (isFolder(path)) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw error;
    throw Object.assign(new Error(`${path} cannot be created; choose another place`), { code });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Writes a temporary file and renames it, so that nobody reads a partial file. What is there but no regular file, such as a device, a
 * pipe or a symbolic link, is written directly, because a file would take its place.
 */
export async function replaceFile(
  path: string,
  temporary: string,
  write: (path: string, isRegular: boolean) => Promise<void>,
): Promise<void> {
  const isRegular = (await lstat(path).catch(() => undefined))?.isFile() ?? true;
  if (!isRegular) return write(path, false);
  try {
    await write(temporary, true);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The SHA-256 of a stream. */
export async function hashChunks(chunks: AsyncIterable<unknown> | Iterable<unknown>): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of chunks) sum.update(chunk as Buffer);
  return sum.digest('hex');
}

export const hashFile = (path: string): Promise<string> => hashChunks(createReadStream(path));
