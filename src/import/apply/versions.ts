/** What became of files since the last import: those that are other versions of images, and those that are gone. */
import { join } from 'node:path';
import { readDocument } from '../../catalogue/documents/document.ts';
import { HashIndex, parseHash } from '../../catalogue/sets/look-alikes.ts';
import type {
  CatalogueWriter,
  KnownFile,
  SavedImage,
  SourceFile,
  SourceFileReader,
} from '../../catalogue/writer.ts';
import { inBatches } from '../../lib/concurrency.ts';
import { hashesOf } from '../files.ts';
import {
  type Former,
  findCopies,
  isNamedThumbnail,
  isRated,
  isThumbnailOf,
  type Looks,
  looksLike,
  MAX_FOUND,
  planVersion,
} from '../plan/looks.ts';
import type { FileListener, PictureCopies, PreparedImage } from '../prepare/prepare.ts';
import { statedRating } from '../records/record.ts';
import { Listings } from '../sources/files.ts';
import type { FilePicture, FoundFile } from '../sources/source.ts';
import { loadImages } from './decisions.ts';

// Finds out which new bytes of files are other versions of images, and which rating they get from what they replace.

type Place = Pick<SourceFile, 'folder' | 'path' | 'image' | 'state'>;
type NewImage = PreparedImage &
  Required<Pick<PreparedImage, 'former'>> & { file: { folder: string; path: string } };

export class Versions {
  readonly #writer: CatalogueWriter;
  readonly #copies: PictureCopies;
  /** The identities of the folders that are imported. */
  readonly #folders: ReadonlySet<string>;
  /** The hashes of bytes that no image had before this import. */
  readonly #new = new Set<string>();
  /** The ids of images that have their next version. */
  readonly #continued = new Set<string>();
  #trash: Awaited<ReturnType<typeof loadTrash>> | undefined;

  constructor(writer: CatalogueWriter, copies: PictureCopies, folders: ReadonlySet<string>) {
    this.#writer = writer;
    this.#copies = copies;
    this.#folders = folders;
  }

