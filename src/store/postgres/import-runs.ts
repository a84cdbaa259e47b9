/** The last imports of the catalogue in PostgreSQL, and what was before them. */
import type { ImportRunWriter } from '../../catalogue/import-runs.ts';
import { IMPORT_RUNS, SHELF_BATCH_SIZE } from '../shared/queries.ts';
import { columns, splitBatches } from './batches.ts';
import type { Query } from './placements.ts';

/** The numbers of the newest images are used again after those were removed. */
export const CLIP_RUNS = 'update import_run set last_image = $1::int where last_image > $1::int';

export function importRunWriter(query: Query, lastImage: number): ImportRunWriter {
  return {
    lastImage,
    list: async () => (await query(IMPORT_RUNS)).rows,
    async save(run) {
      const { id, at, source, origin, added, changed, removed, entries, firstImage, ...rest } = run;
      await query('delete from import_run where id = $1', [id]);
      await query('insert into import_run values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)', [
        ...[id, at, source, origin, added, changed, removed, entries, firstImage],
        ...[rest.lastImage, rest.changes, rest.state],
      ]);
    },
    async removeBelow(id) {
      await query('delete from import_run where id < $1', [id]);
      await query('delete from import_change where run < $1', [id]);
    },
    async saveChanges(run, changes) {
      const length = ({ before }: (typeof changes)[number]) => before?.length ?? 0;
      for (const batch of splitBatches(changes, length))
        await query(
          `insert into import_change (run, kind, id, before, after)
           select $1::int, * from unnest($2::text[], $3::text[], $4::text[], $5::text[])
           on conflict (run, kind, id) do update set after = excluded.after`,
          [run, ...columns(batch, 'kind', 'id', 'before', 'after')],
        );
    },
    async changes(run) {
      return (await query('select kind, id, before, after from import_change where run = $1', [run])).rows;
    },
    async removeChanges(run) {
      await query('delete from import_change where run = $1', [run]);
    },
    async imagesChangedAfter(run) {
      const text = `select id from import_change where run > $1 and kind = 'image'`;
      return new Set((await query(text, [run])).rows.map(({ id }) => id));
    },
    async *addedImages({ firstImage, lastImage: last }) {
      for (let after = firstImage - 1; ; ) {
        const { rows } = await query(
          `select number, id from image
           where number > $1 and number <= $2 order by number limit ${SHELF_BATCH_SIZE}`,
          [after, last],
        );
        if (rows.length === 0) return;
        after = rows.at(-1).number;
        yield rows.map(({ id }) => id);
      }
    },
  };
}
