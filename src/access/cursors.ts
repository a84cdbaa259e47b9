/**
 * Where a walk goes on: `X-Next-Cursor`. A cursor is the rank of the next image and an HMAC of it, together with what is
 * walked: the seed and the filters. So there is nothing to remember here, and a cursor that is made up, or of another walk, is
 * told from one of ours.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Bytes of the rank, and of the HMAC: more than anyone guesses, and just as many as make whole characters. */
const RANK = 4;
const SIGNATURE = 17;
const form = /^[0-9A-Za-z_-]{28}$/;

export class Cursors {
  readonly #keys: readonly string[];

  /** The first key signs, all verify. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  write(rank: number, walk: string): string {
    const bytes = Buffer.alloc(RANK);
    bytes.writeUInt32BE(rank);
    return Buffer.concat([bytes, sign(this.#keys[0] as string, bytes, walk)]).toString('base64url');
  }

  /** The rank; undefined when the cursor is not one of ours, or of another walk. */
  read(cursor: string, walk: string): number | undefined {
    if (!form.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const [rank, signature] = [bytes.subarray(0, RANK), bytes.subarray(RANK)];
    const isOurs = this.#keys.some((key) => timingSafeEqual(signature, sign(key, rank, walk)));
    return isOurs ? rank.readUInt32BE() : undefined;
  }
}

function sign(key: string, rank: Uint8Array, walk: string): Buffer {
  return createHmac('sha256', key)
    .update('zukan cursor ')
    .update(rank)
    .update(walk)
    .digest()
    .subarray(0, SIGNATURE);
}
