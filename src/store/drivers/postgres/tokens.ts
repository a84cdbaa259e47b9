/** What is stored beside the catalogue: access tokens, and the last backup. */
import type { Token, TokenStore } from '../../../access/tokens.ts';
import type { LastBackup } from '../../../catalogue/writer.ts';
import type { Servers, Statement } from './servers.ts';

// Access tokens in PostgreSQL. Reads go to the primary, so that a revoked token is invalid everywhere at once.

const COLUMNS = 'id, owner, purpose, scopes, issued_by, created_at, expires, revoked_at';

const statements = {
  find: {
    name: 'token',
    text: `select ${COLUMNS} from token where hash = $1 and revoked_at is null`,
  },
  add: {
    name: 'new token',
    text: `insert into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  },
  revoke: {
    name: 'revoked token',
    text: 'update token set revoked_at = $2 where id = $1 and revoked_at is null returning id',
  },
  records: { name: 'token records', text: `select ${COLUMNS}, hash from token order by created_at, id` },
} satisfies Record<string, Statement>;

export function openTokenStore(servers: Servers): TokenStore {
  return {
    async find(hash) {
      const [row] = await servers.queryPrimary(statements.find, [hash]);
      if (!row) return undefined;
      const { revokedAt, ...token } = tokenIn(row);
      return token;
    },
    async add({ id, owner, purpose, scopes, issuedBy, createdAt, expires }, hash) {
      await servers.queryPrimary(statements.add, [
        id,
        hash,
        owner,
        purpose,
        scopes,
        issuedBy,
        createdAt,
        expires,
      ]);
    },
    async revoke(id, revokedAt) {
      return (await servers.queryPrimary(statements.revoke, [id, revokedAt])).length === 1;
    },
    async records() {
      const rows = await servers.queryPrimary(statements.records, []);
      return rows.map((row) => ({ ...tokenIn(row), hash: row[8] as string }));
    },
    // PostgreSQL has checksums of its own.
    async verify() {},
  };
}

/** Adds tokens from JSON. Those that exist already stay as they are. */
export const RESTORE_TOKENS = `
  insert into token (id, hash, owner, purpose, scopes, issued_by, created_at, expires, revoked_at)
  select id, hash, owner, purpose, array(select jsonb_array_elements_text(scopes)), "issuedBy", "createdAt",
    expires, "revokedAt"
  from jsonb_to_recordset($1) as t (id text, hash text, owner text, purpose text, scopes jsonb,
    "issuedBy" text, "createdAt" text, expires text, "revokedAt" text)
  on conflict do nothing`;

function tokenIn(row: unknown[]): Token & { revokedAt: string | null } {
  const [id, owner, purpose, scopes, issuedBy, createdAt, expires, revokedAt] = row as [
    ...[string, string, string, string[], string, string, string],
    string | null,
  ];
  return { id, owner, purpose, scopes, issuedBy, createdAt, expires, revokedAt };
}

// The last backup. Its table is made when it is needed, so that a backup of an older catalogue needs no migration.

const backupStatements = {
  find: { name: 'backup table', text: "select to_regclass('last_backup') is not null" },
  read: { name: 'backup', text: 'select at, bytes from last_backup' },
  create: {
    name: 'new backup table',
    text: 'create table if not exists last_backup (at text not null, bytes float8 not null)',
  },
  record: {
    name: 'new backup',
    text: 'with former as (delete from last_backup) insert into last_backup values ($1, $2)',
  },
};

export async function readLastBackup(servers: Servers): Promise<LastBackup | undefined> {
  const [exists] = await servers.queryPrimary(backupStatements.find, []);
  if (!exists?.[0]) return undefined;
  const [row] = (await servers.queryPrimary(backupStatements.read, [])) as [string, number][];
  return row && { at: row[0], bytes: row[1] };
}

export async function recordBackup(servers: Servers, { at, bytes }: LastBackup): Promise<void> {
  await servers.queryPrimary(backupStatements.create, []);
  await servers.queryPrimary(backupStatements.record, [at, bytes]);
}
