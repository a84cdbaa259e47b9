/** Which files and folders an import leaves alone: junk, and what the rules of --exclude and of .zukanignore name. Pure. */
import { RecordError } from '../records/problems.ts';

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
