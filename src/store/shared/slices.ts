/** Reading long rows of the catalogue a slice at a time, between other requests. */
import type { Kind } from '../../catalogue/types.ts';
import { yieldToEventLoop } from '../../event-loop.ts';

/** After reading for this long, other requests get their turn. */
const MAX_READING_MS = 5;

/** Some items, and the version of the catalogue that they belong to. */
export interface Slice<T> {
  version: number;
  items: T[];
}

/** Image numbers with their perceptual hashes, in ascending order. */
export type HashSlice = Slice<[image: number, hash: string]>;

/** What a store provides for caches that need whole rows. */
export interface SliceReader {
  /** How many images, names and hashes to read at a time. */
  readonly imagesPerSlice: number;
  readonly namesPerSlice: number;
  readonly hashesPerSlice: number;
  /** The numbers of the images on a shelf, from one position up to another. */
  readShelf(shelf: number, from: number, to: number): Promise<Slice<number>>;
  /** The names of a kind in the order of its list, from one position up to another. */
  readNames(kind: Kind, from: number, to: number): Promise<Slice<string>>;
  /** The perceptual hashes of the images above a number. */
  readHashes(above: number): Promise<HashSlice>;
  currentVersion(): number | Promise<number>;
}

/** Reads all items in order. Returns their version, or undefined if the catalogue changed meanwhile. */
export async function readSlices<T>(
  itemsPerSlice: number,
  readSlice: (from: number, to: number) => Promise<Slice<T>>,
  onItem: (item: T) => void,
): Promise<number | undefined> {
  let version: number | undefined;
  await yieldToEventLoop();
  let startedAt = performance.now();
  for (let from = 0; ; from += itemsPerSlice) {
    const slice = await readSlice(from, from + itemsPerSlice);
    version ??= slice.version;
    if (slice.version !== version) return undefined;
    slice.items.forEach(onItem);
    if (slice.items.length < itemsPerSlice) return version;
    if (performance.now() - startedAt < MAX_READING_MS) continue;
    await yieldToEventLoop();
    startedAt = performance.now();
  }
}
