/** What an operator decided, in the embedded catalogue: blocked names and removed files. */
import type { DatabaseSync } from 'node:sqlite';
import { type BlockedName, type Decisions, nameKey, type RemovedFile } from '../../catalogue/decisions.ts';
import { BLOCKED_COLUMNS, REMOVED_COLUMNS } from '../shared/queries.ts';

export function createDecisions(database: DatabaseSync): Decisions {
  const prepare = (sql: string) => database.prepare(sql);
  const findBlocked = prepare(`select ${BLOCKED_COLUMNS} from blocked_name where kind = ? and key = ?`);
  // One statement for all: most imports look for thousands of hashes and find none.
  const findRemoved = prepare(
    `select ${REMOVED_COLUMNS} from removed_file where hash in (select value from json_each(?))`,
  );
  return {
    async blockedNames(kind, names) {
      const find = (name: string) => findBlocked.all(kind, nameKey(kind, name)) as unknown as BlockedName[];
      return names.flatMap(find);
    },
    async blockNames(names) {
      const save = prepare(
        'insert or replace into blocked_name (kind, key, name, blocked_at) values (?, ?, ?, ?)',
      );
      for (const { kind, name, blockedAt } of names) save.run(kind, nameKey(kind, name), name, blockedAt);
    },
    async unblockNames(kind, names) {
      const remove = prepare('delete from blocked_name where kind = ? and key = ?');
      for (const name of names) remove.run(kind, nameKey(kind, name));
    },
    async removedFiles(hashes) {
      return findRemoved.all(JSON.stringify(hashes)) as unknown as RemovedFile[];
    },
    async removedFilesOf(images) {
      const find = prepare(`select ${REMOVED_COLUMNS} from removed_file where image = ? order by hash`);
      return images.flatMap((image) => find.all(image) as unknown as RemovedFile[]);
    },
    async rememberFiles(files) {
      const save = prepare(
        'insert or replace into removed_file (hash, image, removed_at, reason) values (?, ?, ?, ?)',
      );
      for (const { hash, image, removedAt, reason } of files) save.run(hash, image, removedAt, reason);
    },
    async forgetFiles(hashes) {
      const remove = prepare('delete from removed_file where hash = ?');
      for (const hash of hashes) remove.run(hash);
    },
  };
}
