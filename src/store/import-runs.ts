/** The last imports, and what was before them. */
import type { ImportChange, ImportRun, ImportRunWriter } from './contract/import-runs.ts';
import { IMPORT_RUNS, SHELF_BATCH_SIZE } from './queries.ts';
import type { WriteSession } from './session.ts';

export async function openImportRuns(session: WriteSession, lastImage: number): Promise<ImportRunWriter> {
  // The numbers of the newest images are used again after those were removed.
  await session.run('update import_run set last_image = $1 where last_image > $1', [lastImage]);
  return {
    lastImage,
    list: () => session.query<ImportRun>(IMPORT_RUNS),
    async save(run) {
      const { id, at, source, origin, added, changed, removed, entries, firstImage, ...rest } = run;
      await session.run('delete from import_run where id = $1', [id]);
      await session.run('insert into import_run values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)', [
        ...[id, at, source, origin, added, changed, removed, entries, firstImage],
        ...[rest.lastImage, rest.changes, rest.state],
      ]);
    },
    async removeBelow(id) {
      await session.run('delete from import_run where id < $1', [id]);
      await session.run('delete from import_change where run < $1', [id]);
    },
    async saveChanges(run, changes) {
      await session.runWith(
        { run: 'int', kind: 'text', id: 'text', before: 'text', after: 'text' },
        changes.map((change) => ({ ...change, run })),
        `insert into import_change (run, kind, id, before, after)
         select run, kind, id, before, after from given where true
         on conflict (run, kind, id) do update set after = excluded.after`,
      );
    },
    changes: (run) =>
      session.query<ImportChange>('select kind, id, before, after from import_change where run = $1', [run]),
    async removeChanges(run) {
      await session.run('delete from import_change where run = $1', [run]);
    },
    async imagesChangedAfter(run) {
      const text = `select id from import_change where run > $1 and kind = 'image'`;
      return new Set((await session.query<{ id: string }>(text, [run])).map(({ id }) => id));
    },
    async *addedImages({ firstImage, lastImage: last }) {
      const text = `select number, id from image
        where number > $1 and number <= $2 order by number limit ${SHELF_BATCH_SIZE}`;
      for (let after = firstImage - 1; ; ) {
        const rows: { number: number; id: string }[] = await session.query(text, [after, last]);
        const end = rows.at(-1);
        if (!end) return;
        after = end.number;
        yield rows.map(({ id }) => id);
      }
    },
  };
}
