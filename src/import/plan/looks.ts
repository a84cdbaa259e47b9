/** What the looks of pictures decide: near-duplicates, other versions of an image, and thumbnails that are not imported. */
import { sep } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { readDocument } from '../../catalogue/documents/document.ts';
import { isFileChanged, parseEdited } from '../../catalogue/documents/edit-image.ts';
import type { Rating } from '../../catalogue/schemas.ts';
import {
  distanceBetween,
  HashIndex,
  MAX_COPY_DISTANCE,
  MAX_SIMILAR_DISTANCE,
  Nearest,
  parseHash,
} from '../../catalogue/sets/look-alikes.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import { PictureError } from '../../media/metadata/part.ts';
import { readPicture } from '../../media/picture.ts';
import type { FormerRating } from '../records/record.ts';
import { isStricter, strictest } from '../sidecar/rating.ts';

// Finds pictures of an import that look like pictures of the catalogue, or like earlier ones of the same import.

const HASHES_PER_TICK = 10_000;
/** An original is among the nearest ones. */
export const MAX_FOUND = 10;

interface NearDuplicate {
  label: string;
  rating: Rating;
  /** The label of the other picture, or the id of its image. */
  other: string;
  otherRating: Rating;
}

/** What an import needs to know about the looks of pictures. */
export type Looks = Pick<NearDuplicates, 'add' | 'find'>;

/** For imports of pictures that nobody compares. */
export const noLooks: Looks = { add: async () => {}, find: async () => [] };

export class NearDuplicates {
  readonly #openSnapshot: () => Promise<CatalogueSnapshot>;
  readonly #maxListed: number;
  readonly #listed: { label: string; rating: Rating; position: number }[] = [];
  #count = 0;
  /** The pictures of the catalogue, followed by the new ones. Loaded when the first new one is added. */
  #index: HashIndex | undefined;
  #firstNew = 0;
  readonly #new: { label: string; id: string; rating: Rating }[] = [];

  constructor(openSnapshot: () => Promise<CatalogueSnapshot>, maxListed: number) {
    this.#openSnapshot = openSnapshot;
    this.#maxListed = maxListed;
  }

  /** How many were found, listed or not. */
  get count(): number {
    return this.#count;
  }

  /** A picture was added as the image with this id. */
  async add(label: string, id: string, perceptualHash: string, rating: Rating): Promise<void> {
    const hash = parseHash(perceptualHash);
    if (!hash) return;
    const index = await this.#load();
    const [position] = findCopies(index, hash, 1);
    if (position !== undefined) {
      this.#count++;
      if (this.#listed.length < this.#maxListed) this.#listed.push({ label, rating, position });
    }
    // New pictures are found by their position, so their number does not matter.
    index.add(0, perceptualHash);
    this.#new.push({ label, id, rating });
  }

  /** The images that a picture looks like, the nearest first. */
  async find(perceptualHash: string): Promise<{ id: string; label: string }[]> {
    const hash = parseHash(perceptualHash);
    if (!hash) return [];
    const index = await this.#load();
    const found = findCopies(index, hash, MAX_FOUND);
    const existing = found.filter((position) => position < this.#firstNew);
    const images = await this.#findImages(existing.map((position) => index.imageAt(position)));
    return found.flatMap(
      (position) => this.#new[position - this.#firstNew] ?? images.get(index.imageAt(position)) ?? [],
    );
  }

  /** The first of those that were found. Images that are gone by now are left out. */
  async list(): Promise<NearDuplicate[]> {
    const index = this.#index;
    if (!index || this.#listed.length === 0) return [];
    const existing = this.#listed.filter(({ position }) => position < this.#firstNew);
    const images = await this.#findImages(existing.map(({ position }) => index.imageAt(position)));
    return this.#listed.flatMap(({ label, rating, position }) => {
      const other = this.#new[position - this.#firstNew] ?? images.get(index.imageAt(position));
      return other ? { label, rating, other: other.label, otherRating: other.rating } : [];
    });
  }

  async #findImages(numbers: number[]): Promise<Map<number, { id: string; label: string; rating: Rating }>> {
    if (numbers.length === 0) return new Map();
    await using snapshot = await this.#openSnapshot();
    const rows = await snapshot.imagesByNumber(numbers);
    return new Map(
      rows.map(({ number, id, document }) => [
        number,
        { id, label: `image ${id}`, rating: readDocument(document).nsfw },
      ]),
    );
  }

  async #load(): Promise<HashIndex> {
    if (this.#index) return this.#index;
    await using snapshot = await this.#openSnapshot();
    this.#index = await loadHashes(snapshot);
    this.#firstNew = this.#index.size;
    return this.#index;
  }
}

/** The positions of the nearest ones. */
export function findCopies(index: HashIndex, hash: Int32Array, limit: number): number[] {
  const nearest = new Nearest(limit);
  index.scan(hash, MAX_COPY_DISTANCE, 0, index.size, (position, distance) => nearest.add(position, distance));
  return nearest.positions();
}

/** Yields now and then: there may be a million. */
export async function loadHashes(snapshot: CatalogueSnapshot): Promise<HashIndex> {
  const index = new HashIndex();
  let count = 0;
  for await (const { image, hash } of snapshot.perceptualHashes()) {
    index.add(image, hash);
    if (++count % HASHES_PER_TICK === 0) await nextTick();
  }
  return index;
}

