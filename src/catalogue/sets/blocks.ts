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
  return Buffer.from(Uint16Array.from(offsets).buffer).toString('base64');
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
  if (content.length === BITMAP_LENGTH) forEachBit(toBits(bytes), (offset) => images.push(first + offset));
  else for (let at = 0; at < bytes.length; at += OFFSET_BYTES) images.push(first + bytes.readUInt16LE(at));
  return images;
}

function toBits(bytes: Buffer): Bits {
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + BITMAP_BYTES));
}

/** For all images up to `last`. */
export const emptyBlocks = (last: number): Bits => emptyBits((blockOf(last) + 1) * IMAGES_PER_BLOCK);

/** The block with some images more and some fewer, and how many more it has. One that enters and leaves is not in it. */
export function changeImages(
  content: string,
  entered: readonly number[],
  left: readonly number[],
): { content: string; growth: number } {
  const bits = emptyBits(IMAGES_PER_BLOCK);
  addImages(bits, [0, content]);
  const before = countBits(bits);
  for (const image of entered) setBit(bits, image % IMAGES_PER_BLOCK);
  for (const image of left) clearBit(bits, image % IMAGES_PER_BLOCK);
  return { content: formatImages(bits), growth: countBits(bits) - before };
}

/** What the shelves of all images of a block say about it: the images of each shelf, by its number. */
export function packImages(placed: Placed[]): Map<number, { content: string; size: number }> {
  const byShelf = new Map<number, Bits>();
  for (const { image, shelves } of placed)
    for (const shelf of shelves) {
      const bits = byShelf.get(shelf) ?? emptyBits(IMAGES_PER_BLOCK);
      byShelf.set(shelf, bits);
      setBit(bits, image % IMAGES_PER_BLOCK);
    }
  return new Map(
    Array.from(byShelf, ([shelf, bits]) => [shelf, { content: formatImages(bits), size: countBits(bits) }]),
  );
}

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
