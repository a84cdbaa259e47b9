/** The register of access tokens in the embedded store. */
import type { Token, TokenRegister } from '../model.ts';
import { exclusively, openDatabase } from './sqlite-file.ts';

export function openTokenRegister(path: string): TokenRegister {
  const database = openDatabase(path);
  return {
    async add(token: Token, hash: string) {
      const { id, owner, purpose, scopes, issuedBy, createdAt, expires } = token;
      const insert = database.prepare(
        `insert into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      exclusively(() =>
        insert.run(id, hash, owner, purpose, JSON.stringify(scopes), issuedBy, createdAt, expires),
      );
    },
    async list() {
      const rows = database.prepare(
        `select id, owner, purpose, scopes, issued_by as issuedBy, created_at as createdAt, expires,
                revoked_at as revokedAt
         from token order by created_at, id`,
      );
      return rows
        .all()
        .map((row) => ({ ...row, scopes: JSON.parse(row.scopes as string) })) as unknown as (Token & {
        revokedAt: string | null;
      })[];
    },
    async revoke(id: string, revokedAt: string) {
      const revoke = database.prepare('update token set revoked_at = ? where id = ? and revoked_at is null');
      return exclusively(() => revoke.run(revokedAt, id)).changes === 1;
    },
    async close() {
      database.close();
    },
  };
}
