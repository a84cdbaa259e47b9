/** The last backup. Its table is made when it is needed, so that a backup of an older catalogue needs no migration. */
import type { LastBackup } from '../../contract/last-backup.ts';
import type { Servers } from './servers.ts';

const statements = {
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
  const [exists] = await servers.queryPrimary(statements.find, []);
  if (!exists?.[0]) return undefined;
  const [row] = (await servers.queryPrimary(statements.read, [])) as [string, number][];
  return row && { at: row[0], bytes: row[1] };
}

export async function recordBackup(servers: Servers, { at, bytes }: LastBackup): Promise<void> {
  await servers.queryPrimary(statements.create, []);
  await servers.queryPrimary(statements.record, [at, bytes]);
}
