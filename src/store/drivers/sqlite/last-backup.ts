/**
 * The last backup, which is recorded beside the tokens: that changes no version of the catalogue, and waits for no import. Its
 * table is made when it is needed, so that a backup of an older catalogue needs no migration.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { LastBackup } from '../../contract/last-backup.ts';
import { BUSY_TIMEOUT_MS, exclusively } from './database.ts';

export function readLastBackup(path: string): LastBackup | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return undefined;
  using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  if (!database.prepare("select 1 from sqlite_schema where name = 'last_backup'").get()) return undefined;
  return database.prepare('select at, bytes from last_backup').get() as LastBackup | undefined;
}

export function recordBackup(path: string, { at, bytes }: LastBackup): void {
  using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  exclusively(() => {
    database.exec('begin immediate; drop table if exists last_backup');
    database.exec('create table last_backup (at text not null, bytes integer not null) strict');
    database.prepare('insert into last_backup values (?, ?)').run(at, bytes);
    database.exec('commit');
  });
}
