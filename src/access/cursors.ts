/**
 * Where a walk goes on: `X-Next-Cursor`. A cursor is the mark of the next image and an HMAC of it, together with what is
 * walked: the seed and the filters. So there is nothing to remember here, and a cursor that is made up, or of another walk, is
 * told from one of ours.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SeedPosition } from '../catalogue/seed-order.ts';

/** Bytes of the mark, and of the HMAC: more than anyone guesses, and just as many as make whole characters. */
const MARK = 5;
const SIGNATURE = 16;
const form = /^[0-9A-Za-z_-]{28}$/;

export class Cursors {
  readonly #keys: readonly string[];

  /** The first key signs, all verify. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  write({ bits, rank }: SeedPosition, walk: string): string {
    const mark = Buffer.alloc(MARK);
    mark.writeUInt8(bits);
    mark.writeUInt32BE(rank, 1);
    return Buffer.concat([mark, sign(this.#keys[0] as string, mark, walk)]).toString('base64url');
  }

  /** The mark; undefined when the cursor is not one of ours, or of another walk. */
  read(cursor: string, walk: string): SeedPosition | undefined {
    if (!form.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const [mark, signature] = [bytes.subarray(0, MARK), bytes.subarray(MARK)];
    const isOurs = this.#keys.some((key) => timingSafeEqual(signature, sign(key, mark, walk)));
    return isOurs ? { bits: mark.readUInt8(), rank: mark.readUInt32BE(1) } : undefined;
  }
}

function sign(key: string, mark: Uint8Array, walk: string): Buffer {
  return createHmac('sha256', key)
    .update('zukan cursor ')
    .update(mark)
    .update(walk)
    .digest()
    .subarray(0, SIGNATURE);
}
