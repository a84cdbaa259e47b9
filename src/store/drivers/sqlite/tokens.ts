/** Access tokens of the embedded store, in their own file. */
import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Token, TokenRecord, TokenStore } from '../../../access/tokens.ts';
import { defaultTuning } from '../../../lib/tuning.ts';
import { closeDatabase, exclusively, openDatabase } from './database.ts';
import { isOnReadOnlyDisk, openForReading } from './read-only.ts';
import { followCatalogue } from './restored-tokens.ts';
import { tokenSchema } from './schema.ts';
import { DamagedError, isDamage } from './verification.ts';

const COLUMNS = 'id, owner, purpose, scopes, issued_by as issuedBy, created_at as createdAt, expires';

/**
 * Few tokens are in use, and each is looked up with every request that carries it. `cataloguePath` is the file that restored
 * tokens come from.
 */
export function openTokenStore(
  path: string,
  cataloguePath: string,
  { maxTokens } = defaultTuning,
): TokenStore & Disposable {
  const named = <T>(work: () => T) => blame(path, work);
  const database = named(() => openTokens(path, cataloguePath));
  const find = database.prepare(`select ${COLUMNS} from token where hash = ? and revoked_at is null`);
  const version = database.prepare('pragma data_version');
  const cached = new Map<string, Token>();
  let cachedVersion: unknown;
  let isCurrent = false;
  /** Once per tick is enough: its requests arrived before. */
  const dropStale = () => {
    if (isCurrent) return;
    const current = version.get()?.data_version;
    if (current !== cachedVersion || cached.size > maxTokens) cached.clear();
    cachedVersion = current;
    isCurrent = true;
    setImmediate(() => {
      isCurrent = false;
    });
  };
  const lookUp = (hash: string): Token | undefined => {
    const known = cached.get(hash);
    if (known) return known;
    const row = find.get(hash);
    const token = row && (withScopes(row) as Token);
    if (token) cached.set(hash, token);
    return token;
  };
  return {
    find(hash) {
      dropStale();
      return named(() => lookUp(hash));
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
      const text = `select ${COLUMNS}, revoked_at as revokedAt from token order by created_at, id`;
      return named(() => database.prepare(text).all().map(withScopes)) as (Token & {
        revokedAt: string | null;
      })[];
    },
    async revoke(id, revokedAt) {
      cached.clear();
      const revoke = database.prepare('update token set revoked_at = ? where id = ? and revoked_at is null');
      return exclusively(() => revoke.run(revokedAt, id)).changes === 1;
    },
    async records() {
      const text = `select ${COLUMNS}, revoked_at as revokedAt, hash from token order by created_at, id`;
      return named(() => database.prepare(text).all().map(withScopes)) as TokenRecord[];
    },
    async verify() {
      named(() => {
        const problem = database.prepare('pragma integrity_check(1)').get()?.integrity_check;
        if (problem !== 'ok') throw new DamagedError(String(problem));
      });
    },
    [Symbol.dispose]() {
      closeDatabase(database, path);
    },
  };
}

function openTokens(path: string, cataloguePath: string): DatabaseSync {
  if (isOnReadOnlyDisk(path))
    return existsSync(path) ? openForReading(path, tokenSchema) : openDatabase(':memory:', tokenSchema);
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) throw new DamagedError('it is empty');
  const database = openDatabase(path, tokenSchema);
  try {
    followCatalogue(cataloguePath, database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Errors of SQLite name no file, and the catalogue has one of its own. */
export function blame<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw Object.assign(error as Error, { path });
    throw new Error(
      `the tokens in ${path} are damaged: ${(error as Error).message}; put a copy of the file back, or delete it to go on without its tokens`,
      { cause: error },
    );
  }
}

function withScopes(row: Record<string, unknown>): unknown {
  return { ...row, scopes: JSON.parse(row.scopes as string) };
}