/**
 * The images that a picture looks like, the nearest first. None if it is one of them to the byte, or cannot be read: an
 * import says so.
 */
export async function findLookAlikes(
  bytes: Buffer,
  snapshot: CatalogueSnapshot,
  limit: number,
): Promise<SavedImage[]> {
  const read = await readPicture(bytes, []).catch(() => undefined);
  if (!read) return [];
  const found = await findByHash(read.facts.perceptualHash ?? '', snapshot, limit);
  return found.some(({ eTag }) => eTag === read.facts.hash) ? [] : found;
}

/** That look like a picture that somebody searches with. */
export const MAX_LIKE = 500;

/** What a picture that somebody searches with looks like. */
export async function hashPicture(bytes: Buffer): Promise<string> {
  const { facts } = await readPicture(bytes, []);
  if (!facts.perceptualHash) throw new PictureError('it has too little detail to compare it with others');
  return facts.perceptualHash;
}

/** The images that look like one with this hash, the nearest first. */
export async function findByHash(
  perceptualHash: string,
  snapshot: CatalogueSnapshot,
  limit: number,
): Promise<SavedImage[]> {
  const hash = parseHash(perceptualHash);
  if (!hash) return [];
  const index = await loadHashes(snapshot);
  const numbers = findCopies(index, hash, limit).map((position) => index.imageAt(position));
  const rows = new Map((await snapshot.imagesByNumber(numbers)).map((row) => [row.number, row]));
  return numbers.flatMap((number) => rows.get(number) ?? []);
}

// Whether the new bytes of a file are another version of an image, as after a crop or a conversion, and how strict the rating is that
// they get from what they replace. Pure.

interface FileLooks {
  path: string;
  perceptualHash: string | null;
}

/** A file at the same path may be cropped by a twentieth on each side; one of another type is a copy. */
export function looksLike(file: FileLooks, former: FileLooks): boolean {
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

interface Version {
  /** The id of the image that the file is another version of. */
  id: string | undefined;
  former: FormerRating | undefined;
}

/**
 * `stated` is the rating that the file itself, its sidecars and its folders state, and `trashed` are images that once had its
 * bytes. What a picture looks like decides about its identity only, and never makes its rating milder.
 */
export function planVersion(
  file: FileLooks,
  stated: Rating | undefined,
  formers: Former[],
  trashed: Pick<SavedImage, 'document' | 'edited'>[],
): Version {
  const continued = formers.find(
    ({ path, image, isReplaced }) =>
      isReplaced && looksLike(file, { path, perceptualHash: image.perceptualHash }),
  );
  // A picture that goes on as none of them takes the place of all of them: files of other types are formers only when they are gone.
  const replaced = formers.filter(
    ({ path, isReplaced }) => isReplaced || path === file.path || continued === undefined,
  );
  const images = [...replaced.map(({ image }) => image), ...trashed];
  const rating = images
    .map(({ document }) => readDocument(document).nsfw)
    .reduce<Rating | undefined>(strictest, undefined);
  if (rating === undefined) return { id: undefined, former: undefined };
  // Otherwise the next import would believe the milder statement.
  const isLowered = stated !== undefined && isStricter(rating, stated);
  const isMarked = isLowered || images.some(({ edited }) => isRated(edited));
  return { id: continued?.image.id, former: { rating: strictest(rating, stated) as Rating, isMarked } };
}

/** Whether somebody rated it by hand, also if its file changed since then. */
export function isRated(edited: string): boolean {
  return parseEdited(edited).includes('rating') || isFileChanged(edited);
}

// When a picture is only a thumbnail of another one, and not imported: it looks the same, it is much smaller, and its name or a
// folder of its says so. A picture that merely looks like another one is imported, because it may be somebody's work. Pure.

const folderNames = new Set([
  ...['thumb', 'thumbs', 'thumbnail', 'thumbnails', 'tn', 'preview', 'previews', 'cache', 'resized'],
]);
/** Such as `IMG_1_thumb.jpg`, `tn_1.jpg`, `SYNOPHOTO_THUMB_M.jpg`. */
const word = /(?:^|[^a-z])(?:thumb|thumbs|thumbnail|thumbnails|tn|preview)(?![a-z])/;
/** Such as `photo-150x150.jpg`. */
const size = /[-_ ]\d{2,4}x\d{2,4}$/;

/** Whether the name of a picture or of one of its folders says that it is a smaller version of another one. */
export function isNamedThumbnail(path: string): boolean {
  const names = path.toLowerCase().split(sep);
  const stem = (names.pop() as string).replace(/\.[^.]*$/, '');
  return (
    word.test(stem) || size.test(stem) || names.some((name) => folderNames.has(name.replace(/^\W+/, '')))
  );
}

interface Seen {
  width: number;
  height: number;
  rating: Rating;
}

/** Of a picture with such a name, and one that looks the same. */
export function isThumbnailOf(
  picture: Omit<Seen, 'rating'> & { rating?: Rating | undefined },
  other: Seen,
): boolean {
  const isMuchSmaller = 2 * picture.width * picture.height <= other.width * other.height;
  // Otherwise the other one would be published without what is known of this one.
  const isStricterRated = picture.rating !== undefined && isStricter(picture.rating, other.rating);
  return isMuchSmaller && !isStricterRated;
}
