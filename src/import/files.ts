/**
 * The files of pictures: stored before the catalogue changes, changed and removed together with it, and the thumbnails and
 * perceptual hashes that images lack.
 */
import { hash } from 'node:crypto';
import {
  extensionOf,
  fileKeys,
  formatPreviews,
  isUpToDate,
  originalKey,
  parseStored,
  readDocument,
  readPreviews,
  replacePreviews,
  THUMBNAIL_TYPE,
  thumbnailKey,
} from '../catalogue/documents/document.ts';
import { placeAnimation } from '../catalogue/documents/edit-image.ts';
import type { Mimetype } from '../catalogue/schemas.ts';
import {
  type CatalogueSnapshot,
  type CatalogueWriter,
  LockTimeout,
  type SavedImage,
} from '../catalogue/writer.ts';
import { inBatches, inParallel, streamBatches } from '../lib/concurrency.ts';
import type { Thumbnail } from '../media/decoding.ts';
import type { Files, Journal, Upload } from '../media/files.ts';
import { PictureError } from '../media/metadata/part.ts';
import { readMetadata, removeLocation } from '../media/metadata/read.ts';
import {
  detectType,
  fileBudget,
  hasSameLayout,
  MAX_BYTES,
  readPicture,
  useOriginal,
} from '../media/picture.ts';
import { RecordError } from './records/lines.ts';
import { FileUnreadable, readInside, sizeInside } from './sources/files.ts';
import type { FilePicture, Source } from './sources/source.ts';

// Reads the picture that a record's `file` names and stores it, with its thumbnails, under the hash of its bytes.

interface StoreOptions {
  keepsLocation: boolean;
  thumbnailSizes: readonly number[];
}

export async function storePicture(
  { folder, isFolder }: Pick<Source, 'folder' | 'isFolder'>,
  file: string,
  upload: Upload,
  { keepsLocation, thumbnailSizes }: StoreOptions,
): Promise<FilePicture> {
  return fileBudget.spend(await sizeInside(folder, file), async () => {
    const original = await readInside(folder, file, MAX_BYTES);
    try {
      const mimetype = detectType(original);
      const cleaned = await withoutLocation(original, mimetype).catch((error) => {
        if (keepsLocation) return original;
        throw error;
      });
      const hasLocation = cleaned !== original;
      const bytes = keepsLocation ? original : cleaned;
      const { facts, thumbnails } = await readPicture(bytes, thumbnailSizes);
      const key = pictureKey(facts.hash, extensionOf(mimetype));
      const eTag = await upload.put(key, bytes, facts);
      await storeThumbnails(key, thumbnails, upload);
      const hashes = hasLocation ? [original, cleaned].map((bytes) => hash('sha256', bytes)) : [facts.hash];
      const metadata = isFolder ? await readMetadata(original, mimetype) : undefined;
      return { ...facts, key, eTag, hashes, hasLocation, metadata };
    } catch (error) {
      if (error instanceof PictureError) throw new RecordError(`${file}: ${error.message}`);
      throw error;
    }
  });
}

/** Those of a picture that is not imported, with its location and without it. Undefined if the file cannot be read. */
export async function hashesOf(folder: string, file: string): Promise<string[] | undefined> {
  try {
    const original = await readInside(folder, file, MAX_BYTES);
    return [original, await withoutLocation(original, detectType(original)).catch(() => original)].map(
      (bytes) => hash('sha256', bytes),
    );
  } catch (error) {
    if (error instanceof FileUnreadable) return undefined;
    if (error instanceof RecordError || error instanceof PictureError) return [];
    throw error;
  }
}

/** The same buffer if the picture has no location. */
async function withoutLocation(bytes: Buffer, mimetype: Mimetype): Promise<Buffer> {
  try {
    const cleaned = removeLocation(bytes, mimetype);
    if (cleaned !== bytes && !(await hasSameLayout(bytes, cleaned)))
      throw new PictureError('the picture would look different');
    return cleaned;
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    const advice = 'remove its metadata yourself, or use --keep-location';
    throw new PictureError(`the location cannot be removed: ${error.message}; ${advice}`);
  }
}

async function storeThumbnails(key: string, thumbnails: Thumbnail[], upload: Upload): Promise<void> {
  for (const { size, bytes } of thumbnails) {
    const facts = { hash: hash('sha256', bytes), mimetype: THUMBNAIL_TYPE };
    await upload.put(thumbnailKey(key, size), bytes, facts);
  }
}

