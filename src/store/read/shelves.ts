/** What is stored about shelves, as a whole: the images of one, and whether all of them say what the images say. */
import { crc32 } from 'node:zlib';
import {
  addSizes,
  blockOf,
  IMAGES_PER_BLOCK,
  lastOf,
  listImages,
  packImages,
} from '../../catalogue/sets/blocks.ts';
import { ImageSizes, type Placed } from '../../catalogue/sets/image-set.ts';
import type { FixedShelves } from '../../catalogue/writer.ts';
import { PLACEMENT_COLUMNS, type PlacementRow, type ReadSession, toPlacements } from '../session.ts';

/** The numbers of the images on a shelf, in ascending order. */
export async function readShelf(session: ReadSession, shelf: number): Promise<number[]> {
  const text = 'select block, images from shelf_block where shelf = $1 order by block';
  const rows = await session.query<{ block: number; images: string }>(text, [shelf]);
  return rows.flatMap(({ block, images }) => listImages([block, images]));
}

/** What all images say about their shelves and sizes, block by block. */
export async function* readInBlocks(session: ReadSession): AsyncGenerator<[block: number, Placed[]], void> {
  for (let above = 0; ; ) {
    const [next] = await session.query<{ image: number }>(
      'select image from image_shelves where image > $1 order by image limit 1',
      [above],
    );
    if (!next) return;
    const block = blockOf(next.image);
    above = lastOf(block);
    const rows = await session.query<PlacementRow>(
      `select ${PLACEMENT_COLUMNS} from image_shelves where image >= $1 and image <= $2 order by image`,
      [next.image, above],
    );
    yield [
      block,
      Array.from(toPlacements(rows, session.dialect), ([image, placed]) => ({ image, ...placed })),
    ];
  }
}

/** Of the images of a shelf: how many they are, the newest one rated sfw, and what tells whether they are the same. */
interface Summary {
  size: number;
  cover: number;
  checksum: number;
}

/** One sentence for each problem. */
export async function* findShelfProblems(
  session: ReadSession,
  { rating }: FixedShelves,
): AsyncGenerator<string, void> {
  const expected = new Map<number, Summary>();
  const summaryOf = (summaries: Map<number, Summary>, shelf: number) => {
    const summary = summaries.get(shelf) ?? { size: 0, cover: 0, checksum: 0 };
    summaries.set(shelf, summary);
    return summary;
  };
  let hasWrongSizes = false;
  for await (const [block, placed] of readInBlocks(session)) {
    for (const [shelf, { content, size }] of packImages(placed)) {
      const summary = summaryOf(expected, shelf);
      summary.size += size;
      summary.checksum ^= crc32(content, block);
    }
    for (const { image, shelves } of placed)
      if (shelves.includes(rating.sfw)) for (const shelf of shelves) summaryOf(expected, shelf).cover = image;
    hasWrongSizes ||= !(await haveSizes(session, block, placed));
  }
  if (hasWrongSizes) yield 'the list of sizes differs from those of the images';
  const stored = new Map<number, Summary>();
  const blocks = 'select shelf, block, images from shelf_block';
  for await (const row of session.stream<{ shelf: number; block: number; images: string }>(blocks))
    summaryOf(stored, row.shelf).checksum ^= crc32(row.images, row.block);
  const shelves = session.stream<{
    number: number;
    kind: string;
    name: string;
    size: number;
    cover: number | null;
  }>('select number, kind, name, size, cover from shelf order by number');
  for await (const { number, kind, name, size, cover } of shelves) {
    const [wanted, found] = [summaryOf(expected, number), summaryOf(stored, number)];
    const shelf = `the image list of ${kind} "${name}"`;
    if (size !== wanted.size) yield `${shelf} has a wrong size`;
    if (found.checksum !== wanted.checksum) yield `${shelf} has other images than those that belong on it`;
    if (isEntry(kind) && (cover ?? 0) !== wanted.cover)
      yield `the cover of ${kind} "${name}" is not its newest sfw image`;
    stored.delete(number);
  }
  if (stored.size > 0) yield 'images are on a list that does not exist';
}

const isEntry = (kind: string) => ['artist', 'category', 'character', 'album'].includes(kind);

async function haveSizes(session: ReadSession, block: number, placed: Placed[]): Promise<boolean> {
  const [row] = await session.query<{ sizes: string }>('select sizes from size_block where block = $1', [
    block,
  ]);
  if (!row) return false;
  const sizes = new ImageSizes(lastOf(0));
  addSizes(sizes, [0, row.sizes]);
  return placed.every(
    ({ image, width, height }) =>
      sizes.passes((...size) => size[0] === width && size[1] === height, image % IMAGES_PER_BLOCK) ||
      width === 0,
  );
}
