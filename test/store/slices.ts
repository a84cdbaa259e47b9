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
    sizeOf: (name) => (name.endsWith('Blocks') ? 100 : 200),
    list: (name, ...parameters) => (lists[name] ?? unexpected)(...parameters),
    documents: unexpected,
    currentVersion,
  };
}

/** The first blocks after one that have images of a shelf. */
export function blocksOf(images: number[], after = -1, limit = Number.POSITIVE_INFINITY): Block[] {
  const blocks = [...Map.groupBy(images, blockOf)].map(([block, ofBlock]): Block => {
    const placed = ofBlock.map((image) => ({ image, shelves: [1], width: 1, height: 1 }));
    return [block, packImages(placed).get(1)?.content ?? ''];
  });
  return blocks
    .filter(([block]) => block > after)
    .sort(([a], [b]) => a - b)
    .slice(0, limit);
}
