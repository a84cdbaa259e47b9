/**
 * Renews links to files, which expire. One request renews all images that were loaded together: the service allows one
 * request per second, so a request for each image would take too long.
 */
import { cacheImage, getCachedImage, isExpired, MAX_RECORDS, put } from './cache.ts';
import type { GalleryImage } from './types.ts';

/** Loads the images of a batch again. */
interface Loaders {
  all(): Promise<readonly GalleryImage[]>;
  /** For an image that is missing from `all` now, because the catalogue has changed. */
  one(id: string): Promise<unknown>;
}

interface Batch extends Loaders {
  /** If links have expired when they arrive, a clock is wrong, and renewing them by the clock would never end. */
  isClockWrong: boolean;
  renewedAt: number;
  renewal: Promise<readonly GalleryImage[]> | undefined;
}

/** If links fail soon after they were renewed, the reason is not that they have expired. */
const MIN_INTERVAL_MS = 30_000;

/** By the id of the image. An image that was loaded several times belongs to the last batch. */
const batches = new Map<string, Batch>();

export function addBatch(images: readonly GalleryImage[], loaders: Loaders): void {
  const isClockWrong = images.some(isExpired);
  const batch: Batch = { ...loaders, isClockWrong, renewedAt: performance.now(), renewal: undefined };
  images.forEach(cacheImage);
  for (const { id } of images) put(batches, id, batch, MAX_RECORDS);
}

/** Whether the links no longer work, as far as the clock can tell. */
export function needsRenewal(image: GalleryImage): boolean {
  return isExpired(image) && !batches.get(image.id)?.isClockWrong;
}

/** Returns the image with other links than those used so far, or undefined if there are none. */
export async function renewLinks(used: GalleryImage): Promise<GalleryImage | undefined> {
  const otherLinks = () => {
    const image = getCachedImage(used.id);
    return image && image.url !== used.url && !needsRenewal(image) ? image : undefined;
  };
  const batch = batches.get(used.id);
  if (otherLinks() || !batch) return otherLinks();
  const isTooSoon = performance.now() - batch.renewedAt < MIN_INTERVAL_MS;
  if (!batch.renewal && isTooSoon) return undefined;
  try {
    batch.renewal ??= renewBatch(batch);
    const renewed = await batch.renewal;
    if (!renewed.some(({ id }) => id === used.id)) await batch.one(used.id);
  } catch {
    // The image stays a placeholder, and asks again when it comes into view.
  }
  return otherLinks();
}

async function renewBatch(batch: Batch): Promise<readonly GalleryImage[]> {
  try {
    const images = await batch.all();
    images.forEach(cacheImage);
    batch.isClockWrong = images.some(isExpired);
    batch.renewedAt = performance.now();
    return images;
  } finally {
    batch.renewal = undefined;
  }
}
