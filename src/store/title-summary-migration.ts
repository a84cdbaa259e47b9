/** Older versions put the titles of pictures into summaries of changes, where they outlived the pictures. */
import { withoutTitle } from '../catalogue/history-line.ts';
import { query, type Statement } from './data-migration.ts';

export function* removeTitles(): Generator<Statement, void, unknown[]> {
  const rows = yield* query<{ number: number; summary: string }>(
    `select number, summary from change where summary like '%title %'`,
  );
  for (const { number, summary } of rows)
    if (withoutTitle(summary) !== summary)
      yield* query('update change set summary = $2 where number = $1', number, withoutTitle(summary));
}
