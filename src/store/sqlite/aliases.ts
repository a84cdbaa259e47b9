/** The other names of entries. */
import type { DatabaseSync } from 'node:sqlite';
import { nameKey } from '../../catalogue/decisions.ts';
import type { Entry } from '../../catalogue/writer.ts';

/** Replaces the aliases of an entry, and takes them from others that have them. */
export function saveAliases(database: DatabaseSync, { kind, aliases }: Entry, shelf: number): void {
  if (aliases === undefined) return;
  database.prepare('delete from alias where shelf = ?').run(shelf);
  const save = database.prepare('insert or replace into alias (kind, key, name, shelf) values (?, ?, ?, ?)');
  for (const alias of aliases) save.run(kind, nameKey(kind, alias), alias, shelf);
}
