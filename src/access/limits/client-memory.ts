/**
 * The layout of the memory in which threads share the states of clients: a header, the headers of the shards, and for each
 * slot the state and the key of a client. Every kind of data has its own array, so that data that few clients need, such as
 * the times of violations, occupies memory for few clients.
 */
import { randomInt } from 'node:crypto';
import { MAX_VIOLATIONS } from '../rate.ts';
import { KEY_WORDS } from './client-key.ts';

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
