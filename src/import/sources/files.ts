/** Files of folders that a stranger may have made: which are left alone, and how the others are found and read safely. */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import { RecordError } from '../records/lines.ts';

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

// Which files and folders an import leaves alone: junk, and what the rules of --exclude and of .zukanignore name. Pure.

/** What programs and systems put into folders of pictures, in lower case. */
const junk = new Set([
  ...['@eadir', '#recycle', '#snapshot', '@recycle', '$recycle.bin', 'lost+found', '__macosx'],
  ...['system volume information', 'thumbs.db', 'ehthumbs.db', 'desktop.ini'],
]);

/** Hidden ones, too. */
export function isJunk(name: string): boolean {
  return name.startsWith('.') || junk.has(name.toLowerCase());
}

const MAX_RULES = 1000;
const MAX_RULE_LENGTH = 1000;

/** Any number of characters or folders, any character, or the character itself. */
const STAR = Symbol('*');
const ANY = Symbol('?');
type Token = typeof STAR | typeof ANY | string;
type Segment = typeof STAR | Token[];

export interface IgnoreRule {
  /** The folder that the rule is about, as a path inside the imported one. */
  folder: string[];
  segments: Segment[];
  isNegated: boolean;
  isForFolders: boolean;
}

/** The rules of a file in a folder: those of .gitignore without classes of characters. The last rule that matches counts. */
export function parseRules(text: string, folder: string[] = []): IgnoreRule[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return checkRules(lines.map((line) => parseRule(line, folder)));
}

/** Every rule is tried for every file, so there can only be so many. */
export function checkRules(rules: IgnoreRule[]): IgnoreRule[] {
  if (rules.length > MAX_RULES) throw new RecordError(`more than ${MAX_RULES} rules`);
  return rules;
}

export function parseRule(line: string, folder: string[] = []): IgnoreRule {
  if (line.length > MAX_RULE_LENGTH)
    throw new RecordError(`a rule has more than ${MAX_RULE_LENGTH} characters`);
  const isNegated = line.startsWith('!');
  // A space at the end counts only behind a backslash.
  const glob = line.slice(isNegated ? 1 : 0).replace(/(?<!\\)\s+$/, '');
  const names = glob.split('/').filter((part) => part !== '');
  // A rule without a name matches nothing: no name is empty.
  const parts = names.length > 0 ? names : [''];
  // A rule without a slash before its end is about names in all folders below.
  const isAnchored = glob.replace(/\/+$/, '').includes('/');
  const segments = parts.map((part): Segment => (part === '**' ? STAR : tokens(part)));
  // `a/**` is about what is inside.
  if (segments.at(-1) === STAR) segments.push([STAR]);
  return {
    folder,
    segments: isAnchored ? segments : [STAR, ...segments],
    isNegated,
    isForFolders: glob.endsWith('/'),
  };
}

function tokens(part: string): Token[] {
  const found: Token[] = [];
  const characters = [...part.normalize('NFC')];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '\\') found.push(characters[++at] ?? '\\');
    else if (character === '*') found.push(STAR);
    else found.push(character === '?' ? ANY : character);
  }
  return found;
}

/** `path` is relative to the imported folder. Nobody looks into an ignored folder, so no rule can bring back what is in it. */
export function isIgnored(rules: IgnoreRule[], path: string[], isFolder: boolean): boolean {
  if (rules.length === 0) return false;
  const names = path.map((name) => [...name.normalize('NFC')]);
  const last = rules.findLast(
    ({ folder, segments, isForFolders }) =>
      (isFolder || !isForFolders) &&
      folder.every((name, at) => name === path[at]) &&
      matches(segments, names.slice(folder.length), matchesName),
  );
  return last !== undefined && !last.isNegated;
}

function matchesName(segment: Exclude<Segment, typeof STAR>, name: string[]): boolean {
  return matches(segment, name, (token, character) => token === ANY || token === character);
}

/** Takes at most the product of both lengths: only the last star is ever tried again. */
function matches<Part, Item>(
  pattern: Part[],
  items: Item[],
  isMatch: (part: Exclude<Part, typeof STAR>, item: Item) => boolean,
): boolean {
  let [at, item, star, retry] = [0, 0, -1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (at < pattern.length && part === STAR) {
      star = at++;
      retry = item;
    } else if (at < pattern.length && isMatch(part as Exclude<Part, typeof STAR>, items[item] as Item)) {
      at++;
      item++;
    } else if (star >= 0) {
      at = star + 1;
      item = ++retry;
    } else return false;
  }
  while (at < pattern.length && pattern[at] === STAR) at++;
  return at === pattern.length;
}
