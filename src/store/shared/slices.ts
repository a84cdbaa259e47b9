/** Reading a long row of things a slice at a time, between other requests. */
import { yieldToEventLoop } from '../../event-loop.ts';

/** After so long a reading, other requests have their turn. */
const SLICE_MS = 5;

/** Some items, and the version of the catalogue that they are of. */
export interface Slice<T> {
  version: number;
  items: T[];
}

/**
 * Hands over all items, in order, reading `count` at a time. Gives the version that they are of, or undefined when the
 * catalogue changed meanwhile.
 */
export async function readSlices<T>(
  count: number,
  read: (from: number, to: number) => Promise<Slice<T>>,
  take: (item: T) => void,
): Promise<number | undefined> {
  let version: number | undefined;
  await yieldToEventLoop();
  let begun = performance.now();
  for (let from = 0; ; from += count) {
    const slice = await read(from, from + count);
    version ??= slice.version;
    if (slice.version !== version) return undefined;
    slice.items.forEach(take);
    if (slice.items.length < count) return version;
    if (performance.now() - begun < SLICE_MS) continue;
    await yieldToEventLoop();
    begun = performance.now();
  }
}
