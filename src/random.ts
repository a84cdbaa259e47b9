/** Cryptographically secure random integers, fetched many at a time. */
import { randomFillSync } from 'node:crypto';

/** A random integer, uniform from 0 up to but excluding `below`. */
export type RandomInt = (below: number) => number;

/** One call for so many takes as long as a handful of calls for one each. */
const numbers = new Uint32Array(1024);
let left = 0;

/** For `below` up to 2 ** 32. */
export const secureRandomInt: RandomInt = (below) => {
  if (below === 1) return 0;
  // As many bits as are needed, and anew when they say too much: a remainder would favour the smallest results.
  const surplus = Math.clz32(below - 1);
  for (;;) {
    if (left === 0) left = randomFillSync(numbers).length;
    const number = (numbers[--left] as number) >>> surplus;
    if (number < below) return number;
  }
};