  /** Records of images that are versions of others get their ids, and all of them at least the ratings of what they replace. */
  async find<T extends PreparedImage>(images: T[]): Promise<T[]> {
    const found = await this.#findNew(images);
    const hashes = found.flatMap(({ picture }) => picture.hashes);
    const trash = hashes.length > 0 ? await this.#writer.changeLog.trashedBytes(hashes) : [];
    const ids = [...new Set(found.flatMap(formerIds))];
    const rows = new Map((await this.#writer.imagesById(ids)).map((row) => [row.id, row]));
    const places = Map.groupBy(await this.#writer.sourceFiles.ofImages(ids), ({ image }) => image);
    const originals = await this.#trashedOriginals(found);
    const isNew = new Set<PreparedImage>(found);
    return images.map((image) => {
      if (!isNew.has(image)) return image;
      const { file, picture, record } = image as T & NewImage;
      const formers = this.#formersOf(image as T & NewImage, rows, places);
      // An image that was pruned, or whose import was undone, may come back: only what somebody decided about it counts.
      const trashed = trash
        .filter(({ kind, image }) => kind === 'file' || isRated(image.edited))
        .flatMap(({ image }) => (picture.hashes.includes(image.eTag) ? image : []))
        .concat(originals.get(image) ?? []);
      const looks = { path: file.path, perceptualHash: picture.perceptualHash };
      const { id, former } = planVersion(looks, statedRating(record), formers, trashed);
      if (id !== undefined) this.#continued.add(id);
      const version = id !== undefined && record.id === undefined ? { id } : {};
      return former ? { ...image, record: { ...record, ...version, former } } : image;
    });
  }

  /** A thumbnail whose original was pruned is all that there is, and shows the same. */
  async #trashedOriginals(found: NewImage[]): Promise<Map<PreparedImage, SavedImage[]>> {
    const originals = new Map<PreparedImage, SavedImage[]>();
    for (const image of found.filter(({ file }) => isNamedThumbnail(file.path))) {
      this.#trash ??= await loadTrash(this.#writer);
      const { ids, index } = this.#trash;
      const hash = parseHash(image.picture.perceptualHash ?? '');
      const alike = hash ? findCopies(index, hash, MAX_FOUND) : [];
      const trashed = await this.#writer.changeLog.trashed(alike.map((position) => ids[position] as string));
      originals.set(
        image,
        trashed.map((row) => row.image),
      );
    }
    return originals;
  }

  /** Those with bytes that no image has, and that nobody removed. */
  async #findNew<T extends PreparedImage>(images: T[]): Promise<(T & NewImage)[]> {
    const candidates = images.filter((image): image is T & NewImage => image.former !== undefined);
    const hashes = candidates.flatMap(({ picture }) => picture.hashes);
    const known = new Set([
      ...(await this.#writer.imagesByETag(hashes)).map(({ eTag }) => eTag),
      ...(await this.#writer.decisions.removedFiles(hashes)).map(({ hash }) => hash),
    ]);
    const found = candidates.filter(
      ({ picture: { hashes } }) =>
        hashes.some((hash) => this.#new.has(hash)) || !hashes.some((hash) => known.has(hash)),
    );
    for (const { picture } of found) for (const hash of picture.hashes) this.#new.add(hash);
    return found;
  }

  #formersOf(
    { file, former, record }: NewImage,
    rows: Map<string, SavedImage>,
    places: Map<string, Place[]>,
  ): Former[] {
    const formers = former.flatMap(({ path, image: id }): Former[] => {
      const image = rows.get(id);
      // Since the file was read, somebody may have given the image another one.
      const place = places.get(id)?.find((one) => join(one.folder, one.path) === join(file.folder, path));
      if (!image || !place) return [];
      const others = places.get(id)?.filter((one) => one !== place) ?? [];
      const isPresent =
        this.#copies.has(image.eTag) || others.some((other) => this.#isElsewhere(other, place));
      const isReplaced = place.state === 'first' && !isPresent && !this.#continued.has(id);
      return [{ path, image, isReplaced }];
    });
    // The image that a sidecar names.
    const named = rows.get(record.id ?? '');
    return named ? [...formers, { path: file.path, image: named, isReplaced: false }] : formers;
  }

  /** Whether it is the file of a folder that is not imported now. */
  #isElsewhere(other: Place, { folder, path }: Place): boolean {
    const isSame = join(other.folder, other.path) === join(folder, path);
    return other.state !== 'replaced' && !this.#folders.has(other.folder) && !isSame;
  }
}

/** The looks of what is in the trash, and the ids of its images. */
async function loadTrash({ changeLog }: CatalogueWriter): Promise<{ ids: string[]; index: HashIndex }> {
  const ids: string[] = [];
  const index = new HashIndex();
  for await (const { image } of changeLog.trash()) {
    index.add(0, image.perceptualHash ?? '');
    // What has too little detail is left out.
    if (index.size > ids.length) ids.push(image.id);
  }
  return { ids, index };
}

function formerIds({ former, record }: NewImage): string[] {
  return [...former.map(({ image }) => image), ...(record.id ? [record.id] : [])];
}

// Finds out which pictures are only thumbnails.

/** Of pictures with the names of thumbnails, those that are not in the catalogue yet, each with the largest image that it looks like. */
export async function findOriginals<T extends PreparedImage>(
  images: T[],
  writer: CatalogueWriter,
  looks: Pick<Looks, 'find'>,
): Promise<Map<T, { id: string; label: string }>> {
  const originals = new Map<T, { id: string; label: string }>();
  if (images.length === 0) return originals;
  const existing = await loadImages(writer, images);
  for (const image of images) {
    const { record, picture } = image;
    if (existing.matching(record, picture.hashes).length > 0) continue;
    const alike = await looks.find(picture.perceptualHash ?? '');
    const sizes = (await writer.imagesById(alike.map(({ id }) => id))).flatMap(({ id, document }) => {
      const { nsfw: rating, meta } = readDocument(document);
      const { width, height } = meta.dimens;
      const isOriginal = isThumbnailOf(
        { ...picture, rating: statedRating(record) },
        { width, height, rating },
      );
      return isOriginal ? { id, pixels: width * height } : [];
    });
    const [largest] = sizes.sort((a, b) => b.pixels - a.pixels || (a.id < b.id ? -1 : 1));
    const original = alike.find(({ id }) => id === largest?.id);
    if (original) originals.set(image, original);
  }
  return originals;
}

// Moves images whose files are gone from the folders of an import to the trash. They may come back later as new images.

/** Removed together. */
const BATCH_SIZE = 1000;

/** An image that would be removed. */
export interface GoneImage {
  id: string;
  /** Where its file was. */
  path: string;
}

export interface PruneCandidates {
  gone: GoneImage[];
  /** Folders of theirs that seem to have no pictures. */
  emptyFolders: string[];
  /** Files and folders that cannot be read: any of the images may be there. */
  unreadable: string[];
}

export interface PruneOptions {
  folders: { path: string; identity: string }[];
  openFiles: () => Promise<SourceFileReader>;
  /** Whether an import leaves a file alone, so that it counts as gone. The folder is named by its identity. */
  isIgnored: (folder: string, path: string) => Promise<boolean>;
  /** Returns the images to remove. */
  confirm: (candidates: PruneCandidates) => Promise<GoneImage[]>;
  onRemoved: (count: number) => void;
}

export class Prune implements FileListener {
  readonly #options: PruneOptions;
  /** Files that are gone or have other bytes by now, by image. */
  readonly #gone = new Map<string, KnownFile[]>();
  /** The hashes of all pictures that were read: a moved one has another path, but the same bytes. */
  readonly #hashes = new Set<string>();
  /** Files that look like another version of an image by now, with the hashes of their bytes. */
  readonly #continued = new Map<KnownFile, string[]>();
  readonly #emptyFolders: Set<string>;
  /** Files that were not imported. */
  #skipped: FoundFile[] = [];
  readonly #unreadable: string[] = [];
  #isSettling = false;
  #confirmed: string[] = [];

  constructor(options: PruneOptions) {
    this.#options = options;
    this.#emptyFolders = new Set(options.folders.map(({ identity }) => identity));
  }

  /** Before the folders are read, so that a file that is moved meanwhile is found at one of its places. */
  async findMissing(): Promise<void> {
    const { folders, openFiles, isIgnored } = this.#options;
    await using files = await openFiles();
    for (const { path, identity: folder } of folders) {
      const listings = new Listings(path);
      const isPresent = async (path: string) => {
        try {
          const listed = await listings.find(path);
          return listed !== undefined && !(await isIgnored(folder, listed));
        } catch {
          // Because of the permissions or a broken disk, nobody can tell.
          return true;
        }
      };
      for await (const file of files.all(folder))
        if (file.state !== 'replaced' && (await isPresent(file.path))) this.#emptyFolders.delete(folder);
        else this.#add(file);
    }
  }

  noteRead(file: FoundFile, picture: Pick<FilePicture, 'hashes' | 'perceptualHash'>): void {
    const { folder, path, known, former } = file;
    const { hashes, perceptualHash } = picture;
    this.#emptyFolders.delete(folder);
    for (const hash of hashes) this.#hashes.add(hash);
    const own = former.filter((one) => one.folder === folder);
    const continued = own.find((one) => one.state === 'first' && looksLike({ path, perceptualHash }, one));
    if (continued) this.#continued.set(continued, hashes);
    else if (known && !hashes.includes(known.eTag)) this.#add(known);
  }

  /** A picture that was published and is private by now counts as gone. */
  noteHidden({ folder, known }: FoundFile): void {
    this.#emptyFolders.delete(folder);
    if (known) this.#add(known);
  }

  noteSkipped(file: FoundFile): void {
    if (file.readiness === 'settling') this.#isSettling = true;
    else this.#skipped.push(file);
  }

  /** Returns whether there are images to remove. */
  async confirm(): Promise<boolean> {
    // A picture that is being moved may be among the files that are still being written.
    if (this.#isSettling) return false;
    let gone = await this.#findUnprovided();
    if (gone.length > 0 && this.#skipped.length > 0) {
      await this.#readSkipped();
      gone = await this.#findUnprovided();
    }
    const origins = new Set(gone.flatMap(({ id }) => this.#gone.get(id) ?? []).map(({ folder }) => folder));
    const emptyFolders = [...this.#emptyFolders.intersection(origins)];
    const unreadable = this.#unreadable;
    this.#confirmed = (await this.#options.confirm({ gone, emptyFolders, unreadable })).map(({ id }) => id);
    return this.#confirmed.length > 0;
  }

  /** A picture that was moved next to a sidecar that cannot be read is not gone. */
  async #readSkipped(): Promise<void> {
    for (const { folder, path, isFolder } of this.#skipped) {
      const root = this.#options.folders.find(({ identity }) => identity === folder)?.path ?? folder;
      const hashes = isFolder ? undefined : await hashesOf(root, path);
      if (!hashes) this.#unreadable.push(join(folder, path));
      else if (hashes.length > 0) this.#emptyFolders.delete(folder);
      for (const hash of hashes ?? []) this.#hashes.add(hash);
    }
    this.#skipped = [];
  }

  /** After the records were saved. An image that got another file meanwhile stays. */
  async apply(writer: CatalogueWriter): Promise<void> {
    for (const ids of inBatches(this.#confirmed, BATCH_SIZE)) {
      await writer.sourceFiles.remove(ids.flatMap((id) => this.#gone.get(id) ?? []));
      const provided = await writer.sourceFiles.provided(ids);
      const removed = await writer.trashImages(ids.filter((id) => !provided.has(id)));
      this.#options.onRemoved(removed.length);
    }
  }

  /** Those that no file provides any more, in this or in another folder. */
  async #findUnprovided(): Promise<GoneImage[]> {
    await using files = await this.#options.openFiles();
    const unprovided: GoneImage[] = [];
    const known = await files.knownBytes([...this.#continued.values()].flat());
    const continued = new Set<string>();
    // Bytes of another image are no version of this one.
    for (const [file, hashes] of this.#continued)
      if (hashes.some((hash) => known.has(hash))) this.#add(file);
      else continued.add(file.image);
    for (const [id, gone] of this.#gone) {
      const [{ eTag, folder, path }] = gone as [KnownFile];
      if (this.#hashes.has(eTag) || continued.has(id)) continue;
      const places = new Set(gone.map(placeOf));
      const others = (await files.ofImages([id])).filter(
        (file) => file.state !== 'replaced' && !places.has(placeOf(file)),
      );
      if (others.length === 0) unprovided.push({ id, path: join(folder, path) });
    }
    return unprovided;
  }

  #add(file: KnownFile): void {
    const files = this.#gone.get(file.image) ?? [];
    if (!files.some((other) => placeOf(other) === placeOf(file))) files.push(file);
    this.#gone.set(file.image, files);
  }
}

const placeOf = ({ folder, path }: KnownFile) => `${folder}\0${path}`;
