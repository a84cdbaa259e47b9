/** Which stored files the catalogue uses. */
import type pg from 'pg';
import { findUnused, MAX_PREVIEWS_LENGTH, possibleOriginals } from '../../catalogue/thumbnails.ts';

/** Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export async function findUnusedKeys(client: pg.Client, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await client.query(
    `select key, right(document, ${MAX_PREVIEWS_LENGTH}) as tail from image where key = any($1)`,
    [possibleOriginals(keys)],
  );
  return findUnused(keys, rows);
}
