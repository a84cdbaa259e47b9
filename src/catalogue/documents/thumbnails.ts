/**
 * Thumbnails: which there are, and where. A thumbnail's size is the length of its longest side in pixels. Its key follows
 * from the key of the original, so the document records the sizes only, together with the ThumbHash and whether the image is
 * an animation: `480,960 <base64> 1`. Versions up to 0.3 did not record the latter.
 */

import type { Document, Mimetype } from '../types.ts';
import { parseStored } from './document.ts';

/** What the document of an image records about its thumbnails. */
export interface Previews {
  /** Smallest first. */
  sizes: number[];
  /** A tiny preview (https://evanw.github.io/thumbhash/), in base64. */
  thumbHash: string;
  /** Undefined if it is not known. */
  isAnimated?: boolean;
}

interface Dimensions {
  width: number;
  height: number;
}

export const THUMBNAIL_TYPE: Mimetype = 'image/webp';
/** Recorded previews are never longer: at most eight sizes, a ThumbHash and a digit. */
export const MAX_PREVIEWS_LENGTH = 128;

const previewsPattern = /^([1-9]\d{0,5}(?:,[1-9]\d{0,5}){0,7})? ([0-9A-Za-z+/]{4,56}={0,2})(?: ([01]))?$/;
const keyPattern = /^thumbnails\/([1-9]\d{0,5})\/(.+)\.webp$/s;

export const thumbnailKey = (key: string, size: number): string => `thumbnails/${size}/${key}.webp`;

/** The key of the original, if this is the key of a thumbnail. */
export const originalKey = (key: string): string | undefined => keyPattern.exec(key)?.[2];

/** The file name in links to this service. */
export const thumbnailFileName = (id: string, size: number): string => `${id}-${size}.webp`;

/** The sizes to make: those of the thumbnailSizes that are smaller than the original, and at least one still of an animation. */
export function chooseSizes(
  thumbnailSizes: readonly number[],
  { width, height }: Dimensions,
  isAnimated: boolean,
): number[] {
  const longest = Math.max(width, height);
  const smaller = thumbnailSizes.filter((size) => size < longest);
  const needsStill = isAnimated && smaller.length === 0 && thumbnailSizes.length > 0;
  return needsStill ? [longest] : smaller;
}

/** Whether nothing has to be made, removed or found out. */
export function isUpToDate(
  previews: Previews | undefined,
  thumbnailSizes: readonly number[],
  { dimens, mimetype }: { dimens: Dimensions; mimetype: Mimetype },
): boolean {
  const isAnimated = previews?.isAnimated ?? (mimetype === 'image/jpeg' ? false : undefined);
  if (previews === undefined || isAnimated === undefined) return false;
  return chooseSizes(thumbnailSizes, dimens, isAnimated).join() === previews.sizes.join();
}

export function thumbnailDimensions({ width, height }: Dimensions, size: number): Dimensions {
  const scale = (side: number) => Math.max(1, Math.round((side * size) / Math.max(width, height)));
  return { width: scale(width), height: scale(height) };
}

export function formatPreviews({ sizes, thumbHash, isAnimated }: Previews): string {
  return `${sizes.join()} ${thumbHash}${isAnimated === undefined ? '' : ` ${Number(isAnimated)}`}`;
}

/** Undefined if the text is something else. */
export function parsePreviews(text: string): Previews | undefined {
  const [, sizes = '', thumbHash, animated] = previewsPattern.exec(text) ?? [];
  if (thumbHash === undefined) return undefined;
  const previews = { sizes: sizes === '' ? [] : sizes.split(',').map(Number), thumbHash };
  return animated === undefined ? previews : { ...previews, isAnimated: animated === '1' };
}

export function readPreviews(document: Document): Previews | undefined {
  return parsePreviews(parseStored(document).previews ?? '');
}

/** The keys of all files of an image. */
export function fileKeys({ key, document }: { key: string; document: Document }): string[] {
  return [key, ...(readPreviews(document)?.sizes ?? []).map((size) => thumbnailKey(key, size))];
}

/** The keys of images that may use the files. */
export function possibleOriginals(keys: string[]): string[] {
  return [...new Set(keys.flatMap((key) => [key, originalKey(key) ?? []].flat()))];
}

/** Those of the keys that no image uses. `images` are those with a possible original, and the ends of their documents. */
export function findUnused(keys: string[], images: Iterable<{ key: string; tail: string }>): string[] {
  const used = new Set<string>();
  for (const { key, tail } of images) {
    used.add(key);
    const previews = parsePreviews(tail.slice(tail.lastIndexOf('\n') + 1));
    for (const size of previews?.sizes ?? []) used.add(thumbnailKey(key, size));
  }
  return keys.filter((key) => !used.has(key));
}
