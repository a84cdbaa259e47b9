/** Chooses the files of an image that the page may load. The browser picks one of them by the size on the screen. */
import type { GalleryImage } from './types.ts';

export interface Source {
  url: string;
  width: number;
}

/** Larger originals load only when the visitor zooms in. */
const MAX_PIXELS = 4_000_000;
const MAX_BYTES_IN_GRID = 500_000;
const MAX_BYTES_IN_DIALOG = 3_000_000;

/** Thumbnails are stills, so nothing moves in the grid. */
export function gridSources(image: GalleryImage): Source[] {
  return listSources(image, !mayBeAnimated(image) && isSmall(image, MAX_BYTES_IN_GRID));
}

/** Only the original of an animation moves. */
export function dialogSources(image: GalleryImage): Source[] {
  return mayBeAnimated(image)
    ? originalSource(image)
    : listSources(image, isSmall(image, MAX_BYTES_IN_DIALOG));
}

export function originalSource({ url, meta }: GalleryImage): Source[] {
  return [{ url, width: meta.dimens.width }];
}

/** An image has no thumbnails if it is small, or if the service makes none. */
function listSources(image: GalleryImage, mayUseOriginal: boolean): Source[] {
  const { thumbnails = [] } = image.meta;
  return mayUseOriginal || thumbnails.length === 0 ? [...thumbnails, ...originalSource(image)] : thumbnails;
}

/** The API does not tell. Animations with millions of pixels per frame are rare. */
function mayBeAnimated({ meta: { mimetype, dimens } }: GalleryImage): boolean {
  const isMedium = dimens.width * dimens.height <= MAX_PIXELS;
  return mimetype === 'image/gif' || (mimetype === 'image/webp' && isMedium);
}

function isSmall({ meta: { size, dimens } }: GalleryImage, maxBytes: number): boolean {
  return size <= maxBytes && dimens.width * dimens.height <= MAX_PIXELS;
}
