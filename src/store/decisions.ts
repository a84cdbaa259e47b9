/** What an operator decided: blocked names and removed files. */
import { type Decisions, nameKey, type RemovedFile } from './contract/decisions.ts';
import { type BlockedRow, REMOVED_COLUMNS, selectBlocked, toBlockedName } from './queries.ts';
import type { WriteSession } from './session.ts';

export function createDecisions(session: WriteSession): Decisions {
  const { isOneOf } = session.dialect;
  return {
    async blockedNames(kind, names) {
      const text = selectBlocked(`where kind = $1 and key ${isOneOf('$2', 'text')}`);
      const keys = names.map((name) => nameKey(kind, name));
      return (await session.query<BlockedRow>(text, [kind, keys])).map(toBlockedName);
    },
    async blockNames(names) {
      await session.runWith(
        { kind: 'text', key: 'text', name: 'text', blockedAt: 'text', skips: 'int' },
        names.map(({ skips, ...blocked }) => ({
          ...blocked,
          key: nameKey(blocked.kind, blocked.name),
          skips: skips ? 1 : 0,
        })),
        `insert into blocked_name (kind, key, name, blocked_at, skips)
         select kind, key, name, blockedAt, skips from given where true
         on conflict (kind, key) do update
         set name = excluded.name, blocked_at = excluded.blocked_at, skips = excluded.skips`,
      );
    },
    async unblockNames(kind, names) {
      const keys = names.map((name) => nameKey(kind, name));
      await session.run(`delete from blocked_name where kind = $1 and key ${isOneOf('$2', 'text')}`, [
        kind,
        keys,
      ]);
    },
    async removedFiles(hashes) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where hash ${isOneOf('$1', 'text')}`;
      return session.query<RemovedFile>(text, [hashes]);
    },
    async removedFilesOf(images) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where image ${isOneOf('$1', 'text')} order by hash`;
      return session.query<RemovedFile>(text, [images]);
    },
    async rememberFiles(files) {
      await session.runWith(
        { hash: 'text', image: 'text', removedAt: 'text', reason: 'text' },
        files,
        `insert into removed_file (hash, image, removed_at, reason)
         select hash, image, removedAt, reason from given where true
         on conflict (hash) do update
         set image = excluded.image, removed_at = excluded.removed_at, reason = excluded.reason`,
      );
    },
    async forgetFiles(hashes) {
      await session.run(`delete from removed_file where hash ${isOneOf('$1', 'text')}`, [hashes]);
    },
  };
}
