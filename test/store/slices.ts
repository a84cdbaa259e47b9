/** A reader of slices whose rows and versions a test decides. */
import type { Slice, SliceReader } from '../../src/store/slices.ts';

type Read<T> = (row: number | string, from: number, to: number) => Promise<Slice<T>>;

export function sliceReader(overrides: {
  readShelf?: Read<number>;
  readNames?: Read<string>;
  readHashes?: SliceReader['readHashes'];
  currentVersion?: () => number;
  itemsPerSlice?: number;
}): SliceReader {
  const unexpected = async () => {
    throw new Error('unexpected read');
  };
  const { readShelf = unexpected, readNames = unexpected, currentVersion = () => 1 } = overrides;
  const { itemsPerSlice = 200, readHashes = unexpected } = overrides;
  return {
    imagesPerSlice: itemsPerSlice,
    namesPerSlice: itemsPerSlice,
    hashesPerSlice: itemsPerSlice,
    readShelf,
    readNames,
    readSizes: unexpected,
    readAliases: async () => ({ version: currentVersion(), items: [] }),
    readHashes,
    currentVersion,
  };
}
