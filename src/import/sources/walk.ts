/** Finds the pictures of a folder, with the files next to each that may describe it. */
import { type Dirent, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import { RecordError, withSubject } from '../records/problems.ts';
import { decodeText } from '../sidecar/read.ts';
import { foldFileName, sidecarFinder } from './companions.ts';
import { readInside } from './files.ts';
import { FOLDER_FILE, type FolderFile, inherit, parseFolderFile } from './folder-file.ts';
import { type IgnoreRule, isIgnored, isJunk } from './ignore.ts';
import { IGNORE_FILE, type IgnoreFiles } from './ignore-files.ts';

export const isPictureName = (name: string) => /\.(jpe?g|jfif|png|webp|gif|avif)$/i.test(name);

const MAX_FOLDER_FILE_BYTES = 64 * 1024;
/** Where PhotoPrism keeps sidecars if its sidecar path is relative. */
const PHOTOPRISM_FOLDER = '.photoprism';

const SAME_NAME =
  'has the name of another file or folder here, in another form of Unicode; rename one of them';

export interface FoundPicture {
  /** Relative to the folder, as it is listed. */
  path: string;
  /** Its sidecars, the first one that counts first. Relative to the folder. */
  sidecars: string[];
  /** These, and the other files with its name. Relative to the folder. */
  companions: string[];
  /** What its folders say about it. */
  settings: FolderFile;
  /** Whether its folder has a file with this name. */
  isListed: (name: string) => boolean;
  /** Why a folder cannot be read, or which of two files is meant. The path is that of the folder, or of the file that is wrong. */
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
  outer: FolderFile = {},
): AsyncGenerator<FoundPicture, void> {
  const inside = folder.join(sep);
  /** The file that is being read, in case that it cannot be. */
  let path = inside;
  let entries: Dirent[];
  let settings: FolderFile;
  let inner: string[];
  let all: Dirent[];
  try {
    all = await readdir(join(root, inside), { withFileTypes: true });
    path = join(inside, PHOTOPRISM_FOLDER);
    // A link may lead outside, where nothing is read: then pictures with a sidecar there are refused.
    const hasInner = all.some((entry) => entry.name === PHOTOPRISM_FOLDER && !entry.isFile());
    inner = hasInner ? await readdir(join(root, path)) : [];
    path = join(inside, FOLDER_FILE);
    const hasFile = all.some(({ name }) => name === FOLDER_FILE);
    settings = hasFile ? inherit(outer, await readFolderFile(root, path)) : outer;
    path = join(inside, IGNORE_FILE);
    entries = leaveOut(all, folder, await options.ignore.rulesIn(folder), options.onIgnored);
  } catch (error) {
    if (path === '') throw error;
    // Without these files, pictures would be published that must not be, or as safer than they are.
    yield unreadable(path, (error as Error).message);
    return;
  }
  const sidecarsOf = sidecarFinder([
    ...inner.filter((name) => /\.yml$/i.test(name)).map((name) => join(PHOTOPRISM_FOLDER, name)),
    ...entries.map(({ name }) => name),
  ]);
  const pictures = entries.filter(({ name }) => isPictureName(name));
  const sidecars = new Set(pictures.flatMap(({ name }) => sidecarsOf(name)));
  const others = Map.groupBy(
    entries.map(({ name }) => name).filter((name) => !isPictureName(name)),
    stemOf,
  );
  const allNames = new Set(all.map(({ name }) => normaliseName(name)));
  const byName = [...Map.groupBy(entries, ({ name }) => normaliseName(name))];
  for (const [, same] of byName.sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const entry of same) {
      const found = join(inside, entry.name);
      if (!isDecoded(root, found)) {
        // A file next to a picture may be its sidecar.
        yield unreadable(found, 'the name is not UTF-8; rename it');
      } else if (same.length > 1 && (entry.isDirectory() || isPictureName(entry.name))) {
        yield unreadable(found, SAME_NAME);
      } else if (entry.isDirectory()) {
        yield* findPictures(root, options, [...folder, entry.name], settings);
      } else if (isPictureName(entry.name)) {
        const own = sidecarsOf(entry.name);
        const companions = [foldFileName(entry.name), stemOf(entry.name)].flatMap(
          (name) => others.get(name) ?? [],
        );
        yield {
          path: found,
          sidecars: own.map((name) => join(inside, name)),
          companions: [...new Set([...own, ...companions])].map((name) => join(inside, name)),
          settings,
          isListed: (name) => allNames.has(name),
        };
      } else if (!entry.name.endsWith('.json') && !sidecars.has(entry.name)) {
        options.onOther(join(root, found));
      }
    }
}

function unreadable(path: string, problem: string): FoundPicture {
  const others = { sidecars: [], companions: [], settings: {}, isListed: () => true };
  return { path, ...others, problem: new RecordError(problem) };
}

/** Whether the name is that of the file: bytes that are not UTF-8 become other characters. */
function isDecoded(root: string, path: string): boolean {
  return !path.includes('\u{fffd}') || lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

/** What is not ignored. */
function leaveOut(
  entries: Dirent[],
  folder: string[],
  rules: IgnoreRule[],
  onIgnored: WalkOptions['onIgnored'],
): Dirent[] {
  return entries.filter((entry) => {
    if (entry.name === IGNORE_FILE || entry.name === FOLDER_FILE) return false;
    const isNamed = isIgnored(rules, [...folder, entry.name], entry.isDirectory());
    const reason = isJunk(entry.name) ? 'junk' : isNamed && 'rule';
    if (reason) onIgnored(reason);
    return !reason;
  });
}

async function readFolderFile(root: string, path: string): Promise<FolderFile> {
  const bytes = await readInside(root, path, MAX_FOLDER_FILE_BYTES);
  return withSubject(path, () => parseFolderFile(decodeText(bytes)));
}

/** The name without its extension. */
const stemOf = (name: string) => foldFileName(name.replace(/\.[^.]*$/, ''));
