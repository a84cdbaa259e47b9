/** Computes the perceptual hashes that images lack, from their stored files: those imported by an older version, or by key. */

import type { CatalogueSnapshot, CatalogueWriter, SavedImage } from '../../catalogue/writer.ts';
import { inParallel, streamBatches } from '../../lib/parallel.ts';
import type { Files } from '../../media/files.ts';
import { PictureError, readPicture, useOriginal } from '../../media/picture.ts';

/** Saved together. Every commit makes servers load the hashes again. */
const BATCH_SIZE = 1000;

interface MissingHashesOptions {
  files: Files;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  openWriter: () => Promise<CatalogueWriter>;
  /** How many pictures are read at the same time. */
  concurrency: number;
  onProgress: () => void;
  /** Ends the work after the current pictures. What was saved stays. */
  signal: AbortSignal;
}

/** Returns the number of images whose file is missing or cannot be read. */
export async function addMissingHashes(options: MissingHashesOptions): Promise<number> {
  await using snapshot = await options.openSnapshot();
  let unreadable = 0;
  for await (const batch of streamBatches(withoutHash(snapshot), BATCH_SIZE))
    unreadable += await hashBatch(batch, options);
  return unreadable;
}

async function* withoutHash(snapshot: CatalogueSnapshot): AsyncGenerator<SavedImage, void> {
  for await (const image of snapshot.images()) if (image.perceptualHash === null) yield image;
}

async function hashBatch(images: SavedImage[], options: MissingHashesOptions): Promise<number> {
  const { files, concurrency, onProgress, signal } = options;
  const hashes = new Map<string, string>();
  await inParallel(images, concurrency, async ({ id, key }) => {
    signal.throwIfAborted();
    const hash = await hashFile(files, key);
    if (hash !== undefined) hashes.set(id, hash);
    onProgress();
  });
  if (hashes.size > 0) await save(images, hashes, options);
  return images.length - hashes.size;
}

async function hashFile(files: Files, key: string): Promise<string | undefined> {
  try {
    const read = await useOriginal(files, key, (original) => readPicture(original, []));
    return read?.facts.perceptualHash ?? undefined;
  } catch (error) {
    if (error instanceof PictureError) return undefined;
    throw error;
  }
}

/** Another command may have replaced or removed an image meanwhile. */
async function save(
  images: SavedImage[],
  hashes: Map<string, string>,
  { openWriter }: MissingHashesOptions,
): Promise<void> {
  const eTags = new Map(images.map(({ id, eTag }) => [id, eTag]));
  await using writer = await openWriter();
  const current = await writer.imagesById([...hashes.keys()]);
  const unchanged = current.filter(({ id, eTag }) => eTag === eTags.get(id));
  await writer.savePerceptualHashes(
    unchanged.map(({ id, number }) => ({ number, perceptualHash: hashes.get(id) ?? null })),
  );
  await writer.commit();
}
