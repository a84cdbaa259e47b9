/** Better copies: an image gets another file, and of images that look alike the best one stays. */
import type { Difference } from '../catalogue/change-log.ts';
import {
  fileKeys,
  formatPreviews,
  readDocument,
  type StoredImage,
  UNKNOWN_ARTIST,
} from '../catalogue/documents/document.ts';
import {
  type EditableField,
  type EditMark,
  formatEdited,
  type ImageChange,
  type ImageEntries,
  imageDifferences,
  parseEdited,
  placeImage,
  planEdit,
} from '../catalogue/documents/edit-image.ts';
import { DETAIL_FIELDS, type DetailField, type Rating } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot, CatalogueWriter, SavedImage } from '../catalogue/writer.ts';
import { changeFiles, storePicture } from '../import/files.ts';
import { metaOf } from '../import/plan/image.ts';
import { planVersion } from '../import/plan/looks.ts';
import { type ImageLine, statedRating } from '../import/records/record.ts';
import { strictest } from '../import/sidecar/rating.ts';
import { addMetadata } from '../import/sidecar/read.ts';
import type { FilePicture } from '../import/sources/source.ts';
import type { Files } from '../media/files.ts';
import { countImages } from './describe.ts';
import { EditError, loadEntriesOf, saveOrder } from './entries.ts';
import { describeMissing } from './images.ts';
import { hashWithoutLocation, type Removal, readOtherHashes, rememberRemoved } from './remove.ts';
import { REPLACED } from './undo-images.ts';

// Gives an image another file, such as a better copy. Its id and its fields stay.

export interface NewPicture {
  folder: string;
  /** Relative to the folder. */
  file: string;
  /** What its owner calls the file. */
  name: string;
}

