/** Computes the perceptual hashes that images lack, from their stored files: those imported by an older version, or by key. */
import type { CatalogueSnapshot, CatalogueWriter, SavedImage } from '../catalogue/writer.ts';
import type { Files } from '../media/files.ts';
import { MAX_BYTES, PictureError, readPicture } from '../media/picture.ts';
import { inParallel } from '../parallel.ts';

/** Saved together. Every commit makes servers load the hashes again. */
const BATCH_SIZE = 1000;

export interface MissingHashesOptions {
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
  let batch: SavedImage[] = [];
  const process = async () => {
    unreadable += await hashBatch(batch, options);
    batch = [];
  };
  for await (const image of snapshot.images()) {
    if (image.perceptualHash !== null) continue;
    batch.push(image);
    if (batch.length === BATCH_SIZE) await process();
  }
  await process();
  return unreadable;
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
  const file = await files.open(key);
  if (!file) return undefined;
  if (file.size === 0 || file.size > MAX_BYTES) {
    await file.close();
    return undefined;
  }
  const chunks = (await file.stream(0, file.size - 1).toArray()) as Buffer[];
  try {
    return (await readPicture(Buffer.concat(chunks), [])).facts.perceptualHash ?? undefined;
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
