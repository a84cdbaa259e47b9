/** A reader of slices whose rows and versions a test decides. */
import { type Block, blockOf, packImages } from '../../src/catalogue/sets/blocks.ts';
import type { Slice, SliceReader } from '../../src/store/read/slices.ts';

export function sliceReader(overrides: {
  readBlocks?: SliceReader['readBlocks'];
  readNames?: (kind: string, from: number, to: number) => Promise<Slice<string>>;
  readTerms?: SliceReader['readTerms'];
  readHashes?: SliceReader['readHashes'];
  currentVersion?: () => number;
}): SliceReader {
  const unexpected = async () => {
    throw new Error('unexpected read');
  };
  const { readBlocks = unexpected, readNames = unexpected, currentVersion = () => 1 } = overrides;
  const { readTerms = unexpected, readHashes = unexpected } = overrides;
  return {
    blocksPerSlice: 100,
    sizeBlocksPerSlice: 100,
    namesPerSlice: 200,
    hashesPerSlice: 200,
    readBlocks,
    readNames,
    readShelves: unexpected,
    readAliases: async () => ({ version: currentVersion(), items: [] }),
    readTerms,
    readDocuments: unexpected,
    readHashes,
    currentVersion,
  };
}

/** Those of the blocks from one number up to another that have images of a shelf. */
export function blocksOf(images: number[], from = 0, to = Number.POSITIVE_INFINITY): Block[] {
  const byBlock = Map.groupBy(images, blockOf);
  return [...byBlock].flatMap(([block, ofBlock]): Block[] => {
    const placed = ofBlock.map((image) => ({ image, shelves: [1], width: 1, height: 1 }));
    const content = packImages(placed).get(1)?.content ?? '';
    return block >= from && block < to ? [[block, content]] : [];
  });
}
