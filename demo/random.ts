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

/** A version 8 (custom) UUID that depends only on the name. */
export function uuidOf(kind: string, name: string): string {
  const hex = createHash('sha256').update(`${kind}:${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