interface Replacement {
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
      const image = readDocument(before.document);
      const entries = (await loadEntriesOf(writer, [image]))(image);
      const placed = placeFile(before, { ...stored, fileName: picture.name }, entries, writer);
      if ((await upload.findLost(fileKeys(placed.row))).length > 0)
        await storePicture(source, picture.file, upload, store);
      await writer.saveImages([placed]);
      // Imports of its folder no longer concern it.
      await writer.sourceFiles.detach([id]);
      const hashes = [...new Set([before.eTag, otherHash ?? before.eTag])];
      await writer.decisions.rememberFiles(
        hashes.map((hash) => ({ hash, image: id, removedAt: replacement.now, reason: REPLACED })),
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
  const { key, hash, mimetype, perceptualHash, previews, fileName } = picture;
  const image = readDocument(before.document);
  // As in imports: metadata in a picture makes its rating stricter.
  const open: ImageLine = { type: 'image', nsfw: image.nsfw, openFields: ['nsfw'] };
  const stated = picture.metadata && statedRating(addMetadata(open, picture.metadata));
  const looks = { path: '', perceptualHash };
  const { former } = planVersion(looks, stated, [{ path: '', image: before, isReplaced: true }], []);
  // Undoing the import that added the image must not remove it.
  const marks: EditMark[] = former?.isMarked ? ['by-hand', 'file-changed'] : ['by-hand'];
  const edited = formatEdited(parseEdited(before.edited), marks);
  const nsfw = former?.rating ?? image.nsfw;
  return placeImage(
    { ...before, key, eTag: hash, mimetype, perceptualHash, edited },
    { ...image, nsfw, fileName, meta: metaOf(picture) },
    entries,
    previews && formatPreviews(previews),
    writer.fixedShelves,
  );
}

// Of images that look alike, keeps the best one: it gets what the others know, and they go to the trash.

/** An image that stays, and those that look like it. As they were when they were compared. */
export interface Choice {
  kept: SavedImage;
  others: SavedImage[];
}

interface KeptImage {
  id: string;
  differences: Difference[];
  removed: string[];
}

/** One change, which can be undone. Returns it with its number. */
export async function keepBest(
  choices: Choice[],
  removal: Omit<Removal, 'reason' | 'allowAgain' | 'toTrash'>,
): Promise<{ kept: KeptImage[]; change: number }> {
  const ids = choices.flatMap(({ others }) => others.map(({ id }) => id));
  const otherHashes = await readOtherHashes({ ids }, removal);
  await using writer = await removal.openWriter();
  const kept: KeptImage[] = [];
  for (const choice of choices) {
    removal.signal.throwIfAborted();
    const [best, ...others] = await readAgain(writer, choice);
    const removed = others.map(({ id }) => id);
    const fields = await merge(writer, best, others);
    const differences = [...fields, ...(await takePlaces(writer, best.id, new Set(removed)))];
    const reason = `a copy of image ${best.id}`;
    await rememberRemoved(writer, await writer.trashImages(removed), otherHashes, { ...removal, reason });
    kept.push({ id: best.id, differences, removed });
  }
  writer.changeLog.describe(
    `keep ${countImages(kept.length)}, move ${countImages(ids.length)} like them to the trash`,
  );
  const change = writer.changeLog.number;
  removal.signal.throwIfAborted();
  if (!removal.isDryRun && kept.length > 0) await writer.commit();
  return { kept, change };
}

/** The one to keep comes first. Somebody may have changed one of them since, so that they no longer look alike. */
async function readAgain(
  writer: CatalogueWriter,
  { kept, others }: Choice,
): Promise<[SavedImage, ...SavedImage[]]> {
  const before = [kept, ...others];
  const now = new Map((await writer.imagesById(before.map(({ id }) => id))).map((row) => [row.id, row]));
  const changed = before.find(({ id, eTag }) => now.get(id)?.eTag !== eTag);
  if (changed)
    throw new EditError(
      `nothing was changed: image ${changed.id} was replaced or removed meanwhile; try again`,
    );
  return before.map(({ id }) => now.get(id)) as [SavedImage, ...SavedImage[]];
}

async function merge(writer: CatalogueWriter, best: SavedImage, others: SavedImage[]): Promise<Difference[]> {
  const images = [best, ...others].map(({ document }) => readDocument(document));
  const entriesOf = await loadEntriesOf(writer, images);
  const toMember = ({ document, edited }: SavedImage): Member => {
    const image = readDocument(document);
    return { ...image, entries: entriesOf(image), decided: new Set(parseEdited(edited)) };
  };
  const member = toMember(best);
  const change = planMerge(member, others.map(toMember));
  const planned = planEdit(best, member.entries, change, writer.fixedShelves);
  if (!planned) return [];
  await writer.saveImages([planned]);
  return imageDifferences(best, planned.row);
}

/** The best image takes the place of the first other one in each album that does not have it yet. */
async function takePlaces(writer: CatalogueWriter, best: string, others: Set<string>): Promise<Difference[]> {
  const albums = (await writer.albumsOf([...others])).filter(({ images }) => !images?.includes(best));
  for (const album of albums)
    await saveOrder(writer, album, album.images?.map((id) => (others.has(id) ? best : id)) ?? []);
  return albums.map(({ name }) => ({ field: 'album', before: '', after: name }));
}

interface Member extends StoredImage {
  entries: ImageEntries;
  decided: Set<string>;
}

/**
 * What the best image gets. A field that was decided on it stays. Otherwise it gets all categories and characters, the
 * strictest rating, and the artist, source and texts that were decided on another one, or those of another
 * one if it has none. What it gets is decided, so that no import takes it away, and so is what was decided on another one. Pure.
 */
function planMerge(best: Member, others: Member[]): ImageChange {
  const members = [best, ...others];
  /** The first value that says something. Those on which the field was decided come first. */
  const pick = <T>(field: EditableField, read: (member: Member) => T, isKnown: (value: T) => boolean): T => {
    const inOrder = members.toSorted((a, b) => Number(b.decided.has(field)) - Number(a.decided.has(field)));
    return inOrder.map(read).find(isKnown) ?? read(best);
  };
  const rating = members.map(({ nsfw }) => nsfw).reduce((a, b) => strictest(a, b) as Rating);
  const artist = pick(
    'artist',
    ({ entries }) => entries.artist,
    ({ id }) => id !== UNKNOWN_ARTIST.id,
  );
  const source = pick(
    'source',
    (member) => member.source,
    ({ name, url }) => name !== '' || url !== '',
  );
  const detail = (field: DetailField) => {
    const value = pick(field, (member) => member[field], Boolean);
    return { value, isNew: value !== best[field] };
  };
  const missing = (list: 'categories' | 'characters') => {
    const has = new Set(best.entries[list].map(({ id }) => id));
    return others.flatMap(({ entries }) => entries[list]).filter(({ id }) => !has.has(id));
  };
  const lists = { categories: missing('categories'), characters: missing('characters') };
  const change = {
    rating: { value: rating, isNew: rating !== best.nsfw },
    artist: { value: artist, isNew: artist.id !== best.artist },
    source: { value: source, isNew: source.name !== best.source.name || source.url !== best.source.url },
    ...Object.fromEntries(DETAIL_FIELDS.map((field) => [field, detail(field)])),
    categories: { value: { add: lists.categories, remove: [] }, isNew: lists.categories.length > 0 },
    characters: { value: { add: lists.characters, remove: [] }, isNew: lists.characters.length > 0 },
  };
  const counted = Object.entries(change).filter(
    ([field, { isNew }]) =>
      !best.decided.has(field) && (isNew || others.some(({ decided }) => decided.has(field))),
  );
  return Object.fromEntries(counted.map(([field, { value }]) => [field, value]));
}
