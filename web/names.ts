/** Finds artists, characters and categories by name, from what is already loaded first. Each kind takes one request. */
import { cachedSubjects, cacheEntries, put } from './cache.ts';
import { type EntryKind, entryKinds } from './route.ts';
import { containing } from './search-pattern.ts';
import type { Entry, EntryGroup, Subject } from './types.ts';

const MAX_GROUPS = 300;
/** By kind and pattern, which ignores case. */
const groups = new Map<string, EntryGroup>();
const pending = new Map<string, Promise<EntryGroup>>();

const keyOf = (kind: EntryKind, pattern: string) => `${kind} ${pattern.toLowerCase()}`;

export function kindOf(entry: Entry): EntryKind {
  if ('ages' in entry) return 'characters';
  return 'nsfw' in entry ? 'categories' : 'artists';
}

/** The first names that match the pattern. Equal calls at the same time share a request. */
export async function findNames(
  kind: EntryKind,
  pattern: string,
  load: () => Promise<EntryGroup>,
): Promise<EntryGroup> {
  const key = keyOf(kind, pattern);
  const known = groups.get(key);
  if (known) return known;
  const request = pending.get(key) ?? load();
  pending.set(key, request);
  try {
    const group = await request;
    put(groups, key, group, MAX_GROUPS);
    cacheEntries({ groups: [group], subject: undefined });
    return group;
  } finally {
    pending.delete(key);
  }
}

/** The result of the API for names that contain the text, if it is known without a request. */
export function findKnownNames(kind: EntryKind, text: string): EntryGroup | undefined {
  const exact = groups.get(keyOf(kind, containing(text)));
  if (exact) return exact;
  // A complete result for a part of the text has all names that contain the text.
  for (let length = text.length - 1; length >= 0; length--) {
    const wider = groups.get(keyOf(kind, containing(text.slice(0, length))));
    if (!wider || wider.entries.length < wider.total) continue;
    const entries = wider.entries.filter(({ name }) => contains(name, text));
    return { kind, entries, total: entries.length };
  }
  return undefined;
}

/** Names that contain the text, of each kind: those that start with it first. */
export function suggestNames(text: string): EntryGroup[] {
  return entryKinds.map((kind) => {
    const known = findKnownNames(kind, text);
    const found = new Map<string, Subject>();
    for (const entry of cachedSubjects())
      if (kindOf(entry) === kind && contains(entry.name, text)) found.set(entry.id, entry);
    for (const entry of known?.entries ?? []) found.set(entry.id, entry);
    const entries = [...found.values()].sort(
      (one, other) =>
        Number(startsWith(other.name, text)) - Number(startsWith(one.name, text)) ||
        one.name.localeCompare(other.name),
    );
    return { kind, entries, total: Math.max(known?.total ?? 0, entries.length) };
  });
}

/** The API ignores case too. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function contains(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}

function startsWith(name: string, text: string): boolean {
  return name.toLowerCase().startsWith(text.toLowerCase());
}
