/**
 * When a picture is only a thumbnail of another one, and not imported: it looks the same, it is much smaller, and its name or a
 * folder of its says so. A picture that merely looks like another one is imported, because it may be somebody's work. Pure.
 */
import { sep } from 'node:path';
import type { Rating } from '../../catalogue/types.ts';
import { isStricter } from '../sidecar/rating.ts';

const folderNames = new Set([
  ...['thumb', 'thumbs', 'thumbnail', 'thumbnails', 'tn', 'preview', 'previews', 'cache', 'resized'],
]);
/** Such as `IMG_1_thumb.jpg`, `tn_1.jpg`, `SYNOPHOTO_THUMB_M.jpg`. */
const word = /(?:^|[^a-z])(?:thumb|thumbs|thumbnail|thumbnails|tn|preview)(?![a-z])/;
/** Such as `photo-150x150.jpg`. */
const size = /[-_ ]\d{2,4}x\d{2,4}$/;

/** Whether the name of a picture or of one of its folders says that it is a smaller version of another one. */
export function isNamedThumbnail(path: string): boolean {
  const names = path.toLowerCase().split(sep);
  const stem = (names.pop() as string).replace(/\.[^.]*$/, '');
  return (
    word.test(stem) || size.test(stem) || names.some((name) => folderNames.has(name.replace(/^\W+/, '')))
  );
}

interface Seen {
  width: number;
  height: number;
  rating: Rating;
}

/** Of a picture with such a name, and one that looks the same. */
export function isThumbnailOf(
  picture: Omit<Seen, 'rating'> & { rating?: Rating | undefined },
  other: Seen,
): boolean {
  const isMuchSmaller = 2 * picture.width * picture.height <= other.width * other.height;
  // Otherwise the other one would be published without what is known of this one.
  const isStricterRated = picture.rating !== undefined && isStricter(picture.rating, other.rating);
  return isMuchSmaller && !isStricterRated;
}
