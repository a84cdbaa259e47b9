/** The prepared statements of the embedded store. Rows come as arrays, which takes half the time of objects. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SHELF_COLUMNS, SNAPSHOT_KINDS } from '../shared/shelves.ts';
import { hasShelf } from './queries.ts';

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select max(number) from image',
  shelves: `select ${SHELF_COLUMNS} from shelf where kind in ${SNAPSHOT_KINDS}`,
  sizes: `select id, size from shelf where kind in ('catalogue', 'rating', 'orientation')`,
  entryCount: 'select max(position) + 1 from shelf where kind = ?',
  shelf: 'select number, size from shelf where kind = ? and id = ?',
  entries:
    'select document, size, cover from shelf where kind = ? and position >= ? and position < ? order by position',
  entry: 'select document, size, cover from shelf where kind = ? and id = ?',
  entryAt: 'select document, size, cover from shelf where kind = ? and position = ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  imageNumber: 'select number from image where id = ?',
  hashes: 'select image, hash from perceptual_hash where image > ? order by image limit ?',
  document: 'select document from image where number = ?',
  documentRevision: 'select coalesce(max(number), 0) from document_change',
  changedDocuments: 'select number, image from document_change where number > ? order by number limit ?',
  documentsAfter: 'select number, document from image where number > ? order by number limit ?',
  file: 'select key, etag, mimetype from image where id = ?',
  imageAt: 'select image from placement where shelf = ? and position = ?',
  isPlaced: `select 1 from image_shelves where image = ? and ${hasShelf('?')}`,
  shelfImages:
    'select image from placement where shelf = ? and position >= ? and position < ? order by position',
};

export type Statements = Record<keyof typeof texts, StatementSync>;

export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** A row with the type that the statement's columns have. */
export function rowOf<Row>(row: unknown): Row | undefined {
  return row as Row | undefined;
}

export function firstColumn<T>(rows: unknown): T[] {
  return (rows as [T][]).map((row) => row[0]);
}
