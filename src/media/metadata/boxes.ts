/** The boxes of ISO base media files, which AVIF is one of. */
import { PictureError } from '../picture.ts';
import type { Range } from './part.ts';

/** The range is that of the content. */
export interface Box extends Range {
  type: string;
  /** The position of the type. */
  typeAt: number;
}

/** Far more than any program writes. A box has only eight bytes, so a hostile file could fill the memory. */
const MAX_BOXES = 100_000;

/** Ends at the first invalid box. */
export function* boxesIn(bytes: Buffer, { start, end }: Range): Generator<Box, void> {
  let position = start;
  for (let count = 0; position + 8 <= end; count++) {
    if (count === MAX_BOXES) throw new PictureError(`the picture has more than ${MAX_BOXES} boxes in a list`);
    const size = bytes.readUInt32BE(position);
    const isLarge = size === 1 && position + 16 <= end;
    const header = isLarge ? 16 : 8;
    const length = isLarge ? Number(bytes.readBigUInt64BE(position + 8)) : size || end - position;
    if (length < header || position + length > end) return;
    const type = bytes.toString('latin1', position + 4, position + 8);
    yield { type, typeAt: position + 4, start: position + header, end: position + length };
    position += length;
  }
}

/** Reads numbers one after the other. Throws a `RangeError` at the end of the range. */
export class BoxReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer, { start, end }: Range) {
    this.#bytes = bytes.subarray(start, end);
  }

  /** A number of 0, 1, 2, 4 or 8 bytes. */
  number(size: number): number {
    const at = this.#position;
    this.#position += size;
    if (size === 0) return 0;
    if (size === 8) return Number(this.#bytes.readBigUInt64BE(at));
    return this.#bytes.readUIntBE(at, size);
  }

  text(size: number): string {
    const at = this.#position;
    this.#position += size;
    if (this.#position > this.#bytes.length) throw new RangeError('the box ends early');
    return this.#bytes.toString('latin1', at, at + size);
  }
}
