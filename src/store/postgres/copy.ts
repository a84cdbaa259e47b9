/**
 * `COPY … FROM STDIN`, which pg has no function for: a kind of query that sends rows.
 */
import type pg from 'pg';

export type CopyValue = string | number | number[];

/** The rows in the text format of COPY. */
export function formatRows(rows: CopyValue[][]): string {
  let text = '';
  for (const row of rows) text += `${row.map(formatValue).join('\t')}\n`;
  return text;
}

function formatValue(value: CopyValue): string {
  if (typeof value === 'string')
    return value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] as string);
  return typeof value === 'number' ? String(value) : `{${value.join()}}`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Sends rows, formatted by `formatRows`, to a table. `target` is its name and columns. */
export function copyRows(client: pg.Client, target: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(`copy ${target} from stdin`, rows, resolve, reject));
  });
}

/** What pg calls for a query of its own kind. */
class CopyQuery implements pg.Submittable {
  readonly #text: string;
  readonly #rows: string;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;

  constructor(text: string, rows: string, resolve: () => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#rows = rows;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve();
  }

  handleError(error: Error): void {
    this.#reject(error);
  }
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}
