/** Keeps what a command reads and writes apart from the image files. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../../config/config.ts';
import { CommandError } from '../terminal/errors.ts';

/** The storage would take files in its folder for its own, and may have others of the same name. */
export async function requireOutside(folder: string, { storage }: Config): Promise<void> {
  if (storage.engine === 'folder' && (await pathWithin(storage.path, folder)) !== undefined)
    throw new CommandError(`${folder} is inside the folder of the image files; choose another folder`);
}

/** Rules that leave out the image files, if they are in this folder. */
export async function storageRules(folder: string, { storage }: Config): Promise<string[]> {
  const path = storage.engine === 'folder' ? await pathWithin(folder, storage.path) : undefined;
  return path
    ? [
        `/${path
          .split(sep)
          .join('/')
          .replaceAll(/[\\*?]/g, '\\$&')}/`,
      ]
    : [];
}

/** The path in the folder, which is empty if both are the same; undefined if it is outside. */
export async function pathWithin(folder: string, path: string): Promise<string | undefined> {
  const inside = relative(await realPathOf(resolve(folder)), await realPathOf(resolve(path)));
  // Windows has no relative path to another drive.
  const isOutside = isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`);
  return isOutside ? undefined : inside;
}

/** Also of a folder that does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) return path;
    return join(await realPathOf(parent), basename(path));
  }
}
