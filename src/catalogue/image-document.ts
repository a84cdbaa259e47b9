/** An image document that a response fills with a link. */
import { PLACEHOLDER } from './document.ts';
import {
  type Previews,
  parsePreviews,
  THUMBNAIL_TYPE,
  thumbnailDimensions,
  thumbnailFileName,
  thumbnailKey,
} from './thumbnails.ts';
import type { Document, Include } from './types.ts';

/** A link to an image's bytes. */
export interface Link {
  /** ASCII only. */
  url: string;
  /** ISO 8601 */
  expires: string;
}

/** Creates the link to one file. Depending on the storage, it contains the file name or the key of the bytes. */
export type SignLink = (fileName: string, key: string) => Link;

/** The positions of the line feeds of a document (see document.ts). */
export interface Placeholders {
  /** Before the file name. */
  fileName: number;
  /** Between the file name and the key. */
  key: number;
  /** After the key. */
  linkEnd: number;
  expires: number;
  /** After the public JSON. */
  end: number;
}

const ID_LENGTH = '00000000-0000-0000-0000-000000000000'.length;
/** The length of the text between the link and the end of the artist's id. */
const ARTIST_LENGTH = '","artist":"00000000-0000-0000-0000-000000000000"'.length;

export function locatePlaceholders(document: Document): Placeholders {
  // Splitting the text would take twice as long.
  const fileName = document.indexOf(PLACEHOLDER);
  const key = document.indexOf(PLACEHOLDER, fileName + 1);
  const linkEnd = document.indexOf(PLACEHOLDER, key + 1);
  const expires = document.indexOf(PLACEHOLDER, linkEnd + 1);
  return { fileName, key, linkEnd, expires, end: document.indexOf(PLACEHOLDER, expires + 1) };
}

/** What many images have in common, when it is stored apart from the document. The previews follow the JSON then. */
export interface SharedParts {
  /** The lists of categories and characters, and where to insert them. */
  lists: string;
  position: number;
  /** The JSON of the artist. */
  artist: string;
}

export class ImageDocument {
  /** UTF-8 bytes minus characters of the JSON, whatever its link, and without what `include` adds. */
  readonly extraBytes: number;
  readonly #document: Document;
  readonly #placeholders: Placeholders;
  readonly #shared: SharedParts | undefined;

  constructor(
    document: Document,
    shared?: SharedParts,
    placeholders = locatePlaceholders(document),
    extraBytes = extraBytesWithoutLink(document, placeholders),
  ) {
    this.#document = document;
    this.#placeholders = placeholders;
    this.#shared = shared;
    this.extraBytes = extraBytes;
  }

  link(signLink: SignLink): Link {
    const { fileName, key, linkEnd } = this.#placeholders;
    return signLink(this.#document.slice(fileName + 1, key), this.#document.slice(key + 1, linkEnd));
  }

  /** The link to the smallest thumbnail that is at least this wide, or else to the original. */
  linkOfWidth(minWidth: number, signLink: SignLink): Link {
    const wide = this.#thumbnails(signLink).find(({ width }) => width >= minWidth);
    return wide?.link ?? this.link(signLink);
  }

  /** The recorded thumbnails, or undefined if the image has never been examined for them. */
  previews(): Previews | undefined {
    return parsePreviews(this.#included().previews);
  }

  /** The image's public JSON, with the parts that `include` names. */
  withLink(signLink: SignLink, include?: readonly Include[]): string {
    const document = this.#document;
    const { fileName, linkEnd, expires: expiry, end } = this.#placeholders;
    const { url, expires } = this.link(signLink);
    let from = linkEnd + 1;
    let details = '';
    if (include?.includes('artist')) {
      details = `${document.slice(from, from + ARTIST_LENGTH)},"artistDetails":${this.#included().artist}`;
      from += ARTIST_LENGTH;
    }
    const shared = this.#shared;
    const body = shared
      ? document.slice(from, shared.position) + shared.lists + document.slice(shared.position, expiry)
      : document.slice(from, expiry);
    const start = document.slice(0, fileName) + url + details + body + expires;
    if (!include?.includes('thumbnails')) return start + document.slice(expiry + 1, end);
    // Before the ends of `meta` and of the image.
    return `${start}${document.slice(expiry + 1, end - 2)},${this.#thumbnailsJson(signLink)}}}`;
  }

  /** The parts of the public JSON that show the image: its id, its link, and the metadata of its file with thumbnails. */
  toCover(signLink: SignLink): string {
    const document = this.#document;
    const { fileName, expires: expiry, end } = this.#placeholders;
    const { url, expires } = this.link(signLink);
    const meta = document.slice(document.lastIndexOf('"meta":{', expiry), expiry);
    const dimens = document.slice(expiry + 1, end - 2);
    return `${document.slice(0, fileName)}${url}",${meta}${expires}${dimens},${this.#thumbnailsJson(signLink)}}}`;
  }

  #thumbnailsJson(signLink: SignLink): string {
    const thumbnails = this.#thumbnails(signLink).map(({ link: { url }, width, height }) => {
      return { url, width, height, mimetype: THUMBNAIL_TYPE };
    });
    const { thumbHash, isAnimated } = this.previews() ?? {};
    const { fileName, key } = this.#placeholders;
    // The only type of file that is never an animation.
    const isJpeg = this.#document.slice(fileName, key).endsWith('.jpg');
    const animated = isAnimated ?? (isJpeg ? false : undefined);
    return JSON.stringify({ thumbnails, thumbHash, animated }).slice(1, -1);
  }

  /** Smallest first. */
  #thumbnails(signLink: SignLink): { link: Link; width: number; height: number }[] {
    const { sizes = [] } = this.previews() ?? {};
    const { fileName, key, linkEnd, expires, end } = this.#placeholders;
    const id = this.#document.slice(fileName + 1, fileName + 1 + ID_LENGTH);
    const original = this.#document.slice(key + 1, linkEnd);
    const tail = this.#document.slice(expires, end);
    const [, width, height] = /"dimens":\{"width":(\d+),"height":(\d+)/.exec(tail) ?? [];
    const dimens = { width: Number(width), height: Number(height) };
    return sizes.map((size) => ({
      link: signLink(thumbnailFileName(id, size), thumbnailKey(original, size)),
      ...thumbnailDimensions(dimens, size),
    }));
  }

  /** The parts behind the public JSON. */
  #included(): { artist: string; previews: string } {
    const rest = this.#document.slice(this.#placeholders.end + 1);
    if (this.#shared) return { artist: this.#shared.artist, previews: rest };
    const [artist = '', previews = ''] = rest.split(PLACEHOLDER);
    return { artist, previews };
  }
}

/** Leaves out the file name and the key, which a link replaces. Links are ASCII. */
function extraBytesWithoutLink(document: Document, { fileName, linkEnd, end }: Placeholders): number {
  const extraBytes = extraBytesOf(document.slice(0, end));
  return extraBytes === 0 ? 0 : extraBytes - extraBytesOf(document.slice(fileName, linkEnd));
}

/** UTF-8 bytes minus UTF-16 code units: what to add to a string's length to get its size in bytes. */
export function extraBytesOf(text: string): number {
  return Buffer.byteLength(text) - text.length;
}

/** Removes the aspect ratio from an image's JSON: the list of an artist's images does not contain it. */
export function withoutAspectRatio(json: string): string {
  const dimens = json.lastIndexOf('"dimens":');
  return json.slice(0, dimens) + json.slice(dimens).replace(/"aspectRatio":"\d+:\d+",/, '');
}