export const pictureKey = (hash: string, extension: string) => `${hash.slice(0, 2)}/${hash}.${extension}`;

/** Whether an import chose the key, or that of a thumbnail's original. Other files may belong to somebody else. */
export function isOurKey(key: string): boolean {
  return hashInKey(originalKey(key) ?? key) !== undefined;
}

/** The hash of the bytes, if an import chose the key. */
export function hashInKey(key: string): string | undefined {
  const [, hash, extension] = /^[0-9a-f]{2}\/([0-9a-f]{64})\.([a-z]+)$/.exec(key) ?? [];
  return hash !== undefined && extension !== undefined && key === pictureKey(hash, extension)
    ? hash
    : undefined;
}

// Changes the catalogue together with its files: neither is left half done, even if the process is killed. Removes files that no
// image uses, under the catalogue's write lock.

interface FileChange {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Aborts the change. */
  signal: AbortSignal;
  /** Says what could not be removed of killed commands, in a sentence. */
  warn: (problem: string) => void;
  /** Called if the change fails, before its files are removed. */
  onFailure?: (error: unknown) => Promise<void>;
}

/**
 * Stores files (`prepare`), changes the catalogue under its write lock (`apply`), and commits. If one of them fails, nothing
 * changes. `prepare` returns whether there is anything to apply.
 *
 * Other commands may remove files while `prepare` runs. New ones are safe: they are in the journal of a running command. A
 * file that was stored before may be gone by the time of `apply`, which has to look (`findLost`).
 */
export async function changeFiles(
  { files, openWriter, isDryRun, signal, warn, onFailure }: FileChange,
  prepare: (upload: Upload) => Promise<boolean>,
  apply: (writer: CatalogueWriter, upload: Upload) => Promise<void>,
): Promise<void> {
  const upload = isDryRun ? files.dryRunUpload() : await files.beginUpload();
  try {
    const hasChanges = await prepare(upload);
    // Most files become durable before the lock is taken.
    await upload.flush();
    signal.throwIfAborted();
    if (hasChanges) {
      await using writer = await openWriter();
      await apply(writer, upload);
      await upload.flush();
      signal.throwIfAborted();
      if (!isDryRun) await writer.commit();
    } else if (!isDryRun) {
      // As after every commit.
      await removeLeftovers(files, openWriter, warn);
    }
  } catch (error) {
    await onFailure?.(error);
    // Whether the commit succeeded may be unknown. What no image uses is removed, now or by the next command.
    await upload.abandon();
    if (!isDryRun) await removeLeftovers(files, openWriter, warn);
    throw error;
  }
  await removeJournaled(files, upload, upload.releasedKeys(), openWriter).catch(() => {});
}

/**
 * Removes those of the files that no image uses, and returns how many. This is looked up after the commit: another import may
 * use the same files by now. If the lookup fails, the journal leaves it to the next command.
 */
