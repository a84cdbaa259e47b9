/** The statements of the embedded catalogue. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SNAPSHOT_QUERY } from '../../shelves.ts';
import { firstTitleWords } from '../../view.ts';

const ENTRY = 'select number, id, document, size, cover from shelf';

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select coalesce(max(number), 0) from image',
  documentRevision: 'select coalesce(max(number), 0) from document_change',
  snapshot: SNAPSHOT_QUERY,
  imageNumber: 'select number from image where id = ?',
  file: 'select key, etag, mimetype from image where id = ?',
  entry: `${ENTRY} where kind = ? and id = ?`,
  mergedEntry: `${ENTRY} where number = (select shelf from alias where kind = ? and key = ?)`,
  entryShelf: `select number, size from shelf where number = coalesce(
    (select number from shelf where kind = ?1 and id = ?2), (select shelf from alias where kind = ?1 and key = ?2))`,
  entryAt: `${ENTRY} where kind = ? and position = ?`,
  document: 'select document from image where number = ?',
  documentsAfter: 'select number, document from image where number > ? order by number limit ?',
  documentChanges: 'select number, image from document_change where number > ? order by number limit ?',
  imagesOn:
    'select image from placement where shelf = ? and position >= ? and position < ? order by position',
  imageAt: 'select image from placement where shelf = ? and position = ?',
  albumImages: `select number from album_image join image on image.id = album_image.image
    where album = ?1 order by position limit ?3 offset ?2`,
  placement: 'select shelves, width, height from image_shelves where image = ?',
  dimensions: 'select image, width, height from image_shelves where image > ? order by image limit ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  aliases: `select key, alias.name, position from alias join shelf on number = alias.shelf
    where alias.kind = ? and key > ? order by key limit ?`,
  sizes: 'select size from shelf where kind = ? and position >= ? and position < ? order by position',
  titleWords: firstTitleWords('?1', '?2', '?3'),
  titleCount: 'select count(*) from (select 1 from title_word where word = ? limit ?)',
  titledImages: 'select image from title_word where word = ? and image >= ? order by image desc limit ?',
  isTitled: 'select 1 from title_word where word = ? and image = ?',
  hashes: 'select image, hash from perceptual_hash where image > ? order by image limit ?',
};

export type Statements = Record<keyof typeof texts, StatementSync>;

/** Rows come as arrays, which takes half the time of objects. */
export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** The rows of a statement, with the types that its columns have. */
export function allRows<Row extends unknown[]>(statement: StatementSync, ...values: Value[]): Row[] {
  return statement.all(...values) as unknown[] as Row[];
}

/** The first row, if there is one. */
export function firstRow<Row extends unknown[]>(
  statement: StatementSync,
  ...values: Value[]
): Row | undefined {
  return statement.get(...values) as unknown[] | undefined as Row | undefined;
}

type Value = string | number;
