/** Reads the facts of a picture from its bytes: type, displayed size, dominant colour and hashes. */
import { hash } from 'node:crypto';
import type Sharp from 'sharp';
import type { Mimetype } from '../catalogue/types.ts';
import { hashPixels } from './perceptual-hash.ts';

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
}

/** The picture cannot be used, and the message says why. */
export class PictureError extends Error {}

export const MAX_BYTES = 256 * 1024 * 1024;
const MAX_PIXELS = 100_000_000;
/** Colour and perceptual hash come from a thumbnail of at most this width and height. */
const SAMPLE_SIZE = 64;

let loading: Promise<typeof Sharp> | undefined;

/** Loads sharp with the first picture: loading takes a fifth of the start time, and not every command needs it. */
function loadSharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Imports read several pictures at the same time, one thread each, and never the same one twice.
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
}

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

export async function readPicture(bytes: Buffer): Promise<PictureFacts> {
  const mimetype = detectType(bytes);
  try {
    const { width, height, orientation } = await readSize(bytes);
    if (width * height > MAX_PIXELS)
      throw new PictureError(
        `the picture has ${width} x ${height} pixels, more than ${MAX_PIXELS / 1e6} megapixels`,
      );
    const { data, info } = await readSample(bytes);
    const color = dominantColour(data, info.channels);
    const perceptualHash = hashPixels({ data, ...info }, orientation);
    const size = bytes.length;
    return { hash: hash('sha256', bytes), size, mimetype, color, width, height, perceptualHash };
  } catch (error) {
    throw asPictureError(error);
  }
}

function asPictureError(error: unknown): PictureError {
  if (error instanceof PictureError) return error;
  return new PictureError(`the picture cannot be decoded: ${(error as Error).message.split('\n', 1)[0]}`);
}

/** Whether two files show the same pixels in the same way, as far as their headers tell. */
export async function hasSameLayout(a: Buffer, b: Buffer): Promise<boolean> {
  const sharp = await loadSharp();
  const readLayout = async (bytes: Buffer) => {
    const facts = await sharp(bytes, { limitInputPixels: false }).metadata();
    const { width, height, orientation, pages, space, depth, icc } = facts;
    return JSON.stringify([width, height, orientation, pages, space, depth, icc && hash('sha256', icc)]);
  };
  try {
    return (await readLayout(a)) === (await readLayout(b));
  } catch (error) {
    throw asPictureError(error);
  }
}

/** The displayed size: rotated by the EXIF orientation, and of one frame of an animation. */
async function readSize(bytes: Buffer): Promise<{ width: number; height: number; orientation: number }> {
  const sharp = await loadSharp();
  const { autoOrient, orientation = 1 } = await sharp(bytes, { limitInputPixels: false }).metadata();
  return { ...autoOrient, orientation };
}

/** Decodes the whole first frame, which also detects a damaged picture. */
async function readSample(bytes: Buffer) {
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true } as const;
  const sharp = await loadSharp();
  return sharp(bytes, options)
    .resize(SAMPLE_SIZE, SAMPLE_SIZE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
}

/**
 * The mean of the most frequent bin of a histogram with 16 levels of red, green and blue each. sharp's `stats()` does the
 * same in 11 ms, because it computes much more; this takes 0.1 ms.
 */
function dominantColour(pixels: Buffer, channels: number): string {
  const counts = new Uint32Array(4096);
  const binAt = (index: number) => {
    const [red = 0, green = 0, blue = 0] = colourAt(pixels, index, channels);
    return ((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4);
  };
  for (let index = 0; index < pixels.length; index += channels)
    counts[binAt(index)] = (counts[binAt(index)] ?? 0) + 1;
  const largest = counts.indexOf(counts.reduce((a, b) => Math.max(a, b)));
  const sums = [0, 0, 0];
  for (let index = 0; index < pixels.length; index += channels) {
    if (binAt(index) !== largest) continue;
    for (const [channel, value] of colourAt(pixels, index, channels).entries())
      sums[channel] = (sums[channel] ?? 0) + value;
  }
  const mean = sums.map((sum) => Math.round(sum / (counts[largest] ?? 1)));
  return `#${mean.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** A greyscale picture has one channel. */
function colourAt(pixels: Buffer, index: number, channels: number): number[] {
  const red = pixels[index] ?? 0;
  return channels < 3 ? [red, red, red] : [red, pixels[index + 1] ?? 0, pixels[index + 2] ?? 0];
}
