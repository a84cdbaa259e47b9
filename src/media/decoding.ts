/**
 * How much memory it takes to decode a picture and to make its thumbnails, from what its header says, and a process of its own
 * for a picture that takes much. The figures are upper bounds of what `npm run bench -- pictures` measures.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import type SharpModule from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { thumbnailDimensions } from '../catalogue/documents/document.ts';
import type { Mimetype } from '../catalogue/schemas.ts';

/** An import takes less than 1 GB together with its processes and with what former pictures left behind. */
export const MAX_IMPORT_BYTES = 870_000_000;
/** What is decoded in the process of an import at the same time. The allocator keeps part of it. */
export const MAX_KEPT_BYTES = 160_000_000;
/** A picture that takes more for its pixels is decoded in a process of its own, unless it is decoded line by line. */
const MAX_PIXEL_BYTES = 64_000_000;
/** What such a process takes besides, and what the process of the import has kept. */
export const PROCESS_BYTES = 110_000_000;
/** A server makes missing thumbnails one at a time. Together with the process that makes one it grows by less than 300 MB. */
export const MAX_SERVING_BYTES = 180_000_000;
/** libvips needs about 100 bytes for a frame of a GIF, and time that grows with the square of the frames of a WebP. */
export const MAX_FRAMES = 20_000;

/** How many bytes each pixel of the largest thumbnail takes, with the buffers of the encoder. */
const THUMBNAIL_BYTES = 12;
/** The picture may be there twice, with its location and without it. Another process has a third copy. */
const COPIES = 2;

type Header = Pick<Metadata, 'channels' | 'depth' | 'isProgressive'> & { isAnimated: boolean };

/** How much it takes, and whether it takes a process of its own. */
export function decodingBytes(
  bytes: Buffer,
  mimetype: Mimetype,
  header: Layout,
  largestThumbnail: number,
): { memory: number; isOwnProcess: boolean } {
  const count = Math.max(header.width * header.height, mimetype === 'image/avif' ? codedPixels(bytes) : 0);
  const pixels = count * bytesPerPixel(mimetype, header);
  const isOwnProcess = pixels > MAX_PIXEL_BYTES && !isDecodedByLine(mimetype, header);
  const copies = (isOwnProcess ? COPIES + 1 : COPIES) * bytes.length;
  return { memory: copies + pixels + largestThumbnail ** 2 * THUMBNAIL_BYTES, isOwnProcess };
}

const isDecodedByLine = (mimetype: Mimetype, { isProgressive }: Header) =>
  (mimetype === 'image/jpeg' || mimetype === 'image/png') && !isProgressive;

function bytesPerPixel(
  mimetype: Mimetype,
  { channels = 4, depth, isProgressive, isAnimated }: Header,
): number {
  const isDeep = depth !== 'uchar';
  if (mimetype === 'image/avif') return isDeep ? 27 : 20;
  if (mimetype === 'image/jpeg') return isProgressive ? 2 * channels + 1 : 2;
  if (mimetype === 'image/png') return isProgressive ? 1.5 * channels * (isDeep ? 2 : 1) : 3;
  return isAnimated ? 9 : 5;
}

/** The frames of a GIF or WebP, counted until there are too many. Other types count as one. */
export function countFrames(bytes: Buffer, mimetype: Mimetype): number {
  if (mimetype === 'image/gif') return countGifFrames(bytes);
  if (mimetype !== 'image/webp') return 1;
  let frames = 0;
  for (let at = 12; at + 8 <= bytes.length && frames <= MAX_FRAMES; ) {
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') frames++;
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return frames;
}

function countGifFrames(bytes: Buffer): number {
  const byte = (at: number) => bytes[at] ?? 0;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + colours(byte(10));
  let frames = 0;
  for (; at < bytes.length && byte(at) !== GIF_TRAILER && frames <= MAX_FRAMES; ) {
    if (byte(at) === GIF_IMAGE) {
      frames++;
      at += 11 + colours(byte(at + 9));
    } else if (byte(at) === GIF_EXTENSION) at += 2;
    else {
      at++;
      continue;
    }
    while (byte(at) > 0) at += byte(at) + 1;
    at++;
  }
  return frames;
}

const [GIF_IMAGE, GIF_EXTENSION, GIF_TRAILER] = [0x2c, 0x21, 0x3b];

/** The pixels of the largest image in an AVIF file, which may be cropped when it is displayed. */
function codedPixels(bytes: Buffer): number {
  const meta = findBox(bytes, 'meta');
  let largest = 0;
  for (let at = meta.indexOf('ispe'); at >= 0 && at + 16 <= meta.length; at = meta.indexOf('ispe', at + 4))
    largest = Math.max(largest, meta.readUInt32BE(at + 8) * meta.readUInt32BE(at + 12));
  return largest;
}

/** The whole file if there is none, or if its size has 64 bits. */
function findBox(bytes: Buffer, type: string): Buffer {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8) break;
    if (bytes.toString('latin1', at + 4, at + 8) === type) return bytes.subarray(at, at + size);
    at += size;
  }
  return bytes;
}

