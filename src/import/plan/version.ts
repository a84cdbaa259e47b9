/**
 * Whether the new bytes of a file are another version of an image, as after a crop or a conversion, and how strict the rating is that
 * they get from what they replace. Pure.
 */
import { readDocument } from '../../catalogue/documents/document.ts';
import { isFileChanged, parseEdited } from '../../catalogue/documents/edit-image.ts';
import { distanceBetween, MAX_COPY_DISTANCE, MAX_SIMILAR_DISTANCE } from '../../catalogue/sets/hash-index.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { SavedImage } from '../../catalogue/writer.ts';
import type { FormerRating } from '../records/record.ts';
import { isStricter, strictest } from '../sidecar/rating.ts';

interface Looks {
  path: string;
  perceptualHash: string | null;
}

/** A file at the same path may be cropped by a twentieth on each side; one of another type is a copy. */
export function looksLike(file: Looks, former: Looks): boolean {
  const maxDistance = file.path === former.path ? MAX_SIMILAR_DISTANCE : MAX_COPY_DISTANCE;
  return distanceBetween(file.perceptualHash ?? '', former.perceptualHash ?? '') <= maxDistance;
}

/** An image that a file was before, with the path that it was imported from. */
export interface Former {
  path: string;
  image: SavedImage;
  /** Whether no other file has its bytes, so that the image would be gone. */
  isReplaced: boolean;
}

export interface Version {
  /** The id of the image that the file is another version of. */
  id: string | undefined;
  former: FormerRating | undefined;
}

/**
 * `stated` is the rating that the file itself, its sidecars and its folders state, and `trashed` are those of images that once had
 * its bytes. What a picture looks like decides about its identity only, and never makes its rating milder.
 */
export function planVersion(
  file: Looks,
  stated: Rating | undefined,
  formers: Former[],
  trashed: Rating[],
): Version {
  const continued = formers.find(
    ({ path, image, isReplaced }) =>
      isReplaced && looksLike(file, { path, perceptualHash: image.perceptualHash }),
  );
  const replaced = formers.filter((former) => former === continued || former.path === file.path);
  const images = replaced.map(({ image }) => ({ ...image, rating: readDocument(image.document).nsfw }));
  const rating = [...images.map(({ rating }) => rating), ...trashed].reduce<Rating | undefined>(
    strictest,
    undefined,
  );
  if (rating === undefined) return { id: undefined, former: undefined };
  // Otherwise the next import would believe the milder statement.
  const isLowered = stated !== undefined && isStricter(rating, stated);
  const isRated = images.some(
    ({ edited }) => parseEdited(edited).includes('rating') || isFileChanged(edited),
  );
  const former = { rating: strictest(rating, stated) as Rating, isMarked: isLowered || isRated };
  return { id: continued?.image.id, former };
}
