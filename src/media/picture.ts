/**
 * Reads the facts of a picture from its bytes: type, displayed size, dominant colour, hashes and previews. Bounds how many bytes
 * of pictures are in memory at the same time.
 */
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { rgbaToThumbHash } from 'thumbhash';
import { chooseSizes, type Previews } from '../catalogue/documents/document.ts';
import type { Mimetype } from '../catalogue/schemas.ts';
import { Budget } from '../lib/concurrency.ts';
import {
  countFrames,
  decodeInProcess,
  decodingBytes,
  loadSharp,
  MAX_FRAMES,
  MAX_IMPORT_BYTES,
  MAX_KEPT_BYTES,
  makeThumbnails,
  PROCESS_BYTES,
  readLayout,
  type Sample,
  type Thumbnail,
} from './decoding.ts';
import type { Files } from './files.ts';
import { PictureError } from './metadata/part.ts';
import { readMetadata, rightsPacket } from './metadata/read.ts';

export interface PictureFacts {
  /** SHA-256 in hex. */
  hash: string;
  size: number;
  mimetype: Mimetype;
  color: string;
  width: number;
  height: number;
  /** What the picture looks like; null if it was not computed. */
  perceptualHash: string | null;
  previews: Previews;
}

export interface DecodedPicture {
  facts: PictureFacts;
  thumbnails: Thumbnail[];
}

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
  if (bytes.length === 0) throw new PictureError('the file is empty');
  if (!mimetype) throw new PictureError('not a JPEG, PNG, WebP, GIF or AVIF picture');
  return mimetype;
}

/**
 * Reads a picture, and makes those thumbnails of the thumbnailSizes that are smaller than it, from a single decode. Rejects a picture
 * that takes too much memory. One that leaves memory behind is decoded in a process of its own.
 */
export async function readPicture(bytes: Buffer, thumbnailSizes: readonly number[]): Promise<DecodedPicture> {
  const planned = await plan(bytes, thumbnailSizes, MAX_IMPORT_BYTES);
  const { memory, isOwnProcess } = planned;
  if (!isOwnProcess)
    return smallBudget.spend(memory, () => decodingBudget.spend(memory, () => decodePlanned(bytes, planned)));
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
  return decodePlanned(bytes, await plan(bytes, thumbnailSizes, maxMemory));
}

async function decodePlanned(bytes: Buffer, { mimetype, layout, sizes }: Planned): Promise<DecodedPicture> {
  try {
    const rights = sizes.length > 0 ? rightsPacket(await readMetadata(bytes, mimetype)) : '';
    const { sample, thumbnails } = await makeThumbnails(bytes, layout, sizes, rights);
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

type Planned = Awaited<ReturnType<typeof plan>>;

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
  // What libvips says differs with the sizes that are made, and is for programmers.
  return new PictureError('the picture cannot be decoded; it is damaged or incomplete');
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

// A hash of what a picture looks like: copies that are resized, re-encoded or slightly cropped differ in a few bits only.
// Its bits say which of the lowest frequencies of the brightness (a discrete cosine transform, as in pHash) are above their
// median, so exactly half of them are set. Pure.

const HASH_BITS = 128;
/** The picture is reduced to a square of this side, whatever its shape. */
const GRID_SIZE = 32;
/** The lowest frequencies in each direction, of which those with the lowest sum become bits. */
const FREQUENCIES = 16;
/**
 * The least median amplitude of the frequencies, in grey levels. Below it, in a picture of a single colour or an even
 * gradient, the bits would be noise, or the same in all such pictures.
 */
const MIN_DETAIL = 0.05;

/** The hash of a picture with too little detail. It is not compared with others. */
export const NO_DETAIL = '';

/** The hash in hex, or `NO_DETAIL`. */
export function hashPixels(sample: Sample): string {
  const { width, height } = sample;
  const columns = averageCells(readBrightness(sample), width, height);
  const grid = averageCells(columns, height, GRID_SIZE);
  const spectrum = transform(transform(grid, GRID_SIZE), FREQUENCIES);
  const amplitudes = lowestFrequencies.map((index) => spectrum[index] as number);
  if (medianOf(amplitudes.map(Math.abs)) < MIN_DETAIL) return NO_DETAIL;
  const median = medianOf(amplitudes);
  let hash = '';
  for (let index = 0; index < HASH_BITS; index += 4) {
    const bits = amplitudes.slice(index, index + 4).map((amplitude) => (amplitude > median ? 1 : 0));
    hash += Number.parseInt(bits.join(''), 2).toString(16);
  }
  return hash;
}

/** On a white background. */
function readBrightness({ pixels, width, height }: Sample): Float64Array {
  const brightness = new Float64Array(width * height);
  for (let pixel = 0, index = 0; pixel < brightness.length; pixel++, index += CHANNELS) {
    const channel = (number: number) => pixels[index + number] as number;
    const opacity = channel(3) / 255;
    const brightnessOfColour = 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
    brightness[pixel] = opacity * brightnessOfColour + (1 - opacity) * 255;
  }
  return brightness;
}

/** Divides each line into cells and averages them. The result is transposed: a line for each cell. */
function averageCells(values: Float64Array, length: number, lines: number): Float64Array {
  const averages = new Float64Array(GRID_SIZE * lines);
  const size = length / GRID_SIZE;
  for (let cell = 0; cell < GRID_SIZE; cell++) {
    const [start, end] = [cell * size, (cell + 1) * size];
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let pixel = Math.floor(start); pixel < Math.min(end, length); pixel++) {
        // The part of the pixel that lies in the cell.
        const share = Math.min(end, pixel + 1) - Math.max(start, pixel);
        sum += (values[line * length + pixel] as number) * share;
      }
      averages[cell * lines + line] = sum / size;
    }
  }
  return averages;
}

const waves = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Float64Array.from(
    { length: GRID_SIZE },
    (_, x) => (Math.cos(((x + 0.5) * frequency * Math.PI) / GRID_SIZE) * Math.SQRT2) / GRID_SIZE,
  ),
);

/** The amplitudes of the lowest frequencies of each line. The result is transposed: a line for each frequency. */
function transform(values: Float64Array, lines: number): Float64Array {
  const amplitudes = new Float64Array(FREQUENCIES * lines);
  for (const [frequency, wave] of waves.entries())
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let x = 0; x < GRID_SIZE; x++)
        sum += (wave[x] as number) * (values[line * GRID_SIZE + x] as number);
      amplitudes[frequency * lines + line] = sum;
    }
  return amplitudes;
}

/** Their indexes in the spectrum, without the average brightness. */
const lowestFrequencies = Array.from({ length: FREQUENCIES ** 2 }, (_, index) => index)
  .sort((a, b) => rankOf(a) - rankOf(b))
  .slice(1, HASH_BITS + 1);

/** Sorts by the sum of both frequencies, then by the vertical one. */
function rankOf(index: number): number {
  const [x, y] = [index % FREQUENCIES, Math.floor(index / FREQUENCIES)];
  return (x + y) * FREQUENCIES + y;
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
