/** Finds the pictures of a folder, the files next to each that describe it, and what the folder says about them. */
import { type Dirent, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { cleanName, normaliseName } from '../../catalogue/names.ts';
import { Rating } from '../../catalogue/schemas.ts';
import type { FolderChoice } from '../../catalogue/writer.ts';
import * as Type from '../../lib/json-schema.ts';
import { compile } from '../../lib/validator.ts';
import { licenceFields, RecordError, withSubject } from '../records/lines.ts';
import { checkTexts, checkValid, isReference, normaliseLicence, parseJson } from '../records/record.ts';
import { decodeText } from '../sidecar/read.ts';
import {
  checkRules,
  type IgnoreRule,
  isIgnored,
  isJunk,
  parseRule,
  parseRules,
  readInside,
} from './files.ts';

// Finds the sidecars of pictures among the files of a folder. Pure.

/** Names that differ in case only are about the same pictures, so that each of these would read all of them. */
const MAX_SHARED = 8;

/** Names of files with the same folded form are about the same picture. */
const foldFileName = (name: string): string => normaliseName(name).toLowerCase();

/**
 * Returns the sidecars of a picture, the first one that counts first. `names` may have files of an inner folder, which count only
 * where no other has the name. The form of Unicode makes no difference, and neither does the case, but the same case comes first.
 */
export function sidecarFinder(names: string[]): (picture: string) => string[] {
  const { inner = [], outer = [] } = Object.groupBy(names, (name) =>
    basename(name) === name ? 'outer' : 'inner',
  );
  const groupBy = (keyOf: (name: string) => string) =>
    new Map([inner, outer].flatMap((some) => [...Map.groupBy(some, (name) => keyOf(basename(name)))]));
  const [byName, byFolded] = [groupBy(normaliseName), groupBy(foldFileName)];
  const subjectOf = (name: string) => takeoutSubject(normaliseName(name));
  const bySubject = Map.groupBy(names, subjectOf);
  const byFoldedSubject = Map.groupBy(names, (name) => subjectOf(name)?.toLowerCase());
  const converted = Map.groupBy(names, convertedStem(new Set(names.map(foldFileName))));
  const find = (name: string) =>
    byName.get(name) ?? byFolded.get(foldFileName(name))?.slice(0, MAX_SHARED) ?? [];
  return (picture) => {
    // The names of Takeout are cut in either form.
    const forms = ['NFC', 'NFD'].map((form) => picture.normalize(form));
    const takeout = new Set(forms.flatMap(takeoutNames).map(normaliseName))
      .values()
      .flatMap((name) => [
        ...find(`${name}.json`),
        ...(bySubject.get(name) ?? []),
        ...(byFoldedSubject.get(name.toLowerCase()) ?? []),
      ]);
    const own = new Set(sidecarNames(normaliseName(picture)).flatMap(find));
    const former = converted.get(stemOf(picture))?.slice(0, MAX_SHARED);
    return [...own.union(new Set(takeout.take(MAX_SHARED))).union(new Set(former))];
  };
}

/** The first one counts for a field that several state. */
const endings = ['json', 'xmp', 'yml', 'txt', 'tags.txt', 'urls.txt'];

/** The names that the sidecars of a picture can have, such as `a.jpg.json` and `a.json`. */
export function sidecarNames(picture: string): string[] {
  const stem = picture.replace(/\.[^.]*$/, '');
  return endings.flatMap((ending) => [`${picture}.${ending}`, `${stem}.${ending}`]);
}

/** Of files that are no pictures here, but that people make pictures from. */
const sourceTypes = 'heic|heif|tiff?|bmp|psd|dng|cr[23]|nef|arw|raf|orf|rw2';
const ofSource = new RegExp(
  `^(.+\\.(?:${sourceTypes}|jpe?g|jfif|png|webp|gif|avif))\\.(?:${endings.join('|')})$`,
);

/** The stem of the picture that a sidecar is about if its own was converted: `a.png.json` is about `a.webp` if there is no `a.png`. */
function convertedStem(listed: ReadonlySet<string>): (name: string) => string | undefined {
  return (name) => {
    const [, source] = ofSource.exec(foldFileName(name)) ?? [];
    return source === undefined || (isPictureName(source) && listed.has(source)) ? undefined : stemOf(source);
  };
}

const ENDING = '.supplemental-metadata';
/** Takeout cuts longer names of files. */
const MAX_LENGTH = 46;

/**
 * The picture that a JSON file with such a name is about, or undefined: `a.jpg.supplemental-metadata(1).json` and `a.jpg(1).json`
 * are about `a(1).jpg`. The ending may be cut.
 */
function takeoutSubject(name: string): string | undefined {
  const [, body = '', number = ''] = /^(.+?)(\(\d{1,4}\))?\.json$/i.exec(name) ?? [];
  const dot = body.search(/\.(?:s[a-z-]*)?$/i);
  const hasEnding = dot > 0 && ENDING.startsWith(body.slice(dot).toLowerCase());
  if (!hasEnding && number === '') return undefined;
  const subject = hasEnding ? body.slice(0, dot) : body;
  return subject.replace(/(\.[^.]*)?$/, `${number}$1`);
}

/** The names that a picture has in those of its JSON files: its own, cut, and that of the picture it was made from. */
function takeoutNames(picture: string): string[] {
  const original = picture.replace(/-edited(\(\d+\))?(?=\.[^.]*$)/i, '$1');
  return [...new Set([picture, picture.slice(0, MAX_LENGTH), original])];
}

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
  onOther: (path: string, isLink: boolean) => void;
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
    const mistaken = all.find(({ name }) => isMistaken(name))?.name;
    path = join(inside, mistaken ?? FOLDER_FILE);
    if (mistaken !== undefined) throw new RecordError(`rename it to ${rightName(mistaken)}`);
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
        options.onOther(join(root, found), entry.isSymbolicLink());
      }
    }
}

