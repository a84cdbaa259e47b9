/** Which stored files the catalogue in PostgreSQL uses. */
import type pg from 'pg';

/** Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export async function findUnusedKeys(
  query: (text: string, values: unknown[]) => Promise<pg.QueryResult>,
  keys: string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await query('select distinct key from image where key = any($1)', [keys]);
  const used = new Set(rows.map(({ key }) => key));
  return keys.filter((key) => !used.has(key));
}
