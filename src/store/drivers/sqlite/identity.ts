/** The identity of a catalogue in its database and beside its tokens. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The identity in a file that may not exist. */
export function findIdentity(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return undefined;
  using database = new DatabaseSync(path, { readOnly: true });
  return readIdentity(database);
}

/** Undefined in a file of an older version. */
export function readIdentity(database: DatabaseSync): string | undefined {
  if (!database.prepare("select 1 from sqlite_schema where name = 'identity'").get()) return undefined;
  return database.prepare('select id from identity').get()?.id as string | undefined;
}
