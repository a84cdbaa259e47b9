/** Chooses the files of an image that the page may load. The browser picks one of them by the size on the screen. */
import type { Shown } from './types.ts';

export interface Source {
  url: string;
  width: number;
}

/** Larger originals load on large screens, and when the visitor zooms in. */
const MAX_PIXELS = 4_000_000;
const MAX_BYTES_IN_GRID = 500_000;
const MAX_BYTES_IN_DIALOG = 3_000_000;
/** Larger ones load only when the visitor zooms in. */
const MAX_BYTES_ON_LARGE_SCREENS = 15_000_000;

/** Thumbnails are stills, so nothing moves in the grid unless there are none. */
export function gridSources(image: Shown, isMotionReduced: boolean): Source[] {
  if (image.meta.animated && isMotionReduced) return stillSources(image);
  // An image of which it is not known may be an animation, too.
  return listSources(image, image.meta.animated === false && isSmall(image, MAX_BYTES_IN_GRID));
}

export function dialogSources(image: Shown): Source[] {
  return listSources(image, isSmall(image, MAX_BYTES_IN_DIALOG));
}

/** Of an animation. Without thumbnails, only its placeholder stands still. */
export function stillSources({ meta: { thumbnails = [] } }: Shown): Source[] {
  return thumbnails;
}

export function originalSource({ url, meta }: Shown): Source[] {
  return [{ url, width: meta.dimens.width }];
}

export function isModest({ meta }: Shown): boolean {
  return meta.size <= MAX_BYTES_ON_LARGE_SCREENS;
}

/** An image has no thumbnails if it is small, or if the service makes none. */
function listSources(image: Shown, mayUseOriginal: boolean): Source[] {
  const { thumbnails = [] } = image.meta;
  return mayUseOriginal || thumbnails.length === 0 ? [...thumbnails, ...originalSource(image)] : thumbnails;
}

function isSmall({ meta: { size, dimens } }: Shown, maxBytes: number): boolean {
  return size <= maxBytes && dimens.width * dimens.height <= MAX_PIXELS;
}
