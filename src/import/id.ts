import { randomUUID } from 'node:crypto';

/**
 * A version 7 UUID, which starts with the time: consecutive ids are neighbours in an index, which makes inserting them
 * cheaper than random ones. The random bits come from a version 4 UUID.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
