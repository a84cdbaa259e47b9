/** A stream of bytes as numbered lines, in bounded memory. */
import { isUtf8 } from 'node:buffer';

/** A line is wrong, and the message says why. */
export class LineError extends Error {}

export interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer;
}

export const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** The lines of a stream. One that is too long is given up to just over the limit, which `lineText` then refuses. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void> {
  let number = 1;
  let begun: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer) => {
    if (length <= MAX_LINE_BYTES) begun.push(piece);
    length += piece.length;
  };
  const finish = (): Line => {
    const line = {
      number: number++,
      bytes: begun.length === 1 ? (begun[0] as Buffer) : Buffer.concat(begun),
    };
    begun = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

/** The text of a line, without blanks around it, nor the byte order mark that some editors put first. */
export function lineText(bytes: Buffer): string {
  if (bytes.length > MAX_LINE_BYTES) throw new LineError(`the line is longer than ${MAX_LINE_BYTES} bytes`);
  if (!isUtf8(bytes)) throw new LineError('the line is not valid UTF-8');
  return bytes.toString().trim();
}
