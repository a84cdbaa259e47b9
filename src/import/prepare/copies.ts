/**
 * The pictures of folders, by their bytes. Of several copies one counts: one that was imported before and did not change, or
 * else the first one in the order of the command line and then of paths. One that has the name of a thumbnail counts only if
 * all of them have.
 */

import type { KnownFile, SourceFile } from '../../catalogue/records.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { ImportListener } from '../listener.ts';
import type { Picture } from '../plan/image.ts';
import { isNamedThumbnail } from '../plan/thumbnail.ts';
import type { RecordLocation } from '../records/problems.ts';
import { type ImageLine, type Mention, mentionedNames, statedRating } from '../records/record.ts';
import { strictest } from '../sidecar/rating.ts';

/** `hasLocation` is whether the picture has, or had, a location. */
export type ImageWithPicture = Located<ImageLine> & { picture: Picture & { hasLocation: boolean } };

export type Located<T> = RecordLocation & { record: T };

export interface CountedCopy {
  label: string;
  /** The id of its image, when it is known. */
  image?: string;
  /** What the files with the same bytes are to this image. */
  state?: SourceFile['state'];
  isThumbnail: boolean;
}

export class PictureCopies {
  readonly #byHash = new Map<string, CountedCopy>();
  /** Of all pictures that were read. */
  readonly #hashes = new Set<string>();
  /** The strictest rating of all copies, if it is not sfw. */
  readonly #ratings = new Map<string, Rating>();
  /** The artists and characters of all copies. */
  readonly #names = new Map<string, Map<string, Mention>>();
  readonly #report: ImportListener;

  constructor(report: ImportListener) {
    this.#report = report;
  }

  /**
   * Returns false if the file has to be read: it was a copy, and the file that counted is gone, has changed, or comes later.
   * The rating of a copy counts too, so a copy is left out only together with the file that counts.
   */
  addUnchanged({ label }: RecordLocation, { eTag, image, path, state }: KnownFile): boolean {
    const first = this.#byHash.get(eTag);
    if (!first && state !== 'first') return false;
    if (first) {
      if (state === 'thumbnail') this.#report.thumbnail(label, first.label);
      else this.#report.duplicate(label, first.label);
    } else {
      this.#byHash.set(eTag, { label, image, isThumbnail: isNamedThumbnail(path) });
      this.#report.unchangedFile(path);
    }
    return true;
  }

  /** The picture with the same bytes that counts, or undefined if it is this one. */
  add({ picture: { hashes }, label, record }: ImageWithPicture): CountedCopy | undefined {
    const first = hashes.map((hash) => this.#byHash.get(hash)).find((found) => found !== undefined);
    const isThumbnail = isNamedThumbnail(record.file ?? '');
    // An original that was added later takes the place of a thumbnail with the same bytes.
    const isCopy = first !== undefined && (isThumbnail || !first.isThumbnail);
    if (isCopy) this.#report.duplicate(label, first.label);
    else for (const hash of hashes) this.#byHash.set(hash, { label, isThumbnail });
    return isCopy ? first : undefined;
  }

  /** All pictures are noted before the first one is saved. */
  note(hashes: string[], record: ImageLine): void {
    const rating = statedRating(record);
    const names = mentionedNames(record).filter(([kind]) => kind !== 'category');
    for (const hash of hashes) {
      this.#hashes.add(hash);
      if (rating !== undefined && rating !== 'sfw')
        this.#ratings.set(hash, strictest(this.#ratings.get(hash), rating) as Rating);
      if (names.length === 0) continue;
      const known = this.#names.get(hash) ?? new Map<string, Mention>();
      for (const mention of names) known.set(mention.join(' '), mention);
      this.#names.set(hash, known);
    }
  }

  /** Whether a file has these bytes. Known when all of them are noted. */
  has(hash: string): boolean {
    return this.#byHash.has(hash) || this.#hashes.has(hash);
  }

  /** With the strictest rating of all copies, and the artists and characters that they name. They give no other details. */
  withOthers<T extends ImageWithPicture>(image: T): T & { copyNames: Mention[] } {
    const { record, picture } = image;
    const copyNames = picture.hashes.flatMap((hash) => [...(this.#names.get(hash)?.values() ?? [])]);
    const rating = picture.hashes.map((hash) => this.#ratings.get(hash)).reduce(strictest, undefined);
    const strict = strictest(statedRating(record), rating);
    if (!strict || strict === statedRating(record)) return { ...image, copyNames };
    const rated = record.openFields?.includes('nsfw') ? { atLeast: strict } : { nsfw: strict };
    return { ...image, record: { ...record, ...rated }, copyNames };
  }

  /** Notes the image of a picture that counts. */
  setImage(
    { picture: { hashes } }: ImageWithPicture,
    image: string,
    state: SourceFile['state'] = 'copy',
  ): void {
    for (const hash of hashes) {
      const first = this.#byHash.get(hash);
      if (first) Object.assign(first, { image, state });
    }
  }
}
