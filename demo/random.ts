/** Deterministic random numbers and ids, so that the demo is always the same. */
import { createHash } from 'node:crypto';

export interface Rng {
  /** A number in [0, 1). */
  next: () => number;
  /** A number in [from, to). */
  between: (from: number, to: number) => number;
  pick: <T>(list: readonly [T, ...T[]]) => T;
}

/** Mulberry32: tiny, and the same sequence on every machine because it only uses 32-bit integer arithmetic. */
export function seeded(seed: number): Rng {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
  };
}

/** The namespace of the demo's ids. */
const NAMESPACE = Buffer.from('3f2c9a5e7b0d4c18a6e19d4b7c20f853', 'hex');

/** A version 5 UUID, which depends only on the name. */
export function uuidOf(kind: string, name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`${kind}:${name}`).digest().subarray(0, 16);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x50;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
