/** How names of artists, characters and categories are written, compared and sorted. The same in every store. Pure. */
import { uuidPattern } from './schemas.ts';

const FIRST_COMBINING = 0x300;

/** Unicode has several ways to write an accented letter. Macs decompose the names of folders; people type composed letters. */
export function normaliseName(name: string): string {
  // Below the combining marks there is one way only, and this loop takes a tenth of the time.
  for (let index = 0; index < name.length; index++)
    if (name.charCodeAt(index) >= FIRST_COMBINING) return name.normalize('NFC');
  return name;
}

/** Names with the same folded form differ in case only. */
export const foldName = (name: string): string => fold(normaliseName(name));

const uuid = new RegExp(uuidPattern);

/** References to entries are ids or names, and so are aliases: the id of an entry that was merged is one. */
export const isId = (reference: string): boolean => uuid.test(reference);

/** The aliases that people read: without ids. */
export const formerNames = (aliases: readonly string[]): string[] => aliases.filter((alias) => !isId(alias));

/** All texts of a record or document. */
export function normaliseTexts<T>(value: T): T {
  if (typeof value === 'string') return normaliseName(value) as T;
  if (Array.isArray(value)) return value.map(normaliseTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, normaliseTexts(text)])) as T;
}

/** What the change log has of an entry or of a blocked name (catalogue/change-log.ts). */
export function normaliseLogged<T extends object>(fields: T): T {
  const { document, ...others } = fields as { document?: unknown };
  if (typeof document !== 'string') return normaliseTexts(fields);
  // In the order of the fields. A text that contains JSON cannot be normalised: a mark after `\n` would become a part of it.
  const parsed = { ...fields, ...normaliseTexts(others) } as T;
  return { ...parsed, document: JSON.stringify(normaliseTexts(JSON.parse(document))) };
}

export interface Named {
  id: string;
  name: string;
}

/** The order of artists, characters and categories: ignoring case, then by code point, then by id. */
export function sortByName<T extends Named>(entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, key: fold(entry.name) }))
    .sort(
      (a, b) =>
        compareCodePoints(a.key, b.key) ||
        compareCodePoints(a.entry.name, b.entry.name) ||
        compareCodePoints(a.entry.id, b.entry.id),
    )
    .map(({ entry }) => entry);
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    // Of the code units, those of the highest code points are not the highest.
    const difference = (a.codePointAt(index) as number) - (b.codePointAt(index) as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// Characters that nobody sees, or that turn the text around them: names and texts do not have them, because two names that look
// the same would be two, and a name could pass for something else. Pure.

/** What no text needs: control characters, and those that nobody sees or that turn the text around them. Some have their uses below. */
const hidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gv;
/** Where the hidden character that comes next is a part of what people see. */
const useful = new RegExp(
  [
    // Joins or separates letters: Persian, Hindi, Khmer, Mongolian and other scripts without case.
    '(?<=[[\\p{Lo}\\p{M}\\p{Nd}]--[\\p{DI}\\p{sc=Zyyy}\\p{sc=Zinh}\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}]])' +
      '[\\u034f\\u180b-\\u180f\\u200b-\\u200d\\u2060]',
    // Chooses the form of an emoji, a sign or a Han character, as Japanese names need it.
    '(?<=[[\\p{Emoji}\\p{Lo}\\p{S}\\p{scx=Han}]--\\p{DI}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
    // Makes one emoji of several.
    '(?<=[\\p{ExtPict}\\p{EMod}]\\ufe0f?)\\u200d(?=\\p{ExtPict})',
    // Says whose flag it is.
    '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,6})[\\u{e0020}-\\u{e007f}]',
  ].join('|'),
  'vy',
);
/** Marks of the direction belong to scripts that are written from right to left. */
const directionMark = /[\u061c\u200e\u200f]/;
const rightToLeft =
  /[[\p{sc=Adlm}\p{sc=Arab}\p{sc=Hebr}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Rohg}\p{sc=Samr}\p{sc=Syrc}\p{sc=Thaa}]&&\p{L}]/v;
const lineBreak = /[\t-\r\u2028\u2029]/;
/** What a text of several lines may have: line breaks, tabs, and places to hyphenate. */
const ofLines = /[\t\n\r\xad\u2028\u2029]/;
const visible = /[^\s\p{Z}\p{Cc}\p{DI}\p{Noncharacter_Code_Point}\u2800]/u;

/** Which of the hidden characters of a text it must not have. `hasLines`: it may have several lines, as descriptions do. */
function refusedIn(text: string, hasLines: boolean): (character: string, index: number) => boolean {
  const mayTurn = directionMark.test(text) && rightToLeft.test(text);
  return (character, index) => {
    if (hasLines && ofLines.test(character)) return false;
    if (mayTurn && directionMark.test(character)) return false;
    useful.lastIndex = index;
    return !useful.test(text);
  };
}

