/**
 * Reads the facts of a picture from its bytes: type, displayed size, dominant colour, hashes and previews. Bounds how many bytes
 * of pictures are in memory at the same time.
 */
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { rgbaToThumbHash } from 'thumbhash';
import { chooseSizes, type Previews } from '../catalogue/documents/thumbnails.ts';
import type { Mimetype } from '../catalogue/types.ts';
import { Budget } from '../lib/parallel.ts';
import {
  countFrames,
  decodeInProcess,
  decodingBytes,
  MAX_FRAMES,
  MAX_IMPORT_BYTES,
  MAX_KEPT_BYTES,
  PROCESS_BYTES,
} from './decoding.ts';
import type { Files } from './files.ts';
import { hashPixels } from './perceptual-hash.ts';
import { loadSharp, makeThumbnails, readLayout, type Thumbnail } from './thumbnails.ts';

export interface PictureFacts {
  /** SHA-256 in hex. */
  hash: string;
  size: number;
  mimetype: Mimetype;
  color: string;
  width: number;
  height: number;
  /** What the picture looks like (perceptual-hash.ts); null if it was not computed. */
  perceptualHash: string | null;
  previews: Previews;
}

export interface DecodedPicture {
  facts: PictureFacts;
  thumbnails: Thumbnail[];
}

/** The picture cannot be used, and the message says why. */
export class PictureError extends Error {}

export const MAX_BYTES = 256 * 1024 * 1024;
const MAX_PIXELS = 100_000_000;
/** Red, green, blue and alpha. */
const CHANNELS = 4;
/** The largest pictures are decoded one at a time. */
const decodingBudget = new Budget(MAX_IMPORT_BYTES);
/** Of pictures that are decoded in this process, which keeps part of the memory. */
const smallBudget = new Budget(MAX_KEPT_BYTES);

const signatures: [Mimetype, RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n.\n/s],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftyp(avi[fs]|(mif1|miaf|msf1).*avi[fs])/s],
];

/** Detects the type by the first bytes. Only these five types reach a decoder. */
export function detectType(bytes: Uint8Array): Mimetype {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64)).toString(
    'latin1',
  );
  const mimetype = signatures.find(([, signature]) => signature.test(start))?.[0];
  if (!mimetype) throw new PictureError('not a JPEG, PNG, WebP, GIF or AVIF picture');
  return mimetype;
}

/**
 * Reads a picture, and makes those thumbnails of the thumbnailSizes that are smaller than it, from a single decode. Rejects a picture
 * that takes too much memory. One that leaves memory behind is decoded in a process of its own.
 */
export async function readPicture(bytes: Buffer, thumbnailSizes: readonly number[]): Promise<DecodedPicture> {
  const { memory, isOwnProcess } = await plan(bytes, thumbnailSizes, MAX_IMPORT_BYTES);
  if (!isOwnProcess)
    return smallBudget.spend(memory, () =>
      decodingBudget.spend(memory, () => decodePicture(bytes, thumbnailSizes, MAX_IMPORT_BYTES)),
    );
  const maxMemory = MAX_IMPORT_BYTES - PROCESS_BYTES;
  const decoded = await decodingBudget.spend(memory + PROCESS_BYTES, () =>
    decodeInProcess<DecodedPicture>(bytes, thumbnailSizes, { maxMemory }),
  );
  if ('problem' in decoded) throw new PictureError(decoded.problem);
  return decoded;
}

/** The same in this process, and whatever else is being decoded. Rejects what takes more than `maxMemory` bytes. */
export async function decodePicture(
  bytes: Buffer,
  thumbnailSizes: readonly number[],
  maxMemory: number,
): Promise<DecodedPicture> {
  const { mimetype, layout, sizes } = await plan(bytes, thumbnailSizes, maxMemory);
  try {
    const { sample, thumbnails } = await makeThumbnails(bytes, layout, sizes);
    const thumbHash = Buffer.from(rgbaToThumbHash(sample.width, sample.height, sample.pixels));
    const previews = {
      sizes: thumbnails.map(({ size }) => size),
      thumbHash: thumbHash.toString('base64'),
      isAnimated: layout.isAnimated,
    };
    const color = dominantColour(sample.pixels);
    const perceptualHash = hashPixels(sample);
    const { width, height } = layout;
    const facts = { hash: hash('sha256', bytes), size: bytes.length, mimetype, color, width, height };
    return { facts: { ...facts, perceptualHash, previews }, thumbnails };
  } catch (error) {
    throw asPictureError(error);
  }
}

