/** What an operator decided, in PostgreSQL: blocked names and removed files. */
import { type Decisions, nameKey } from '../../catalogue/decisions.ts';
import { BLOCKED_COLUMNS, REMOVED_COLUMNS } from '../shared/queries.ts';
import { columns } from './batches.ts';
import type { Query } from './placements.ts';

export function createDecisions(query: Query): Decisions {
  return {
    async blockedNames(kind, names) {
      const text = `select ${BLOCKED_COLUMNS} from blocked_name where kind = $1 and key = any($2)`;
      return (await query(text, [kind, names.map((name) => nameKey(kind, name))])).rows;
    },
    async blockNames(names) {
      await query(
        `insert into blocked_name (kind, key, name, blocked_at)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
         on conflict (kind, key) do update set name = excluded.name, blocked_at = excluded.blocked_at`,
        [
          ...columns(names, 'kind'),
          names.map(({ kind, name }) => nameKey(kind, name)),
          ...columns(names, 'name', 'blockedAt'),
        ],
      );
    },
    async unblockNames(kind, names) {
      const keys = names.map((name) => nameKey(kind, name));
      await query('delete from blocked_name where kind = $1 and key = any($2)', [kind, keys]);
    },
    async removedFiles(hashes) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where hash = any($1)`;
      return (await query(text, [hashes])).rows;
    },
    async removedFilesOf(images) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where image = any($1) order by hash`;
      return (await query(text, [images])).rows;
    },
    async rememberFiles(files) {
      await query(
        `insert into removed_file (hash, image, removed_at, reason)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
         on conflict (hash) do update
         set image = excluded.image, removed_at = excluded.removed_at, reason = excluded.reason`,
        columns(files, 'hash', 'image', 'removedAt', 'reason'),
      );
    },
    async forgetFiles(hashes) {
      await query('delete from removed_file where hash = any($1)', [hashes]);
    },
  };
}
