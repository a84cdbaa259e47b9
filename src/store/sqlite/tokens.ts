/** The register of access tokens in the embedded store, in a file of its own. */
import { chmodSync } from 'node:fs';
import type { Token, TokenStore } from '../../access/token-store.ts';
import { exclusively, openDatabase } from './database.ts';
import { tokenSchema } from './schema.ts';

/** Tokens that are in use are few; each is looked up with every request that it is sent with. */
const MAX_KEPT = 1000;
const COLUMNS = 'id, owner, purpose, scopes, issued_by as issuedBy, created_at as createdAt, expires';

export function openTokenStore(path: string): TokenStore & Disposable {
  const database = openDatabase(path, tokenSchema);
  // Hashes of random secrets give nothing away, but whose tokens these are is nobody else's business.
  chmodSync(path, 0o600);
  const find = database.prepare(`select ${COLUMNS} from token where hash = ? and revoked_at is null`);
  const version = database.prepare('pragma data_version');
  version.setReturnArrays(true);
  const kept = new Map<string, Token>();
  let keptVersion: unknown;
  let isCurrent = false;
  /** Once in a turn of the event loop is enough: requests that are answered in it came before. */
  const makeCurrent = () => {
    if (isCurrent) return;
    const [current] = version.get() as unknown as [number];
    // Another process has changed the register, or there are too many to keep.
    if (current !== keptVersion || kept.size > MAX_KEPT) kept.clear();
    keptVersion = current;
    isCurrent = true;
    setImmediate(() => {
      isCurrent = false;
    });
  };
  const look = (hash: string): Token | undefined => {
    const known = kept.get(hash);
    if (known) return known;
    const row = find.get(hash);
    const token = row && (withScopes(row) as Token);
    if (token) kept.set(hash, token);
    return token;
  };
  return {
    async find(hash) {
      makeCurrent();
      return look(hash);
    },
    async add(token, hash) {
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
        `select ${COLUMNS}, revoked_at as revokedAt from token order by created_at, id`,
      );
      return rows.all().map(withScopes) as (Token & { revokedAt: string | null })[];
    },
    async revoke(id, revokedAt) {
      kept.clear();
      const revoke = database.prepare('update token set revoked_at = ? where id = ? and revoked_at is null');
      return exclusively(() => revoke.run(revokedAt, id)).changes === 1;
    },
    [Symbol.dispose]() {
      database.close();
    },
  };
}

function withScopes(row: Record<string, unknown>): unknown {
  return { ...row, scopes: JSON.parse(row.scopes as string) };
}
