/** A reader of slices whose rows and versions a test decides. */
import type { ImageDimensions } from '../../src/catalogue/sets/image-set.ts';
import type { Slice, SliceReader } from '../../src/store/read/slices.ts';

type Read<T> = (row: number | string, from: number, to: number) => Promise<Slice<T>>;

export function sliceReader(overrides: {
  readShelf?: Read<number>;
  readNames?: Read<string>;
  readHashes?: SliceReader['readHashes'];
  currentVersion?: () => number;
  itemsPerSlice?: number;
  /** By image number. */
  dimensions?: (number: number) => ImageDimensions | undefined;
  lastImage?: number;
}): SliceReader {
  const unexpected = async () => {
    throw new Error('unexpected read');
  };
  const { readShelf = unexpected, readNames = unexpected, currentVersion = () => 1 } = overrides;
  const { itemsPerSlice = 200, readHashes = unexpected } = overrides;
  const { dimensions = () => undefined, lastImage = 0 } = overrides;
  const sizeOf = (image: number): ImageDimensions[] => {
    const size = dimensions(image);
    return size ? [size] : [];
  };
  const sizesFrom = (first: number) =>
    Array.from({ length: Math.max(0, lastImage + 1 - first) }, (_, index) => first + index)
      .flatMap(sizeOf)
      .slice(0, itemsPerSlice);
  return {
    imagesPerSlice: itemsPerSlice,
    placementsPerSlice: itemsPerSlice,
    namesPerSlice: itemsPerSlice,
    hashesPerSlice: itemsPerSlice,
    readShelf,
    readNames,
    readSizes: unexpected,
    readAliases: async () => ({ version: currentVersion(), items: [] }),
    readHashes,
    readDimensions: async (above) => ({ version: currentVersion(), items: sizesFrom(above + 1) }),
    readPlacements: unexpected,
    readChanges: async () => ({ version: currentVersion(), isSuccessor: true, images: [], next: undefined }),
    currentVersion,
  };
}
