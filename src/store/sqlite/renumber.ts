/** Numbering a shelf of the embedded catalogue again, after it lost an image or gained an older one. */
import type { DatabaseSync } from 'node:sqlite';

/** Returns the size of the shelf. */
export function renumberShelf(database: DatabaseSync, shelf: number): number {
  database.exec(
    `create temp table row_of as
     select row_number() over (order by image) - 1 as position, image from placement where shelf = ${shelf}`,
  );
  database.prepare('delete from placement where shelf = ?').run(shelf);
  const { changes } = database
    .prepare(
      'insert into placement (shelf, position, image) select ?, position, image from row_of order by position',
    )
    .run(shelf);
  database.exec('drop table row_of');
  return Number(changes);
}
