/** Reading long rows of the catalogue a slice at a time, between other requests. */
import type { ImageDimensions } from '../catalogue/sets/image-sizes.ts';
import type { Kind } from '../catalogue/types.ts';
import type { Placed } from '../catalogue/writer.ts';
import { yieldToEventLoop } from '../lib/event-loop.ts';
import { expectVersion } from './versions.ts';
import { type AliasRow, type Answer, type DocumentChanges, type Driver, get, type View } from './view.ts';

/** After reading for this long, other requests get their turn. */
const MAX_READING_MS = 5;

/** Some items, and the version of the catalogue that they belong to. */
export interface Slice<T> {
  version: number;
  items: T[];
}

/** Image numbers with their perceptual hashes, in ascending order. */
export type HashSlice = Slice<[image: number, hash: string]>;

export interface ChangesSlice extends DocumentChanges {
  version: number;
}

/** What caches need that hold whole rows. */
export interface SliceReader {
  /** How many images, placements, names and hashes to read at a time. */
  readonly imagesPerSlice: number;
  readonly placementsPerSlice: number;
  readonly namesPerSlice: number;
  readonly hashesPerSlice: number;
  /** The numbers of the images on a shelf, from one position up to another. */
  readShelf(shelf: number, from: number, to: number): Promise<Slice<number>>;
  /** The names of a kind in the order of its list, from one position up to another. */
  readNames(kind: Kind, from: number, to: number): Promise<Slice<string>>;
  /** The numbers of images of the entries of a kind, in the same order. */
  readSizes(kind: Kind, from: number, to: number): Promise<Slice<number>>;
  /** The aliases of a kind that follow a key. */
  readAliases(kind: Kind, after: string): Promise<Slice<AliasRow>>;
  /** The perceptual hashes of the images above a number. */
  readHashes(above: number): Promise<HashSlice>;
  /** The widths and heights of the images above a number, in ascending order. */
  readDimensions(above: number): Promise<Slice<ImageDimensions>>;
  /** The shelves and sizes of those of the images that exist. */
  readPlacements(images: number[]): Promise<Slice<Placed>>;
  /** The images that were changed since a document revision, some at a time. */
  readChanges(since: number, after: DocumentChanges['next']): Promise<ChangesSlice>;
  currentVersion(): number | Promise<number>;
}

export function createSliceReader(driver: Driver): SliceReader {
  const { sliceSizes } = driver;
  const readSlice = <T>(read: (view: View) => Answer<T[]>) =>
    driver.run<Slice<T>>(function* (view) {
      return { version: view.snapshot.version, items: yield* get(read(view)) };
    });
  return {
    imagesPerSlice: sliceSizes.images,
    placementsPerSlice: sliceSizes.names,
    namesPerSlice: sliceSizes.names,
    hashesPerSlice: sliceSizes.hashes,
    readShelf: (shelf, from, to) => readSlice((view) => view.imagesOn(shelf, from, to)),
    readNames: (kind, from, to) => readSlice((view) => view.names(kind, from, to)),
    readSizes: (kind, from, to) => readSlice((view) => view.sizes(kind, from, to)),
    readAliases: (kind, after) => readSlice((view) => view.aliases(kind, after, sliceSizes.names)),
    readHashes: (above) => readSlice((view) => view.hashes(above, sliceSizes.hashes)),
    readDimensions: (above) => readSlice((view) => view.dimensions(above, sliceSizes.hashes)),
    readPlacements: (images) => readSlice((view) => view.placements(images)),
    readChanges: (since, after) =>
      driver.run(function* (view) {
        const changes = yield* get(view.documentChanges(since, after, sliceSizes.hashes));
        return { ...changes, version: view.snapshot.version };
      }),
    currentVersion: () => driver.currentVersion(),
  };
}

/** Reads all items in order. Returns their version. Throws CatalogueChanged if there are several. */
export async function readSlices<T>(
  itemsPerSlice: number,
  readSlice: (from: number, to: number) => Promise<Slice<T>>,
  onItem: (item: T) => void,
): Promise<number> {
  let version: number | undefined;
  await yieldToEventLoop();
  let startedAt = performance.now();
  for (let from = 0; ; from += itemsPerSlice) {
    const slice = await readSlice(from, from + itemsPerSlice);
    version ??= slice.version;
    expectVersion(slice.version, version);
    slice.items.forEach(onItem);
    if (slice.items.length < itemsPerSlice) return version;
    if (performance.now() - startedAt < MAX_READING_MS) continue;
    await yieldToEventLoop();
    startedAt = performance.now();
  }
}

/** Reads all aliases of a kind. Throws CatalogueChanged if they are not of this version. */
export async function readAliases(
  { namesPerSlice, readAliases }: SliceReader,
  kind: Kind,
  version: number,
  onAlias: (alias: AliasRow) => void,
): Promise<void> {
  for (let after = ''; ; await yieldToEventLoop()) {
    const slice = await readAliases(kind, after);
    expectVersion(slice.version, version);
    slice.items.forEach(onAlias);
    const last = slice.items.at(-1);
    if (!last || slice.items.length < namesPerSlice) return;
    [after] = last;
  }
}
