/** Keeps what a command writes apart from the image files. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../../config/config.ts';
import { CommandError } from '../terminal/errors.ts';

/** The storage would take files in its folder for its own, and may have others of the same name. */
export async function requireOutside(folder: string, { storage }: Config): Promise<void> {
  if (storage.engine !== 'folder') return;
  const inside = relative(await realPathOf(storage.path), await realPathOf(resolve(folder)));
  // Windows has no relative path to another drive.
  if (!isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`))
    throw new CommandError(`${folder} is inside the folder of the image files; choose another folder`);
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