/** File managers hide endings, and some make no name that begins with a dot: what such a file says must not get lost. */
const isMistaken = (name: string) =>
  /^\.?zukan(?:\.json|ignore)(?:\.txt)?$/i.test(name) && name !== FOLDER_FILE && name !== IGNORE_FILE;
const rightName = (name: string) => (/json/i.test(name) ? FOLDER_FILE : IGNORE_FILE);

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

// What a folder says about the pictures below it: a file .zukan.json, and which of the folders' names are categories. Pure.

export const FOLDER_FILE = '.zukan.json';

const MAX_CATEGORIES = 100;

const FolderFile = Type.Closed({
  rating: Type.Optional(Rating),
  categories: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_CATEGORIES })),
  artist: Type.Optional(Type.String()),
  ...licenceFields,
});
export type FolderFile = Type.Static<typeof FolderFile>;
const validator = compile(FolderFile);

export function parseFolderFile(text: string): FolderFile {
  const value = parseJson(text);
  checkValid(validator, value);
  const { categories: names, artist: person, licence, ...others } = value as FolderFile;
  checkTexts({ licence, credit: others.credit });
  const categories = names?.map(cleanName);
  const artist = person && cleanName(person);
  const wrong = categories?.find((name) => !isReference('category', name));
  if (wrong !== undefined) throw new RecordError(`categories: "${wrong}" cannot be the name of a category`);
  if (artist !== undefined && !isReference('artist', artist))
    throw new RecordError(`artist: "${artist}" cannot be the name of an artist`);
  return {
    ...others,
    ...(categories && { categories }),
    ...(artist !== undefined && { artist }),
    ...(licence !== undefined && { licence: normaliseLicence(licence) }),
  };
}

/** For pictures of an inner folder: its rating and artist count, and categories add up. */
export function inherit(outer: FolderFile, inner: FolderFile): FolderFile {
  const categories = [...new Set([...(outer.categories ?? []), ...(inner.categories ?? [])])];
  return { ...outer, ...inner, ...(categories.length > 0 && { categories }) };
}

/**
 * Which of the folders that lead to a picture are its categories: all, those whose names mean something, the last one, none, or so
 * many from the first one on.
 */
export type FolderCategories = NonNullable<FolderChoice['folderCategories']>;

/** Names that cameras, phones, file managers and exports give, and those of places where people put anything. */
const MEANINGLESS =
  /^(?:dcim|\d{3}[a-z_]\w{2,5}|camera(?: roll| uploads)?|takeout|google (?:photos|fotos)|photos from \d{4}|(?:new|untitled) folder|neuer ordner|nouveau dossier|nueva carpeta|(?:my |saved )?(?:pictures|photos|images)|whatsapp images|old|new|misc|other|various|stuff|unsorted|temp|tmp|backups?|archive|downloads?|desktop|exports?|(?:backup|copy) of .*|.*[-_ ](?:backup|copy))(?:[-_ ]?\(?\d+\)?)?$/i;

export function usedFolders(folders: string[], which: FolderCategories): string[] {
  if (which === 'all') return folders;
  if (which === 'meaningful') return folders.filter((name) => !MEANINGLESS.test(cleanName(name)));
  if (which === 'last') return folders.slice(-1);
  return folders.slice(0, which === 'none' ? 0 : which);
}

// The files .zukanignore of a folder that is imported, each read once.

export const IGNORE_FILE = '.zukanignore';
const MAX_BYTES = 64 * 1024;

export class IgnoreFiles {
  readonly #root: string;
  readonly #excluded: IgnoreRule[];
  /** Those that apply in each folder. */
  readonly #rules = new Map<string, IgnoreRule[]>();

  /** `exclude` has rules for the whole folder, which count more than those of files. */
  constructor(root: string, exclude: readonly string[]) {
    this.#root = root;
    this.#excluded = checkRules(exclude.map((glob) => parseRule(glob)));
  }

  /** Throws a `RecordError` if a file cannot be read: what it names must not be published. */
  async rulesIn(folder: string[]): Promise<IgnoreRule[]> {
    const key = folder.join(sep);
    const known = this.#rules.get(key);
    if (known) return known;
    const outer = folder.length > 0 ? await this.rulesIn(folder.slice(0, -1)) : this.#excluded;
    const own = await this.#read(folder);
    // Rules of outer folders come first, and those of the command line last.
    const files = outer.slice(0, outer.length - this.#excluded.length);
    const rules = own.length > 0 ? checkRules([...files, ...own, ...this.#excluded]) : outer;
    this.#rules.set(key, rules);
    return rules;
  }

  /** Whether an import leaves a file alone, or a folder that it is in. Not if that cannot be found out. */
  async isIgnored(path: string): Promise<boolean> {
    const names = path.split(sep);
    for (let end = 1; end <= names.length; end++) {
      if (isJunk(names[end - 1] as string)) return true;
      const rules = await this.rulesIn(names.slice(0, end - 1)).catch(() => []);
      if (isIgnored(rules, names.slice(0, end), end < names.length)) return true;
    }
    return false;
  }

  async #read(folder: string[]): Promise<IgnoreRule[]> {
    const path = join(...folder, IGNORE_FILE);
    if (!lstatSync(join(this.#root, path), { throwIfNoEntry: false })) return [];
    const bytes = await readInside(this.#root, path, MAX_BYTES);
    return withSubject(path, () => parseRules(decodeText(bytes), folder));
  }
}
