/** Which stored files the embedded catalogue uses. */
import type { DatabaseSync } from 'node:sqlite';

/** Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export function findUnusedKeys(database: DatabaseSync, keys: string[]): string[] {
  if (keys.length === 0) return [];
  const used = database.prepare(
    'select distinct key from image where key in (select value from json_each(?))',
  );
  const found = new Set(used.all(JSON.stringify(keys)).map((row) => row.key as string));
  return keys.filter((key) => !found.has(key));
}
