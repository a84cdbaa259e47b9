/**
 * Renews links to files, which expire. One request renews all images that were loaded together: the service allows one
 * request per second, so a request for each image would take too long.
 */
import { cacheImage, getLatestLinks, isExpired, MAX_RECORDS, put } from './cache.ts';
import type { Shown } from './types.ts';

/** Images that were loaded together. */
interface Batch {
  ids: readonly string[];
  load: () => Promise<readonly Shown[]>;
  /** For an image that `load` no longer returns, because the catalogue has changed. */
  loadOne: (id: string) => Promise<Shown>;
  /** If links have expired when they arrive, a clock is wrong, and renewing them by the clock would never end. */
  isClockWrong: boolean;
  renewedAt: number;
  renewal: Promise<void> | undefined;
}

/** If links fail soon after they were renewed, the reason is not that they have expired. */
const MIN_INTERVAL_MS = 30_000;

/** By the id of the image. An image that was loaded several times belongs to the last batch. */
const batches = new Map<string, Batch>();

export function addBatch(images: readonly Shown[], load: Batch['load'], loadOne: Batch['loadOne']): void {
  const ids = images.map(({ id }) => id);
  const isClockWrong = images.some(isExpired);
  images.forEach(cacheImage);
  register({ ids, load, loadOne, isClockWrong, renewedAt: performance.now(), renewal: undefined });
}

function register(batch: Batch): void {
  for (const id of batch.ids) put(batches, id, batch, MAX_RECORDS);
}

/** Whether the links no longer work, as far as the clock can tell. */
export function needsRenewal(image: Shown): boolean {
  return isExpired(image) && !batches.get(image.id)?.isClockWrong;
}

/** Returns the image with other links than those used so far, or undefined if there are none. */
export async function renewLinks(used: Shown): Promise<Shown | undefined> {
  const otherLinks = () => {
    const image = getLatestLinks(used.id);
    return image && image.url !== used.url && !needsRenewal(image) ? image : undefined;
  };
  const batch = batches.get(used.id);
  if (otherLinks() || !batch) return otherLinks();
  const isTooSoon = performance.now() - batch.renewedAt < MIN_INTERVAL_MS;
  if (!batch.renewal && isTooSoon) return undefined;
  try {
    batch.renewal ??= renewBatch(batch);
    await batch.renewal;
  } catch {
    // The image stays a placeholder, and asks again when it comes into view.
    return undefined;
  }
  return batches.get(used.id) === batch ? otherLinks() : renewLinks(used);
}

async function renewBatch(batch: Batch): Promise<void> {
  try {
    const images = await batch.load();
    images.forEach(cacheImage);
    batch.isClockWrong = images.some(isExpired);
    batch.renewedAt = performance.now();
    const returned = new Set(images.map(({ id }) => id));
    for (const id of batch.ids) if (!returned.has(id)) split(batch, id);
  } finally {
    batch.renewal = undefined;
  }
}

/** Makes a batch of its own for one image. */
function split(batch: Batch, id: string): void {
  const load = async () => [await batch.loadOne(id)];
  register({ ...batch, ids: [id], load, renewedAt: Number.NEGATIVE_INFINITY, renewal: undefined });
}
