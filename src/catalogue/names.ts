/** How names of artists, characters and categories are written, compared and sorted. The same in every store. Pure. */
import { uuidPattern } from './schemas.ts';
import { fold } from './search/fold.ts';

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

export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = codePointOrder(a.charCodeAt(index)) - codePointOrder(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Sorts surrogates last: they encode the highest code points, but are not the highest code units. */
function codePointOrder(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}
