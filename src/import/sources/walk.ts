/** Finds the pictures of a folder, with the files next to each that may describe it. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RecordError } from '../problems.ts';
import { sidecarNames } from '../sidecar/read.ts';
import { isIgnored, isJunk } from './ignore.ts';
import { IGNORE_FILE, type IgnoreFiles } from './ignore-files.ts';

export const isPictureName = (name: string) => /\.(jpe?g|jfif|png|webp|gif|avif)$/i.test(name);

export interface FoundPicture {
  /** Relative to the folder. */
  path: string;
  /** Its sidecars, the first one that counts first. Relative to the folder. */
  sidecars: string[];
  /** These, and the other files with its name. Relative to the folder. */
  companions: string[];
  /** Why it, or the folder with this path, cannot be read. */
  problem?: RecordError;
}

export interface WalkOptions {
  ignore: IgnoreFiles;
  /** Called with each file that is neither a picture nor a sidecar. */
  onOther: (path: string) => void;
  /** Called for each file and folder that is left alone, because it is junk or because of a rule. */
  onIgnored: (reason: IgnoreReason) => void;
}

export type IgnoreReason = 'junk' | 'rule';

/** Sorted by name within each folder. A folder that cannot be read is reported like a picture that cannot be read. */
export async function* findPictures(
  root: string,
  options: WalkOptions,
  folder: string[] = [],
): AsyncGenerator<FoundPicture, void> {
  const inside = folder.join(sep);
  let entries: Dirent[];
  try {
    entries = await readFolder(root, folder, options);
  } catch (error) {
    if (inside === '' && !(error instanceof RecordError)) throw error;
    const problem = new RecordError((error as Error).message);
    const path = error instanceof RecordError ? join(inside, IGNORE_FILE) : inside;
    yield { path, sidecars: [], companions: [], problem };
    return;
  }
  const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
  for (const { name } of entries) names.set(name, name);
  const pictures = entries.filter(({ name }) => isPictureName(name));
  const sidecars = new Set(pictures.flatMap(({ name }) => sidecarsOf(name, names)));
  const others = Map.groupBy(
    entries.map(({ name }) => name).filter((name) => !isPictureName(name)),
    stemOf,
  );
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(inside, entry.name);
    if (entry.isDirectory()) {
      yield* findPictures(root, options, [...folder, entry.name]);
    } else if (isPictureName(entry.name)) {
      const own = sidecarsOf(entry.name, names);
      const companions = [entry.name.toLowerCase(), stemOf(entry.name)].flatMap(
        (name) => others.get(name) ?? [],
      );
      yield {
        path,
        sidecars: own.map((name) => join(inside, name)),
        companions: [...new Set([...own, ...companions])].map((name) => join(inside, name)),
      };
    } else if (!entry.name.endsWith('.json') && !sidecars.has(entry.name)) {
      options.onOther(join(root, path));
    }
  }
}

/** What is not ignored. */
async function readFolder(
  root: string,
  folder: string[],
  { ignore, onIgnored }: WalkOptions,
): Promise<Dirent[]> {
  const entries = await readdir(join(root, ...folder), { withFileTypes: true });
  const rules = await ignore.rulesIn(folder);
  return entries.filter((entry) => {
    if (entry.name === IGNORE_FILE) return false;
    const isNamed = isIgnored(rules, [...folder, entry.name], entry.isDirectory());
    const reason = isJunk(entry.name) ? 'junk' : isNamed && 'rule';
    if (reason) onIgnored(reason);
    return !reason;
  });
}

/** The name without its extension, in lower case. */
const stemOf = (name: string) => name.replace(/\.[^.]*$/, '').toLowerCase();

/** The case of a name makes no difference, but a name in the same case comes first. */
function sidecarsOf(picture: string, names: Map<string, string>): string[] {
  const found = sidecarNames(picture).flatMap(
    (name) => names.get(name) ?? names.get(name.toLowerCase()) ?? [],
  );
  return [...new Set(found)];
}