/** The same file is JavaScript in the package. */
const program = fileURLToPath(new URL(`./decode-picture${extname(import.meta.url)}`, import.meta.url));

interface ProcessOptions {
  maxMemory: number;
  /** A decoder that takes longer is ended. */
  timeoutMs?: number;
}

/** Starts the program that decodes a picture. Returns what it writes, or a problem if it fails. */
export async function decodeInProcess<Result>(
  bytes: Buffer,
  thumbnailSizes: readonly number[],
  { maxMemory, timeoutMs = 0 }: ProcessOptions,
): Promise<Result | { problem: string }> {
  const child = spawn(
    process.execPath,
    [program, String(bytes.length), String(maxMemory), thumbnailSizes.join()],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
    },
  );
  const ended = once(child, 'close');
  // The program may end without reading everything.
  child.stdin.on('error', () => {});
  child.stdin.end(bytes);
  const [output, [status, signal]] = await Promise.all([buffer(child.stdout), ended]);
  if (status === 0) return deserialize(output);
  return { problem: `the decoder ended with ${signal ?? `status ${status}`}` };
}

// Makes thumbnails: WebP, upright, in sRGB and without metadata but for rights. The original is decoded once, to the largest thumbnail.
// Each smaller one is made from the next larger one, and the smallest gives the sample for the colour and the ThumbHash.

export interface Thumbnail {
  size: number;
  bytes: Buffer;
}

/** How a picture is displayed: rotated by the EXIF orientation. The size is that of one frame of an animation. */
interface Layout extends Header {
  width: number;
  height: number;
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

/** `sizes` are sorted, `rights` is XMP. The whole first frame is decoded, which also detects a damaged picture. */
export async function makeThumbnails(
  bytes: Buffer,
  layout: Layout,
  sizes: number[],
  rights = '',
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
    const encoder = reopen(current).webp(WEBP);
    thumbnails.unshift({ size, bytes: await (rights ? encoder.withXmp(rights) : encoder).toBuffer() });
  }
  const { data, info } = await rawPixels(resize(reopen(current), sampleSize).ensureAlpha());
  return { sample: { pixels: data, width: info.width, height: info.height }, thumbnails };
}

function rawPixels(image: Sharp): Promise<Pixels> {
  return image.raw().toBuffer({ resolveWithObject: true });
}

// The logo of the site: a picture of the operator, sent as it is.

export interface Logo {
  bytes: Buffer;
  type: string;
  width: number;
  height: number;
}

/** It is part of every first visit. */
const MAX_LOGO_BYTES = 256 * 1024;
const types: Record<string, string> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
};

/** The type follows from the content, not from the name. */
export async function readLogo(path: string): Promise<Logo> {
  const fail = (reason: string) => new Error(`SITE_LOGO: ${reason}`);
  const bytes = await readFile(path).catch(({ code }) => {
    throw fail(`cannot read ${path} (${code})`);
  });
  if (bytes.length > MAX_LOGO_BYTES)
    throw fail(`${path} is too large; use a picture of up to ${MAX_LOGO_BYTES / 1024} KiB`);
  const sharp = await loadSharp();
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: '', width: 0, height: 0 }));
  const type = types[format ?? ''];
  if (!type || !width || !height) throw fail(`${path} is not an SVG, PNG, WebP, JPEG or GIF picture`);
  return { bytes, type, width, height };
}

/** A small file can be a picture of any size. */
const MAX_PIXELS = 50_000_000;
const MAX_DENSITY = 10_000;

/** The picture as a square PNG on a background, with a margin given as a share of the size. */
export async function drawIcon(
  bytes: Buffer,
  { size, margin, background }: { size: number; margin: number; background: string },
): Promise<Buffer> {
  const sharp = await loadSharp();
  const border = Math.round(size * margin);
  const inner = size - 2 * border;
  const { format, width, height } = await sharp(bytes).metadata();
  // A drawing is rendered at the size that it gets.
  const density = Math.min(MAX_DENSITY, Math.max(1, (72 * inner) / Math.max(width, height)));
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, ...(format === 'svg' && { density }) })
    .resize(inner, inner, { fit: 'contain', background })
    .flatten({ background })
    .extend({ top: border, bottom: border, left: border, right: border, background })
    .png()
    .toBuffer();
}