export async function removeJournaled(
  files: Files,
  journal: Pick<Journal, 'finish' | 'abandon'>,
  keys: string[] | Promise<string[]>,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<number> {
  try {
    const removed = await removeUnusedFiles(files, await keys, openWriter);
    await journal.finish();
    return removed;
  } catch (error) {
    await journal.abandon();
    throw error;
  }
}

/**
 * Removes what killed commands left in the storage. Running ones keep their files. If it fails, the next command tries again.
 * Call it after a commit: what is left may be the files of images that are being moved here from another database.
 */
export async function removeLeftovers(
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
  warn: (problem: string) => void,
): Promise<void> {
  const onFailure = (error: Error) =>
    warn(`cannot remove the files of an interrupted command: ${error.message}; the next command tries again`);
  try {
    const { hasAbandoned, problems } = await files.findLeftovers();
    for (const problem of problems) warn(problem);
    if (!hasAbandoned) return;
    await using writer = await openWriter();
    await files.handleAbandoned(async (keys) => files.remove(await writer.unusedKeys(keys)), onFailure);
  } catch (error) {
    // A command that changes the catalogue at the moment does the same.
    if (!(error instanceof LockTimeout)) onFailure(error as Error);
  }
}

/** Removes those of the files that no image uses, and returns how many. */
export async function removeUnusedFiles(
  files: Files,
  keys: string[],
  openWriter: () => Promise<CatalogueWriter>,
): Promise<number> {
  if (keys.length === 0) return 0;
  // The lock keeps other imports from reusing a file while it is being removed.
  await using writer = await openWriter();
  const unused = await writer.unusedKeys(keys);
  await files.remove(unused);
  return unused.length;
}

// Makes the thumbnails that images lack, and removes those of other sizes. Each batch is committed on its own, so work that
// is interrupted continues where it stopped.

/** Other commands that change the catalogue wait for one batch at most. */
const BATCH_SIZE = 50;

interface ThumbnailUpdate extends FileChange {
  openSnapshot: () => Promise<CatalogueSnapshot>;
  thumbnailSizes: readonly number[];
  /** How many pictures are read at the same time. */
  concurrency: number;
  onImage: (size: number) => void;
}

/** The ids of images whose thumbnails have other sizes, or that may be animations. */
export async function findOutdated(
  openSnapshot: () => Promise<CatalogueSnapshot>,
  thumbnailSizes: readonly number[],
): Promise<string[]> {
  await using snapshot = await openSnapshot();
  const ids: string[] = [];
  for await (const { id, document } of snapshot.images())
    if (!isUpToDate(readPreviews(document), thumbnailSizes, readDocument(document).meta)) ids.push(id);
  return ids;
}

/** Returns what prevented the update of images, as sentences. Images that were removed meanwhile are skipped. */
export async function updateThumbnails(ids: string[], update: ThumbnailUpdate): Promise<string[]> {
  const problems: string[] = [];
  if (ids.length === 0) await removeLeftovers(update.files, update.openWriter, update.warn);
  for (const batch of inBatches(ids, BATCH_SIZE)) problems.push(...(await updateBatch(batch, update)));
  return problems;
}

async function updateBatch(ids: string[], update: ThumbnailUpdate): Promise<string[]> {
  const problems: string[] = [];
  await changeFiles(
    update,
    async () => true,
    async (writer, upload) => {
      // Opened under the write lock, so it is the current version.
      await using snapshot = await update.openSnapshot();
      const rows = await snapshot.imagesById(ids);
      const placements = await snapshot.placementsOf(rows.map(({ number }) => number));
      const updated: SavedImage[] = [];
      await inParallel(rows, update.concurrency, async (row) => {
        update.signal.throwIfAborted();
        try {
          updated.push(await updateImage(row, update.files, update.thumbnailSizes, upload));
        } catch (error) {
          if (!(error instanceof PictureError)) throw error;
          problems.push(`image ${row.id}: ${error.message}`);
        }
        update.onImage(1);
      });
      const kept = new Set(updated.flatMap(fileKeys));
      const former = rows.filter(({ id }) => updated.some((row) => row.id === id)).flatMap(fileKeys);
      await upload.release(former.filter((key) => !kept.has(key)));
      await writer.saveImages(
        updated.map((row) => {
          const { previews } = parseStored(row.document);
          const placement = placements.get(row.number) ?? { shelves: [], width: 0, height: 0 };
          return { row, ...placeAnimation(placement, previews, writer.fixedShelves) };
        }),
      );
    },
  );
  return problems;
}

async function updateImage(
  row: SavedImage,
  files: Files,
  thumbnailSizes: readonly number[],
  upload: Upload,
): Promise<SavedImage> {
  const read = await useOriginal(files, row.key, (original) => readPicture(original, thumbnailSizes));
  if (!read) throw new PictureError(`the file ${row.key} is missing`);
  const { facts, thumbnails } = read;
  const { width, height } = readDocument(row.document).meta.dimens;
  // The dimensions of the thumbnails are computed from those in the catalogue.
  if (facts.width !== width || facts.height !== height)
    throw new PictureError(
      `the picture has ${facts.width} x ${facts.height} pixels instead of ${width} x ${height}`,
    );
  await storeThumbnails(row.key, thumbnails, upload);
  return { ...row, document: replacePreviews(row.document, formatPreviews(facts.previews)) };
}

// Computes the perceptual hashes that images lack, from their stored files: those imported by an older version, or by key.

/** Saved together. Every commit makes servers load the hashes again. */
const HASHES_PER_BATCH = 1000;

/** The signal ends the work after the current pictures. What was saved stays. */
interface MissingHashesOptions
  extends Pick<ThumbnailUpdate, 'files' | 'openSnapshot' | 'openWriter' | 'concurrency' | 'signal'> {
  onProgress: () => void;
}

/** Returns the number of images whose file is missing or cannot be read. */
export async function addMissingHashes(options: MissingHashesOptions): Promise<number> {
  await using snapshot = await options.openSnapshot();
  let unreadable = 0;
  for await (const batch of streamBatches(withoutHash(snapshot), HASHES_PER_BATCH))
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
