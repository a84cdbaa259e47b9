/**
 * Tokens of a restored backup. They have a file of their own, and SQLite cannot commit to two files at once, so a restore
 * commits them with the catalogue, in a table that exists for this only. Opening the tokens moves them, and a move that is
 * interrupted is repeated.
 */
import { DatabaseSync } from 'node:sqlite';
import type { TokenRecord } from '../../../access/tokens.ts';
import { BUSY_TIMEOUT_MS, exclusively } from './database.ts';
import { isOnReadOnlyDisk } from './read-only.ts';

/** Within the transaction that fills the catalogue. */
export function saveRestoredTokens(catalogue: DatabaseSync, records: TokenRecord[]): void {
  catalogue.exec('create table if not exists restored_token (records text not null) strict');
  catalogue.prepare('insert into restored_token values (?)').run(JSON.stringify(records));
}

export function moveRestoredTokens(cataloguePath: string, tokens: DatabaseSync): void {
  if (isOnReadOnlyDisk(cataloguePath)) return;
  using catalogue = new DatabaseSync(cataloguePath, { timeout: BUSY_TIMEOUT_MS });
  if (!catalogue.prepare(`select 1 from sqlite_schema where name = 'restored_token'`).get()) return;
  const move = tokens.prepare(
    `insert or ignore into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires, revoked_at)
     select value ->> 'id', value ->> 'hash', value ->> 'owner', value ->> 'purpose', value -> 'scopes',
       value ->> 'issuedBy', value ->> 'createdAt', value ->> 'expires', value ->> 'revokedAt'
     from json_each(?)`,
  );
  for (const { records } of catalogue.prepare('select records from restored_token').all())
    exclusively(() => move.run(records as string));
  try {
    catalogue.exec('pragma busy_timeout = 0; drop table if exists restored_token');
  } catch {
    // Another command is changing the catalogue. Moving the tokens again changes nothing.
  }
}
