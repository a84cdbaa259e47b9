/** Finds entries that are probably the same, such as `Hoshino Ink` and `hoshino_ink`. */

/** Names with the same key differ only in case, punctuation, spaces or width. */
export function nearKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** Those that share their key with another one, next to each other. */
export function findNearEqual<Entry extends { name: string }>(entries: Entry[]): Entry[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = nearKey(entry.name);
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].filter(({ length }) => length > 1).flat();
}
