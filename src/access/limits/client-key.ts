/** A client's name as a key of fixed size, and the keyed hash that finds it in a table. */
import { hash } from 'node:crypto';

/** An IPv4 address, or an IPv6 network such as 2001:db8:1234:5678::/64, fits as it is. */
const MAX_LENGTH = 24;
/** Words of four bytes. */
export const KEY_WORDS = MAX_LENGTH / 4;

/** Writes the key of a client, whose name is ASCII. A name that does not fit is replaced by its hash. */
export function writeKey(client: string, key: Int32Array): void {
  const isShort = client.length <= MAX_LENGTH;
  const text = isShort ? client : hash('sha256', client, 'base64url').slice(0, MAX_LENGTH);
  for (let word = 0; word < KEY_WORDS; word++) {
    let bytes = 0;
    for (let index = word * 4; index < word * 4 + 4 && index < text.length; index++)
      bytes = (bytes << 8) | text.charCodeAt(index);
    key[word] = bytes;
  }
}

export function isKeyAt(keys: Int32Array, from: number, key: Int32Array): boolean {
  for (let word = 0; word < KEY_WORDS; word++) if (keys[from + word] !== key[word]) return false;
  return true;
}

/**
 * HalfSipHash-1-3 of the key that starts at `from`. Clients cannot choose their addresses so that they collide, because
 * they do not know the seed.
 */
export function hashKey(keys: Int32Array, from: number, seed0: number, seed1: number): number {
  let v0 = seed0;
  let v1 = seed1;
  let v2 = 0x6c796765 ^ seed0;
  let v3 = 0x74656462 ^ seed1;
  for (let turn = 0; turn < KEY_WORDS + 3; turn++) {
    const word = turn < KEY_WORDS ? (keys[from + turn] as number) : 0;
    if (turn === KEY_WORDS) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
