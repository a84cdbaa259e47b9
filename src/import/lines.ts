/** Splits a stream of bytes into numbered lines, in bounded memory. */
import { isUtf8 } from 'node:buffer';
import { RecordError } from './problems.ts';

export interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer;
}

export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Yields the lines of each chunk together: a promise for each line would take longer than splitting it. A line that is too
 * long is cut just above the limit; `lineText` then rejects it.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line[], void> {
  let number = 1;
  let pieces: Buffer[] = [];
  let length = 0;
  const append = (piece: Buffer) => {
    if (length <= maxBytes) pieces.push(piece);
    length += piece.length;
  };
  const finish = (): Line => {
    const line = {
      number: number++,
      bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces),
    };
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      append(chunk.subarray(start, end));
      lines.push(finish());
      start = end + 1;
    }
    append(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [finish()];
}

/** The text of a line, trimmed. This also removes the byte order mark that some editors write first. */
export function lineText(bytes: Buffer): string {
  if (bytes.length > MAX_LINE_BYTES) throw new RecordError(`the line is longer than ${MAX_LINE_BYTES} bytes`);
  if (!isUtf8(bytes)) throw new RecordError('the line is not valid UTF-8');
  return bytes.toString().trim();
}
