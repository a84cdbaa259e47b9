/**
 * How the images of a shelf are stored: in blocks of 4096 numbers, each a short text. So a whole shelf of a million images is
 * read in 245 rows, and an image that enters or leaves a shelf changes one row, however large the catalogue is. Pure.
 */
import {
  type Bits,
  clearBit,
  countBits,
  emptyBits,
  forEachBit,
  type ImageSizes,
  type Placed,
  setBit,
} from './image-set.ts';

export const IMAGES_PER_BLOCK = 4096;
const BITMAP_BYTES = IMAGES_PER_BLOCK / 8;
/** Of a bitmap as text; every list is shorter. */
const BITMAP_LENGTH = Math.ceil(BITMAP_BYTES / 3) * 4;
const OFFSET_BYTES = 2;
const SIZE_BYTES = 8;

/** The images in a block, or the sizes of its images, as base64. */
export type Block = [number: number, content: string];

export const blockOf = (image: number): number => Math.floor(image / IMAGES_PER_BLOCK);
/** The last image of a block. */
export const lastOf = (block: number): number => (block + 1) * IMAGES_PER_BLOCK - 1;

/** A bitmap, or a list of two bytes for each image if that is shorter; empty for no images. `bits` are those of the block. */
export function formatImages(bits: Bits): string {
  const offsets: number[] = [];
  forEachBit(bits, (offset) => offsets.push(offset));
  if (offsets.length * OFFSET_BYTES >= BITMAP_BYTES) return Buffer.from(bits.buffer).toString('base64');
  return formatOffsets(offsets);
}

function formatOffsets(offsets: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(offsets.length * OFFSET_BYTES);
  for (const [index, offset] of offsets.entries()) bytes.writeUInt16LE(offset, index * OFFSET_BYTES);
  return bytes.toString('base64');
}

/** Adds the images of a block to a bitmap of all images, which has whole blocks. */
export function addImages(bits: Bits, [number, content]: Block): void {
  if (content.length === BITMAP_LENGTH)
    Buffer.from(bits.buffer).write(content, number * BITMAP_BYTES, BITMAP_BYTES, 'base64');
  else for (const image of listImages([number, content])) setBit(bits, image);
}

/** In ascending order. */
export function listImages([number, content]: Block): number[] {
  const first = number * IMAGES_PER_BLOCK;
  const bytes = Buffer.from(content, 'base64');
  const images: number[] = [];
  if (content.length === BITMAP_LENGTH) {
    const bits = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + BITMAP_BYTES));
    forEachBit(bits, (offset) => images.push(first + offset));
  } else for (let at = 0; at < bytes.length; at += OFFSET_BYTES) images.push(first + bytes.readUInt16LE(at));
  return images;
}

/** For all images up to `last`. */
export const emptyBlocks = (last: number): Bits => emptyBits((blockOf(last) + 1) * IMAGES_PER_BLOCK);

/** The block after changes, and how many more images it has: those that leave are given as negative numbers. The last change counts. */
export function changeImages(
  content: string,
  changes: readonly number[],
): { content: string; growth: number } {
  if (content === '' && changes.length * OFFSET_BYTES < BITMAP_BYTES && isAscending(changes))
    return {
      content: formatOffsets(changes.map((image) => image % IMAGES_PER_BLOCK)),
      growth: changes.length,
    };
  const bits = emptyBits(IMAGES_PER_BLOCK);
  addImages(bits, [0, content]);
  const before = countBits(bits);
  for (const image of changes)
    if (image > 0) setBit(bits, image % IMAGES_PER_BLOCK);
    else clearBit(bits, -image % IMAGES_PER_BLOCK);
  return { content: formatImages(bits), growth: countBits(bits) - before };
}

/** As the changes of new images, which need no bitmap. */
function isAscending(changes: readonly number[]): boolean {
  let last = 0;
  for (const image of changes) {
    if (image <= last) return false;
    last = image;
  }
  return true;
}

/** The images of a block that have each key. */
export function packKeys<Key>(
  images: Iterable<[image: number, keys: Iterable<Key>]>,
): Map<Key, { content: string; size: number }> {
  const byKey = new Map<Key, number[]>();
  for (const [image, keys] of images)
    for (const key of keys) {
      const ofKey = byKey.get(key);
      if (ofKey) ofKey.push(image);
      else byKey.set(key, [image]);
    }
  return new Map(
    Array.from(byKey, ([key, ofKey]) => {
      const { content, growth } = changeImages('', ofKey);
      return [key, { content, size: growth }];
    }),
  );
}

/** What the shelves of all images of a block say about it: the images of each shelf, by its number. */
export const packImages = (placed: Placed[]): Map<number, { content: string; size: number }> =>
  packKeys(placed.map(({ image, shelves }) => [image, shelves]));

/** The sizes of the images of a block, with those of some of them changed. */
export function changeSizes(content: string, changed: Placed[]): string {
  const former = Buffer.from(content, 'base64');
  const end = Math.max(...changed.map(({ image }) => ((image % IMAGES_PER_BLOCK) + 1) * SIZE_BYTES));
  const bytes = Buffer.alloc(Math.max(former.length, end));
  former.copy(bytes);
  for (const { image, width, height } of changed) {
    const at = (image % IMAGES_PER_BLOCK) * SIZE_BYTES;
    bytes.writeUInt32LE(width, at);
    bytes.writeUInt32LE(height, at + SIZE_BYTES / 2);
  }
  return bytes.toString('base64');
}

/** `sizes` has whole blocks. */
export function addSizes(sizes: ImageSizes, [number, content]: Block): void {
  Buffer.from(sizes.words.buffer).write(content, number * IMAGES_PER_BLOCK * SIZE_BYTES, 'base64');
}
