/**
 * Makes the thumbnails that images lack, and removes those of other sizes. Each batch is committed on its own, so work that
 * is interrupted continues where it stopped.
 */
import { parseStored, readDocument, replacePreviews } from '../../catalogue/documents/document.ts';
import { placeAnimation } from '../../catalogue/documents/place-image.ts';
import { fileKeys, formatPreviews, isUpToDate, readPreviews } from '../../catalogue/documents/thumbnails.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import { inBatches, inParallel } from '../../lib/parallel.ts';
import type { Files, Upload } from '../../media/files.ts';
import { PictureError, readPicture, useOriginal } from '../../media/picture.ts';
import { storeThumbnails } from '../files.ts';
import { changeFiles, type FileChange, removeLeftovers } from './change-files.ts';

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
