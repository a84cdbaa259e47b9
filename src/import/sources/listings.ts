/**
 * Finds files by the names that their folders list. The form of Unicode makes no difference, as between disks of macOS and others;
 * the case does, even on a disk that ignores it.
 */
import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, parse, relative, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';

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
export const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

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
