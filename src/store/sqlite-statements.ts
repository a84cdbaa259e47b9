/** What is asked of the embedded store, prepared. Rows come as arrays, which are made in half the time of objects. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select max(number) from image',
  categories: `select category, number, size from shelf where kind in ('catalogue', 'category')`,
  sizes: `select id, size from shelf where kind in ('catalogue', 'rating', 'orientation')`,
  count: 'select max(position) + 1 from shelf where kind = ?',
  shelf: 'select number, size from shelf where kind = ? and id = ?',
  entries: 'select document from shelf where kind = ? and position >= ? and position < ? order by position',
  entry: 'select document, size from shelf where kind = ? and id = ?',
  entryAt: 'select document from shelf where kind = ? and position = ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  image: 'select document from image where id = ?',
  file: 'select key, etag, mimetype from image where id = ?',
  page: `select document from placement join image on number = image
         where shelf = ? and position >= ? and position < ? order by position`,
  imageAt: 'select image from placement where shelf = ? and position = ?',
  standsOn: 'select 1 from placement where image = ? and shelf = ?',
  members: 'select image from placement where shelf = ? and position >= ? and position < ?',
};

export interface SqliteStatements extends Record<keyof typeof texts, StatementSync> {
  /** Numbers and documents of so many images. One statement for all of them takes half the time of one for each. */
  documents(count: number): StatementSync;
}

export function prepareAll(database: DatabaseSync): SqliteStatements {
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return statement;
  };
  const prepared = Object.entries(texts).map(([name, text]) => [name, prepare(text)]);
  const documents: StatementSync[] = [];
  return {
    ...(Object.fromEntries(prepared) as Record<keyof typeof texts, StatementSync>),
    documents(count) {
      documents[count] ??= prepare(
        `with wanted (image) as (values ${Array(count).fill('(?)').join()})
         select number, document from wanted join image on number = image`,
      );
      return documents[count];
    },
  };
}
