/** Gives an image another file, such as a better copy. Its id and its fields stay. */
import { dimensions, readDocument } from '../catalogue/documents/document.ts';
import { type EditMark, formatEdited, parseEdited } from '../catalogue/documents/edit-image.ts';
import { type ImageEntries, placeImage } from '../catalogue/documents/place-image.ts';
import { fileKeys, formatPreviews } from '../catalogue/documents/thumbnails.ts';
import type { CatalogueSnapshot, CatalogueWriter, SavedImage } from '../catalogue/writer.ts';
import { changeFiles } from '../import/apply/change-files.ts';
import { type FilePicture, storePicture } from '../import/files.ts';
import { planVersion } from '../import/plan/version.ts';
import { type ImageLine, statedRating } from '../import/records/record.ts';
import { addMetadata } from '../import/sidecar/metadata.ts';
import type { Files } from '../media/files.ts';
import { EditError } from './errors.ts';
import { describeMissing } from './images.ts';
import { loadEntriesOf } from './references.ts';
import { hashWithoutLocation } from './remove.ts';

export interface NewPicture {
  folder: string;
  /** Relative to the folder. */
  file: string;
  /** What its owner calls the file. */
  name: string;
}

export interface Replacement {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  warn: (problem: string) => void;
  /** The sizes of its thumbnails. */
  thumbnailSizes: readonly number[];
  now: string;
  /** Throws if the image is no longer as the operator saw it. */
  refuseStale(writer: CatalogueWriter): Promise<void>;
}

/** The former file goes to the trash, and its bytes are remembered, so that no import adds them again. */
export async function replaceFile(id: string, picture: NewPicture, replacement: Replacement): Promise<void> {
  const { files, openWriter, warn, thumbnailSizes } = replacement;
  const store = { thumbnailSizes, keepsLocation: false };
  const source = { folder: picture.folder, isFolder: true };
  let stored: FilePicture;
  let otherHash: string | undefined;
  await changeFiles(
    { files, openWriter, warn, isDryRun: false, signal: new AbortController().signal },
    async (upload) => {
      stored = await storePicture(source, picture.file, upload, store);
      otherHash = await findOtherHash(id, replacement);
      return true;
    },
    async (writer, upload) => {
      await replacement.refuseStale(writer);
      await refuseKnown(writer, stored);
      const [before] = await writer.imagesById([id]);
      if (!before) throw new EditError(`nothing was replaced: ${describeMissing([id])}`);
      const entries = (await loadEntriesOf(writer, [before])).get(id) as ImageEntries;
      const placed = placeFile(before, { ...stored, fileName: picture.name }, entries, writer);
      if ((await upload.findLost(fileKeys(placed.row))).length > 0)
        await storePicture(source, picture.file, upload, store);
      await writer.saveImages([placed]);
      // Imports of its folder no longer concern it.
      await writer.sourceFiles.detach([id]);
      const hashes = [...new Set([before.eTag, otherHash ?? before.eTag])];
      const reason = 'replaced by another file';
      await writer.decisions.rememberFiles(
        hashes.map((hash) => ({ hash, image: id, removedAt: replacement.now, reason })),
      );
      writer.changeLog.describe('replace the file of 1 image');
    },
  );
}

/** The hash of the former bytes without their location, if they have one. */
async function findOtherHash(id: string, { files, openSnapshot }: Replacement): Promise<string | undefined> {
  await using snapshot = await openSnapshot();
  const [row] = await snapshot.imagesById([id]);
  return row && (await hashWithoutLocation(files, row));
}

/** The rules of imports: no picture twice, and none that was removed. */
async function refuseKnown(writer: CatalogueWriter, { hashes }: FilePicture): Promise<void> {
  const [same] = await writer.imagesByETag(hashes);
  if (same) throw new EditError(`the picture is already in the catalogue, as image ${same.id}`);
  const [removed] = await writer.decisions.removedFiles(hashes);
  if (removed)
    throw new EditError(
      `the picture was removed on ${removed.removedAt.slice(0, 10)}${removed.reason && ` (${removed.reason})`}; allow it again first`,
    );
}

function placeFile(
  before: SavedImage,
  picture: FilePicture & { fileName: string },
  entries: ImageEntries,
  writer: CatalogueWriter,
) {
  const { key, hash, eTag, size, mimetype, color, width, height, perceptualHash, previews, fileName } =
    picture;
  const image = readDocument(before.document);
  // As in imports: metadata in a picture makes its rating stricter.
  const open: ImageLine = { type: 'image', nsfw: image.nsfw, openFields: ['nsfw'] };
  const stated = picture.metadata && statedRating(addMetadata(open, picture.metadata));
  const looks = { path: '', perceptualHash };
  const { former } = planVersion(looks, stated, [{ path: '', image: before, isReplaced: true }], []);
  // Reverting the import that added the image must not remove it.
  const marks: EditMark[] = former?.isMarked ? ['by-hand', 'file-changed'] : ['by-hand'];
  const edited = formatEdited(parseEdited(before.edited), marks);
  const nsfw = former?.rating ?? image.nsfw;
  const meta = { eTag, size, mimetype, color, dimens: dimensions(width, height) };
  return placeImage(
    { ...before, key, eTag: hash, mimetype, perceptualHash, edited },
    { ...image, nsfw, fileName, meta },
    entries,
    previews && formatPreviews(previews),
    writer.fixedShelves,
  );
}
