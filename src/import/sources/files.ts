/** Files of folders that a stranger may have made: found by the names that their folders list, and read safely. */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import { RecordError } from '../records/problems.ts';

// Reads files of a folder that a stranger may have made: regular files inside it only, up to a maximum size.

/** Opening a named pipe would wait for a writer, and opening a terminal could make it ours. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** The file exists, but its permissions or the disk keep it from being read. */
export class FileUnreadable extends RecordError {}

export async function readInside(folder: string, file: string, maxBytes: number): Promise<Buffer> {
  return explained(file, async () => {
    await using handle = await openFile(folder, file);
    const { size } = await handle.stat();
    if (size > maxBytes) throw new RecordError(`${file}: is larger than ${maxBytes / 2 ** 20} MiB`);
    return await readBytes(handle, size);
  });
}

export async function sizeInside(folder: string, file: string): Promise<number> {
  return explained(file, async () => {
    await using handle = await openFile(folder, file);
    return (await handle.stat()).size;
  });
}

/** For files of any size. The caller closes the handle. */
export async function openInside(folder: string, file: string): Promise<FileHandle> {
  return explained(file, () => openFile(folder, file));
}

async function openFile(folder: string, file: string): Promise<FileHandle> {
  const root = await realpath(folder);
  const path = await findPath(folder, file);
  checkInside(root, path, file);
  const handle = await open(path, OPEN_FLAGS);
  try {
    // Another process may have replaced part of the path since, so that the opened file is what is checked.
    checkInside(root, await openedPath(handle, path), file);
    if (!(await handle.stat()).isFile()) throw new RecordError(`${file}: is not a file`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A disk may have the name in another form of Unicode than whoever wrote it down. */
async function findPath(folder: string, file: string): Promise<string> {
  const path = resolve(folder, file);
  try {
    return await realpath(path);
  } catch (error) {
    const listed = isPlain(file) ? undefined : await new Listings(folder).find(relative(folder, path));
    if (listed === undefined) throw error;
    return realpath(resolve(folder, listed));
  }
}

async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecordError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    // A path without a regular file is not an unreadable file.
    const Problem = ['ENOENT', 'ENOTDIR', 'ENXIO'].includes(code) ? RecordError : FileUnreadable;
    throw new Problem(`${file}: ${explain(error as NodeJS.ErrnoException)}`);
  }
}

/** Only Linux tells the path of an opened file. */
async function openedPath({ fd }: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? await readlink(`/proc/self/fd/${fd}`) : await realpath(path);
}

/** At most `size` bytes, even if the file grows meanwhile. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function checkInside(folder: string, path: string, file: string): void {
  const inside = relative(folder, path);
  if (isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`))
    throw new RecordError(`${file}: is outside the catalogue's folder`);
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES') return 'permission denied';
  // A socket or a device without a driver.
  if (code === 'ENXIO') return 'is not a file';
  return message;
}

// Finds files by the names that their folders list. The form of Unicode makes no difference, as between disks of macOS and others;
// the case does, even on a disk that ignores it.

/** What a folder is known by, however its disk writes its name. */
export async function identifyFolder(folder: string): Promise<string> {
  return normaliseName(await realpath(folder));
}

/** Where files are, for paths in the stored form. Those that are gone keep that form. */
export function diskPaths(): (path: string) => Promise<string> {
  let listings: Listings | undefined;
  return async (path) => {
    const { root } = parse(path);
    if (isPlain(path) || existsSync(path)) return path;
    listings ??= new Listings(root);
    const found = await listings.find(relative(root, path)).catch(() => undefined);
    return found === undefined ? path : join(root, found);
  };
}

/** Whether the text has one form only. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export class Listings {
  readonly #root: string;
  /** Those of the folders that lead to the last file: paths come in order. */
  readonly #read: { folder: string; names: Map<string, string> }[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  /** The path as its folders list it, relative to the root. Undefined if they do not. Throws if one cannot be read. */
  async find(path: string): Promise<string | undefined> {
    let found = '';
    for (const [depth, name] of normaliseName(path).split(sep).entries()) {
      const listed = (await this.#namesIn(found, depth)).get(name);
      if (listed === undefined) return undefined;
      found = join(found, listed);
    }
    return found;
  }

  async #namesIn(folder: string, depth: number): Promise<Map<string, string>> {
    const read = this.#read[depth];
    if (read?.folder === folder) return read.names;
    const listed = await readdir(join(this.#root, folder)).catch((error) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    });
    const names = new Map(listed.map((name) => [normaliseName(name), name]));
    this.#read.splice(depth, Number.POSITIVE_INFINITY, { folder, names });
    return names;
  }
}
