/** Cryptographically secure random integers, and ids of records and requests. */
import { randomFillSync, randomUUID } from 'node:crypto';

/** A random integer, uniform from 0 up to but excluding `below`. */
export type RandomInt = (below: number) => number;

/** One call that fills 1024 numbers costs about as much as a few calls for one number each. */
const buffer = new Uint32Array(1024);
let unused = 0;

/** For `below` up to 2 ** 32. */
export const secureRandomInt: RandomInt = (below) => {
  if (below === 1) return 0;
  // Rejection sampling: taking the remainder instead would favour small results.
  const excessBits = Math.clz32(below - 1);
  for (;;) {
    if (unused === 0) unused = randomFillSync(buffer).length;
    const number = (buffer[--unused] as number) >>> excessBits;
    if (number < below) return number;
  }
};

/**
 * A version 7 UUID, which starts with the time: consecutive ids are neighbours in an index, which makes inserting them
 * cheaper than random ones. The random bits come from a version 4 UUID.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const IDS_AT_ONCE = 128;
const ID_LENGTH = 36;
let requestIds = '';
let nextRequestId = IDS_AT_ONCE;

/**
 * A version 4 UUID, cut out of a text of many. Node joins one from twenty pieces, which V8 would have to copy together for each
 * response.
 */
export function newRequestId(): string {
  if (nextRequestId === IDS_AT_ONCE) {
    requestIds = Array.from({ length: IDS_AT_ONCE }, () => randomUUID()).join('');
    nextRequestId = 0;
  }
  const start = ID_LENGTH * nextRequestId++;
  return requestIds.slice(start, start + ID_LENGTH);
}
