/** A reader of slices whose rows and versions a test decides. */
import { type Block, blockOf, packImages } from '../../src/catalogue/sets/blocks.ts';
import type { Slice, SliceReader } from '../../src/store/read/slices.ts';
import type { ListName, Lists } from '../../src/store/view.ts';

type Reads = { [Name in ListName]?: (...parameters: Lists[Name][0]) => Promise<Slice<Lists[Name][1]>> };

export function sliceReader({
  currentVersion = () => 1,
  ...reads
}: Reads & { currentVersion?: () => number }): SliceReader {
  const lists: Reads = { aliases: async () => ({ version: currentVersion(), items: [] }), ...reads };
  const unexpected = async () => {
    throw new Error('unexpected read');
  };
  return {
    sizes: { blocks: 100, sizeBlocks: 100, names: 200, hashes: 200 },
    list: (name, ...parameters) => (lists[name] ?? unexpected)(...parameters),
    documents: unexpected,
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
