/**
 * Makes thumbnails: WebP, upright, in sRGB and without metadata. The original is decoded once, to the largest thumbnail.
 * Each smaller one is made from the next larger one, and the smallest gives the sample for the colour and the ThumbHash.
 */
import type { Metadata, Sharp, default as SharpModule } from 'sharp';
import { thumbnailDimensions } from '../catalogue/documents/thumbnails.ts';

export interface Thumbnail {
  size: number;
  bytes: Buffer;
}

/** How a picture is displayed: rotated by the EXIF orientation. The size is that of one frame of an animation. */
interface Layout {
  width: number;
  height: number;
  isAnimated: boolean;
  /** How it is stored (decoding.ts). */
  channels: Metadata['channels'];
  depth: Metadata['depth'];
  isProgressive: Metadata['isProgressive'];
}

interface Pixels {
  data: Buffer;
  info: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

/** Red, green, blue and alpha of each pixel. */
export interface Sample {
  pixels: Buffer;
  width: number;
  height: number;
}

/** The colour and the ThumbHash are placeholders, not measurements. ThumbHash takes at most 100 x 100 pixels. */
const SAMPLE_SIZE = 64;
/** More effort than 2 takes much longer and saves few bytes. Quality 80 adds many. */
const WEBP = { quality: 75, effort: 2 };

let loading: Promise<typeof SharpModule> | undefined;

/** Loads sharp with the first picture: loading takes a good part of the start time, and not every command needs it. */
export function loadSharp(): Promise<typeof SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Imports read several pictures at the same time, one thread each, and never the same one twice.
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
}

export async function readLayout(bytes: Buffer): Promise<Layout> {
  const sharp = await loadSharp();
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata();
  const { autoOrient, pages = 1, channels, depth, isProgressive } = metadata;
  const isAnimated = pages > 1 || isAnimatedPng(bytes);
  return { ...autoOrient, isAnimated, channels, depth, isProgressive };
}

/** sharp sees the first frame only. A chunk before the pixels announces more. */
function isAnimatedPng(bytes: Buffer): boolean {
  return (
    bytes.toString('latin1', 1, 4) === 'PNG' && bytes.subarray(0, bytes.indexOf('IDAT')).includes('acTL')
  );
}

/** `sizes` are sorted. The whole first frame is decoded, which also detects a damaged picture. */
export async function makeThumbnails(
  bytes: Buffer,
  layout: Layout,
  sizes: number[],
): Promise<{ sample: Sample; thumbnails: Thumbnail[] }> {
  const sharp = await loadSharp();
  const sampleSize = Math.min(SAMPLE_SIZE, Math.max(layout.width, layout.height));
  /** Both sides are given, because sharp would round one of them in its own way. */
  const resize = (image: Sharp, size: number) => {
    const { width, height } = thumbnailDimensions(layout, size);
    return image.resize(width, height, { fit: 'fill' });
  };
  const reopen = ({ data, info: { width, height, channels } }: Pixels) =>
    sharp(data, { raw: { width, height, channels } });

  // The caller has checked the size.
  const original = sharp(bytes, { limitInputPixels: false, failOn: 'error', sequentialRead: true });
  let current = await rawPixels(
    resize(original.autoOrient(), sizes.at(-1) ?? sampleSize).toColourspace('srgb'),
  );
  const thumbnails: Thumbnail[] = [];
  for (const size of sizes.toReversed()) {
    if (thumbnails.length > 0) current = await rawPixels(resize(reopen(current), size));
    thumbnails.unshift({ size, bytes: await reopen(current).webp(WEBP).toBuffer() });
  }
  const { data, info } = await rawPixels(resize(reopen(current), sampleSize).ensureAlpha());
  return { sample: { pixels: data, width: info.width, height: info.height }, thumbnails };
}

function rawPixels(image: Sharp): Promise<Pixels> {
  return image.raw().toBuffer({ resolveWithObject: true });
}
