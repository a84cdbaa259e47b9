/** Which stored files the embedded catalogue uses. */
import type { DatabaseSync } from 'node:sqlite';
import { findUnused, MAX_PREVIEWS_LENGTH, possibleOriginals } from '../../catalogue/thumbnails.ts';

/** Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export function findUnusedKeys(database: DatabaseSync, keys: string[]): string[] {
  if (keys.length === 0) return [];
  const used = database.prepare(
    `select key, substr(document, -${MAX_PREVIEWS_LENGTH}) as tail from image
     where key in (select value from json_each(?))`,
  );
  const rows = used.iterate(JSON.stringify(possibleOriginals(keys)));
  return findUnused(keys, rows as unknown as Iterable<{ key: string; tail: string }>);
}
