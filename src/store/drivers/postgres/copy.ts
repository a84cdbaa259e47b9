/** `COPY … FROM STDIN`. */
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { SqlValue } from '../../session.ts';

/** The rows in the text format of COPY. */
function formatRows(rows: SqlValue[][]): string {
  let text = '';
  for (const row of rows) {
    let separator = '';
    for (const value of row) {
      text += separator + formatValue(value);
      separator = '\t';
    }
    text += '\n';
  }
  return text;
}

function formatValue(value: SqlValue): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string')
    return value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] as string);
  return value === null ? '\\N' : `{${value.join()}}`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Sends rows to a table. `target` is its name and columns. Arrays are of numbers. */
export async function copyRows(client: pg.Client, target: string, rows: SqlValue[][]): Promise<void> {
  const stream = client.query(copyFrom(`copy ${target} from stdin`));
  stream.end(formatRows(rows));
  await finished(stream);
}
