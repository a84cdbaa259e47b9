/** The last imports of the embedded catalogue, and what was before them. */
import type { DatabaseSync } from 'node:sqlite';
import type { ImportChange, ImportRun, ImportRunWriter } from '../../catalogue/import-runs.ts';
import { IMPORT_RUNS, SHELF_BATCH_SIZE } from '../shared/queries.ts';

export function importRunWriter(database: DatabaseSync, lastImage: number): ImportRunWriter {
  const prepare = (sql: string) => database.prepare(sql);
  // The numbers of the newest images are used again after those were removed.
  prepare('update import_run set last_image = ? where last_image > ?').run(lastImage, lastImage);
  return {
    lastImage,
    async list() {
      return prepare(IMPORT_RUNS).all() as unknown as ImportRun[];
    },
    async save(run) {
      const { id, at, source, origin, added, changed, removed, entries, firstImage, ...rest } = run;
      prepare('insert or replace into import_run values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
        ...[id, at, source, origin, added, changed, removed, entries, firstImage],
        ...[rest.lastImage, rest.changes, rest.state],
      );
    },
    async removeBelow(id) {
      prepare('delete from import_run where id < ?').run(id);
      prepare('delete from import_change where run < ?').run(id);
    },
    async saveChanges(run, changes) {
      const save = prepare(
        `insert into import_change (run, kind, id, before, after) values (?, ?, ?, ?, ?)
         on conflict do update set after = excluded.after`,
      );
      for (const { kind, id, before, after } of changes) save.run(run, kind, id, before, after);
    },
    async changes(run) {
      const rows = prepare('select kind, id, before, after from import_change where run = ?').all(run);
      return rows as unknown as ImportChange[];
    },
    async removeChanges(run) {
      prepare('delete from import_change where run = ?').run(run);
    },
    async imagesChangedAfter(run) {
      const rows = prepare(`select id from import_change where run > ? and kind = 'image'`).all(run);
      return new Set(rows.map(({ id }) => id as string));
    },
    async *addedImages({ firstImage, lastImage: last }) {
      const read = prepare(
        `select number, id from image where number > ? and number <= ? order by number limit ${SHELF_BATCH_SIZE}`,
      );
      for (let after = firstImage - 1; ; ) {
        const rows = read.all(after, last);
        const end = rows.at(-1);
        if (!end) return;
        after = end.number as number;
        yield rows.map(({ id }) => id as string);
      }
    },
  };
}
