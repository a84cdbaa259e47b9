/** Defaults that follow the machine, or the limits of the container. */
import { availableParallelism, totalmem } from 'node:os';

const MB = 1024 * 1024;
const MIN_DEFAULT_CACHE_MB = 32;
/** The cache addresses its memory in words of four bytes by 32-bit numbers. */
export const MAX_CACHE_MB = 16_000;
const MAX_DEFAULT_WORKERS = 256;

export function availableCores(): number {
  return Math.min(availableParallelism(), MAX_DEFAULT_WORKERS);
}

/** A tenth of the memory that this process may use. */
export function defaultCacheMb(available = availableMemory()): number {
  return Math.min(MAX_CACHE_MB, Math.max(MIN_DEFAULT_CACHE_MB, Math.floor(available / 10 / MB)));
}

function availableMemory(): number {
  // 0 if it is unknown, and more than the machine has if there is no limit.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
