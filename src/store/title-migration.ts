/** Indexes the titles of catalogues of versions that did not. */
import { readTitle } from '../catalogue/documents/document.ts';
import { titleWords } from '../catalogue/search/title-words.ts';
import { query, type Statement } from './data-migration.ts';

const BATCH_SIZE = 1000;

/** `insert` adds pairs of a word and an image, given as JSON ($1). */
export function* indexTitles(insert: string): Generator<Statement, void, unknown[]> {
  for (let last = 0; ; ) {
    const rows = yield* query<{ number: number; document: string }>(
      `select number, document from image where number > $1 order by number limit ${BATCH_SIZE}`,
      last,
    );
    const pairs = rows.flatMap(({ number, document }) =>
      titleWords(readTitle(document)).map((word) => [word, number]),
    );
    if (pairs.length > 0) yield* query(insert, JSON.stringify(pairs));
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1)?.number ?? last;
  }
}
