/**
 * The layout of the memory in which threads share the states of clients: a header, the headers of the shards, and for each
 * slot the state and the key of a client. Every kind of data has its own array, so that data that few clients need, such as
 * the times of violations, occupies memory for few clients. A client's name is a key of fixed size, found by a keyed hash.
 */
import { hash, randomInt } from 'node:crypto';
import { MAX_VIOLATIONS } from '../rate.ts';

/** An IPv4 address, or an IPv6 network such as 2001:db8:1234:5678::/64, fits as it is. */
const MAX_LENGTH = 24;
/** Words of four bytes. */
export const KEY_WORDS = MAX_LENGTH / 4;

export const SHARDS = 64;
export const STORED_VIOLATIONS = MAX_VIOLATIONS - 1;

/** What a slot holds: nothing, a client with so many violations more than `GOOD`, or a blocked client. */
export const EMPTY = 0;
export const GOOD = 1;
export const BLOCKED = GOOD + MAX_VIOLATIONS;

/** Words of four bytes, as many as a cache line of the processor has. */
const HEADER_WORDS = 16;
/** The words of a shard's header. Slots are numbered from 1; 0 means none. */
export const LOCK = 0;
/** How many slots of the shard have been in use. */
export const USED = 1;
export const FIRST_FREE = 2;
export const BLOCKED_SIZE = 3;
/** Where the sweep continues. */
export const HAND = 4;
/** The slot that the owner of the lock is changing. */
export const CHANGING = 5;

const HEADER_BYTES = (1 + SHARDS) * HEADER_WORDS * 4;
const SLOT_BYTES = 8 + STORED_VIOLATIONS * 8 + KEY_WORDS * 4 + 4 + 4 + 1;

export interface ClientMemory {
  words: Int32Array<SharedArrayBuffer>;
  /** Of the hash. */
  seed0: number;
  seed1: number;
  /** How many slots a shard has. */
  perShard: number;
  /** The next arrival, or the end of the block. */
  times: Float64Array;
  violations: Float64Array;
  keys: Int32Array;
  /** The first slot of each bucket, and for each slot the next one of the same bucket. */
  heads: Int32Array;
  next: Int32Array;
  kinds: Uint8Array;
}

/** The system provides the memory only when it is written to. */
export function createClientMemory(maxClients: number): SharedArrayBuffer {
  // One of two may be blocked.
  const perShard = Math.max(2, Math.ceil(maxClients / SHARDS));
  const memory = new SharedArrayBuffer(HEADER_BYTES + perShard * SHARDS * SLOT_BYTES);
  new Int32Array(memory).set([randomInt(2 ** 31), randomInt(2 ** 31), perShard]);
  return memory;
}

export function viewClientMemory(memory: SharedArrayBuffer): ClientMemory {
  const words = new Int32Array(memory, 0, HEADER_BYTES / 4);
  const [seed0 = 0, seed1 = 0, perShard = 0] = words;
  const slots = perShard * SHARDS;
  let end = HEADER_BYTES;
  const take = (bytes: number) => {
    end += bytes;
    return end - bytes;
  };
  return {
    words,
    seed0,
    seed1,
    perShard,
    times: new Float64Array(memory, take(slots * 8), slots),
    violations: new Float64Array(memory, take(slots * STORED_VIOLATIONS * 8), slots * STORED_VIOLATIONS),
    keys: new Int32Array(memory, take(slots * KEY_WORDS * 4), slots * KEY_WORDS),
    heads: new Int32Array(memory, take(slots * 4), slots),
    next: new Int32Array(memory, take(slots * 4), slots),
    kinds: new Uint8Array(memory, take(slots), slots),
  };
}

/** The first word of a shard's header. */
export function headerOf(shard: number): number {
  return (1 + shard) * HEADER_WORDS;
}

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
