/** What is asked of the embedded store, prepared. Rows come as arrays, which are made in half the time of objects. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SHELF_COLUMNS, SHELF_KINDS } from '../shared/shelves.ts';

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select max(number) from image',
  shelves: `select ${SHELF_COLUMNS} from shelf where kind in ${SHELF_KINDS}`,
  sizes: `select id, size from shelf where kind in ('catalogue', 'rating', 'orientation')`,
  count: 'select max(position) + 1 from shelf where kind = ?',
  shelf: 'select number, size from shelf where kind = ? and id = ?',
  entries: 'select document from shelf where kind = ? and position >= ? and position < ? order by position',
  entry: 'select document, size from shelf where kind = ? and id = ?',
  entryAt: 'select document from shelf where kind = ? and position = ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  image: 'select number from image where id = ?',
  document: 'select document from image where number = ?',
  file: 'select key, etag, mimetype from image where id = ?',
  imageAt: 'select image from placement where shelf = ? and position = ?',
  standsOn: 'select 1 from placement where image = ? and shelf = ?',
  members: 'select image from placement where shelf = ? and position >= ? and position < ? order by position',
};

export type SqliteStatements = Record<keyof typeof texts, StatementSync>;

export function prepareAll(database: DatabaseSync): SqliteStatements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as SqliteStatements;
}