/** What is wrong with a text that people read, or undefined. */
export function findFlaw(text: string, hasLines = false): string | undefined {
  if (text.search(hidden) >= 0) {
    const isRefused = refusedIn(text, hasLines);
    for (const { 0: character, index } of text.matchAll(hidden)) {
      if (!isRefused(character, index)) continue;
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const place = [...text.slice(0, index)].length + 1;
      return `character ${place} is U+${code}, which is invisible or changes the text around it; leave it out`;
    }
  }
  return visible.test(text) || text.trim() === '' ? undefined : 'must have something visible';
}

/** Without what `findFlaw` finds. */
export function withoutHidden(text: string, hasLines = false): string {
  if (text.search(hidden) < 0) return text;
  const isRefused = refusedIn(text, hasLines);
  return text.replaceAll(hidden, (character, index: number) => {
    if (!isRefused(character, index)) return character;
    return lineBreak.test(character) ? ' ' : '';
  });
}

/** A name that a program, a stranger or a file system gave. Empty if nothing of it is visible. */
export function cleanName(name: string): string {
  const clean = withoutHidden(name).trim();
  return visible.test(clean) ? clean : '';
}

/** Without those of which nothing is visible. */
export const cleanNames = (names: readonly string[]): string[] => names.map(cleanName).filter(Boolean);

/** These name files, or are no texts that people read. */
const unread = new Set(['file', 'fileName', 'images', 'key', 'meta', 'thumbnails']);
const withLines = new Set(['alt', 'description', 'reason']);

/** `field` is its path. */
export function* findFlaws(value: unknown, field = ''): Generator<{ field: string; flaw: string }, void> {
  if (typeof value === 'string') {
    const flaw = findFlaw(value, withLines.has(field));
    if (flaw !== undefined) yield { field, flaw };
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      if (!unread.has(name)) yield* findFlaws(item, field === '' ? name : `${field}.${name}`);
}

// Case folding of names and search patterns: both are compared in this form.
// Each code point folds to exactly one, so `_` in a pattern still matches one character of the original name.

/** Not folded: its upper case is I, so it would become equal to i. */
const DOTLESS_I = 'ı';
/** The 256-character blocks with cased characters; a test checks the others. Reading every block would take much longer. */
const CASED_BLOCKS = [
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x13, 0x1c, 0x1d, 0x1e, 0x1f, 0x21, 0x24, 0x2c, 0x2d],
  ...[0xa6, 0xa7, 0xab, 0xfb, 0xff, 0x104, 0x105, 0x10c, 0x10d, 0x118, 0x16e, 0x1e9],
];

/** A loop, because `replaceAll` with a function takes up to seven times as long, and a client can send 16,000 characters. */
export function fold(text: string): string {
  let result = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number;
    if (code < 0x80) continue;
    result += text.slice(start, at).toLowerCase() + String.fromCodePoint(tables().folded.get(code) ?? code);
    if (code > 0xffff) at++;
    start = at + 1;
  }
  return result + text.slice(start).toLowerCase();
}

/** Every character that folds to the given folded character, which is one of them. */
export function charactersFoldingTo(folded: string): string[] {
  return tables().unfolded.get(folded) ?? [folded];
}

interface Tables {
  /** Code points, only those that folding changes. */
  folded: Map<number, number>;
  unfolded: Map<string, string[]>;
}

let cachedTables: Tables | undefined;

/** Built on first use. */
function tables(): Tables {
  cachedTables ??= buildTables();
  return cachedTables;
}

function buildTables(): Tables {
  const tables: Tables = { folded: new Map(), unfolded: new Map() };
  for (const character of casedCharacters()) {
    const folded = computeFolding(character);
    if (folded === character) continue;
    tables.folded.set(character.codePointAt(0) as number, folded.codePointAt(0) as number);
    tables.unfolded.set(folded, [...(tables.unfolded.get(folded) ?? [folded]), character]);
  }
  return tables;
}

function* casedCharacters(): Generator<string, void> {
  for (const block of CASED_BLOCKS)
    for (let low = 0; low < 256; low++) yield String.fromCodePoint(block * 256 + low);
}

function computeFolding(character: string): string {
  if (character === DOTLESS_I) return character;
  // Upper case first, which makes σ and ς equal, and s and ſ. Mappings to several characters (ß to SS) are ignored.
  const upper = character.toUpperCase();
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase();
  return isOneCharacter(lower) ? lower : character;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}
