/**
 * Tokens of a restored backup. They have a file of their own, and SQLite cannot commit to two files at once, so a restore
 * commits them with the catalogue, in a table that exists for this only. Opening the tokens moves them, and a move that is
 * interrupted is repeated. That is also when the tokens get the identity of their catalogue.
 */
import { DatabaseSync } from 'node:sqlite';
import type { TokenRecord } from '../../../access/tokens.ts';
import { BUSY_TIMEOUT_MS, exclusively } from './database.ts';
import { readIdentity } from './identity.ts';
import { isOnReadOnlyDisk } from './read-only.ts';

/** Within the transaction that fills the catalogue. */
export function saveRestoredTokens(catalogue: DatabaseSync, records: TokenRecord[]): void {
  catalogue.exec('create table if not exists restored_token (records text not null) strict');
  catalogue.prepare('insert into restored_token values (?)').run(JSON.stringify(records));
}

/** Fails if the tokens belong to another catalogue. */
export function followCatalogue(cataloguePath: string, tokens: DatabaseSync, path: string): void {
  if (isOnReadOnlyDisk(cataloguePath)) return;
  using catalogue = new DatabaseSync(cataloguePath, { timeout: BUSY_TIMEOUT_MS });
  const isRestored =
    catalogue.prepare(`select 1 from sqlite_schema where name = 'restored_token'`).get() !== undefined;
  const [identity, owner] = [readIdentity(catalogue), readIdentity(tokens)];
  // A restored catalogue is the one that the backup was made of.
  if (owner !== undefined && owner !== identity && !isRestored)
    throw new Error(
      `the tokens in ${path} belong to the catalogue ${owner}, but ${cataloguePath} is the catalogue ${identity}; check DATA_DIR and DATABASE_URL, or move the file of the tokens away`,
    );
  if (identity !== undefined && owner !== identity)
    exclusively(() => {
      tokens.exec('begin immediate; delete from identity');
      tokens.prepare('insert into identity values (?)').run(identity);
      tokens.exec('commit');
    });
  if (isRestored) moveTokens(catalogue, tokens);
}

function moveTokens(catalogue: DatabaseSync, tokens: DatabaseSync): void {
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