/** What decoding a picture takes, from its header. Throws if the picture cannot be used. */
async function plan(bytes: Buffer, thumbnailSizes: readonly number[], maxMemory: number) {
  const mimetype = detectType(bytes);
  if (countFrames(bytes, mimetype) > MAX_FRAMES)
    throw new PictureError(`the animation has more than ${MAX_FRAMES} frames`);
  const layout = await readLayout(bytes).catch((error) => {
    throw asPictureError(error);
  });
  const { width, height } = layout;
  if (width * height > MAX_PIXELS)
    throw new PictureError(
      `the picture has ${width} x ${height} pixels, more than ${MAX_PIXELS / 1e6} megapixels`,
    );
  const sizes = chooseSizes(thumbnailSizes, layout, layout.isAnimated);
  const { memory, isOwnProcess } = decodingBytes(bytes, mimetype, layout, sizes.at(-1) ?? 0);
  if (memory > maxMemory)
    throw new PictureError(
      `decoding the ${width} x ${height} pixels takes up to ${inMb(memory)}, more than ${inMb(maxMemory)}; make the picture smaller, or convert it to PNG or JPEG`,
    );
  return { mimetype, layout, sizes, memory, isOwnProcess };
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB of memory`;

function asPictureError(error: unknown): PictureError {
  if (error instanceof PictureError) return error;
  return new PictureError(`the picture cannot be decoded: ${(error as Error).message.split('\n', 1)[0]}`);
}

/** Whether two files show the same pixels in the same way, as far as their headers tell. */
export async function hasSameLayout(a: Buffer, b: Buffer): Promise<boolean> {
  const sharp = await loadSharp();
  const describe = async (bytes: Buffer) => {
    const facts = await sharp(bytes, { limitInputPixels: false }).metadata();
    const { width, height, orientation, pages, space, depth, icc } = facts;
    return JSON.stringify([width, height, orientation, pages, space, depth, icc && hash('sha256', icc)]);
  };
  try {
    return (await describe(a)) === (await describe(b));
  } catch (error) {
    throw asPictureError(error);
  }
}

/**
 * The mean of the most frequent bin of a histogram with 16 levels of red, green and blue each, on a white background.
 * sharp's `stats()` does the same, but is much slower, because it computes much more.
 */
function dominantColour(pixels: Buffer): string {
  const colours = onWhite(pixels);
  const counts = new Uint32Array(4096);
  const bins = new Uint16Array(colours.length / 3);
  for (let pixel = 0; pixel < bins.length; pixel++) {
    const bin =
      (high(colours, 3 * pixel) << 8) | (high(colours, 3 * pixel + 1) << 4) | high(colours, 3 * pixel + 2);
    bins[pixel] = bin;
    counts[bin] = (counts[bin] as number) + 1;
  }
  const largest = counts.indexOf(counts.reduce((a, b) => Math.max(a, b)));
  const sums = [0, 0, 0];
  for (let pixel = 0; pixel < bins.length; pixel++)
    if (bins[pixel] === largest)
      for (let channel = 0; channel < 3; channel++)
        sums[channel] = (sums[channel] as number) + (colours[3 * pixel + channel] as number);
  const mean = sums.map((sum) => Math.round(sum / (counts[largest] || 1)));
  return `#${mean.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

const high = (colours: Uint8Array, index: number) => (colours[index] as number) >> 4;

/** Red, green and blue of each pixel. */
function onWhite(pixels: Buffer): Uint8Array {
  const colours = new Uint8Array((pixels.length / CHANNELS) * 3);
  for (let index = 0, to = 0; index < pixels.length; index += CHANNELS) {
    const alpha = (pixels[index + 3] as number) / 255;
    for (let channel = 0; channel < 3; channel++)
      colours[to++] = Math.round((pixels[index + channel] as number) * alpha + 255 * (1 - alpha));
  }
  return colours;
}

/** For everything in this process that reads whole pictures. A larger file is read alone. */
export const fileBudget = new Budget(128 * 1024 * 1024);

/** Calls `use` with the bytes of an original. Returns undefined if it is missing. */
export async function useOriginal<T>(
  files: Files,
  key: string,
  use: (bytes: Buffer) => T | Promise<T>,
  maxBytes = MAX_BYTES,
): Promise<T | undefined> {
  const file = await files.open(key);
  if (!file) return undefined;
  if (file.size === 0 || file.size > maxBytes) {
    await file.close();
    throw new PictureError(`the file ${key} has ${file.size} bytes`);
  }
  return fileBudget.spend(file.size, async () => use(await buffer(file.stream(0, file.size - 1))));
}
