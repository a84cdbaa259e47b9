/** Which stored files the catalogue in PostgreSQL uses. */
import type pg from 'pg';
import { findUnused, MAX_PREVIEWS_LENGTH, possibleOriginals } from '../../catalogue/thumbnails.ts';

/** Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export async function findUnusedKeys(
  query: (text: string, values: unknown[]) => Promise<pg.QueryResult>,
  keys: string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const text = `select key, right(document, ${MAX_PREVIEWS_LENGTH}) as tail from image where key = any($1)`;
  return findUnused(keys, (await query(text, [possibleOriginals(keys)])).rows);
}
