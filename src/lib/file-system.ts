/** What the file system modules of Node lack. */
import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

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
    await renameWithRetry(temporary, path);
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

/** The result, or undefined if the file or folder does not exist. */
export async function ifExists<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return undefined;
    throw error;
  }
}

/** How systems say that they cannot sync folders: Windows, and file systems of Linux. They keep names durable in their own way. */
const CANNOT_SYNC = ['EPERM', 'EINVAL', 'ENOTSUP'];

/** Makes a file, or the names in a folder, survive a power failure. */
export async function flush(path: string): Promise<void> {
  // Windows syncs only what was opened for writing. Folders never are, nor are files that only others may write.
  await using handle = await open(path, 'r+').catch(() => open(path, 'r'));
  try {
    await handle.sync();
  } catch (error) {
    if (!hasCode(error, CANNOT_SYNC) || !(await handle.stat()).isDirectory()) throw error;
  }
}

/** How Windows refuses to replace a file that another program has open, and how long to wait then. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];
const RETRY_DELAYS_MS = [10, 30, 90, 270];

/** Gives a file its final name, which another one may have. On Windows, a virus scanner may keep either open for a moment. */
export async function renameWithRetry(temporary: string, path: string): Promise<void> {
  for (const delay of RETRY_DELAYS_MS)
    try {
      return await rename(temporary, path);
    } catch (error) {
      if (!hasCode(error, IN_USE)) throw error;
      await wait(delay);
    }
  await rename(temporary, path);
}

/**
 * Closes a locked database and removes its file. The file goes first, under the lock: afterwards, another process could hold
 * the lock of a file that is gone. Windows removes no open file, so that there the order is safe the other way round.
 */
export function removeDatabase(database: DatabaseSync, path: string): void {
  try {
    rmSync(path, { force: true });
    database.close();
  } catch {
    database.close();
    try {
      rmSync(path, { force: true });
    } catch {
      // Another process has it open, and finds it unused later.
    }
  }
}

/** Those that Windows keeps for devices. */
const RESERVED_NAME = /^(?=(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$))./i;

/** A path like this one, with names that every system accepts. No other path becomes the same. */
export function portablePath(path: string): string {
  const encode = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const encodeName = (name: string) =>
    name
      .replaceAll(/[%<>:"|?*]/g, encode)
      .replace(/[. ]$/, encode)
      .replace(RESERVED_NAME, encode);
  return path.split('/').map(encodeName).join('/');
}

/** Whether the file system of a folder has permissions, which exFAT does not. Where nothing can be written, it is taken to. */
export function hasPermissions(folder: string): boolean {
  const probe = join(folder, `.zukan-${randomUUID()}`);
  try {
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true;
  } finally {
    rmSync(probe, { force: true });
  }
}

function hasCode(error: unknown, codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

// How much space disks have left.

export interface Disk {
  /** The first of the folders that are on it. */
  folder: string;
  free: number;
  size: number;
}

const MIN_FREE_BYTES = 1024 ** 3;
/** A small disk is allowed to have little space. */
const MIN_FREE_SHARE = 0.05;
/** SQLite needs a few pages to do anything. */
const FULL_BYTES = 128 * 1024;

export const isNearlyFull = ({ free, size }: Disk): boolean =>
  free < Math.min(MIN_FREE_BYTES, size * MIN_FREE_SHARE);

export const isFull = ({ free }: Disk): boolean => free < FULL_BYTES;

/** Folders that do not exist, and file systems that do not tell, are left out. */
export function measureDisks(folders: string[]): Disk[] {
  const disks = new Map<number, Disk>();
  for (const folder of folders)
    try {
      const { dev } = statSync(folder);
      const { bavail, blocks, bsize } = statfsSync(folder);
      if (blocks > 0 && !disks.has(dev))
        disks.set(dev, { folder, free: bavail * bsize, size: blocks * bsize });
    } catch {}
  return [...disks.values()];
}
