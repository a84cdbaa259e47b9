/** An image document that a response fills with a link, as text of one byte per character. */
import { type ByteString, fromByteString, toByteString } from '../../lib/byte-string.ts';
import { hasRights, readArtistRights, rightsOf, withoutRights } from '../rights.ts';
import {
  type Document,
  EMPTY_DETAILS_JSON,
  type Image,
  type Include,
  parseOthers,
  type Rating,
} from '../schemas.ts';
import {
  PLACEHOLDER,
  type Previews,
  parsePreviews,
  splitEnd,
  THUMBNAIL_TYPE,
  thumbnailDimensions,
  thumbnailFileName,
  thumbnailKey,
} from './document.ts';

/** A link to an image's bytes. */
export interface Link {
  /** ASCII only. */
  url: string;
  /** ISO 8601 */
  expires: string;
}

/** A file to link to. */
export interface LinkedFile {
  /** In links to this service. */
  readonly fileName: string;
  /** Under which other storage has the bytes. */
  readonly key: string;
  /** Of the original, if it is known. A method, because most links do without it. */
  eTag?(): string;
  /** If they are known: the number of the image, which belongs to the same file name until the revision changes. */
  readonly number?: number | undefined;
  readonly revision?: number | undefined;
}

export type SignLink = (file: LinkedFile) => Link;

/** What the details of all images have in common. */
export interface SiteDetails {
  /** With `{id}`, in ASCII. */
  readonly reportUrl?: string | undefined;
  /** Of images that neither state one nor have an artist who does. */
  readonly licence?: string | undefined;
}

const NO_SITE: SiteDetails = {};

/** For reading an image without sending it. */
export const withoutLink: SignLink = () => ({ url: '', expires: '' });

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

export const ID_LENGTH = '00000000-0000-0000-0000-000000000000'.length;
/** The length of the text between the link and the end of the artist's id. */
const ARTIST_LENGTH = '","artist":"00000000-0000-0000-0000-000000000000"'.length;

export function locatePlaceholders(document: ByteString): Placeholders {
  // Splitting the text would take twice as long.
  const fileName = document.indexOf(PLACEHOLDER);
  const key = document.indexOf(PLACEHOLDER, fileName + 1);
  const linkEnd = document.indexOf(PLACEHOLDER, key + 1);
  const expires = document.indexOf(PLACEHOLDER, linkEnd + 1);
  return { fileName, key, linkEnd, expires, end: document.indexOf(PLACEHOLDER, expires + 1) };
}

/** What many images have in common, when it is stored apart from the document. The details or previews follow the JSON then. */
interface SharedParts {
  /** The lists of categories and characters, and where to insert them. */
  lists: ByteString;
  position: number;
  /** The JSON of the artist. */
  artist: ByteString;
}

/** Of a file: its key, and what the public JSON says about it. */
export type FileFacts = { key: string } & Pick<Image['meta'], 'eTag' | 'mimetype'>;

export class ImageDocument implements LinkedFile {
  readonly number: number | undefined;
  readonly revision: number | undefined;
  readonly #document: ByteString;
  readonly #placeholders: Placeholders;
  readonly #shared: SharedParts | undefined;
  /** Found once: all thumbnails have it in their links. */
  #eTag: string | undefined;

  /** With `located`, the document is a byte string already. */
  constructor(
    document: Document | ByteString,
    shared?: SharedParts,
    located?: Placeholders,
    number?: number,
    revision?: number,
  ) {
    this.number = number;
    this.revision = revision;
    this.#document = located ? document : toByteString(document);
    this.#placeholders = located ?? locatePlaceholders(this.#document);
    this.#shared = shared;
  }

  get fileName(): string {
    const { fileName, key } = this.#placeholders;
    return this.#document.slice(fileName + 1, key);
  }

  /** Of all that a response may contain of it, in bytes. */
  get size(): number {
    return (
      this.#document.length + (this.#shared ? this.#shared.lists.length + this.#shared.artist.length : 0)
    );
  }

  get rating(): Rating {
    // No text between the key and the rating can contain this: its quotation marks are escaped.
    const start = this.#document.indexOf('"nsfw":"', this.#placeholders.linkEnd) + '"nsfw":"'.length;
    return this.#document.slice(start, this.#document.indexOf('"', start)) as Rating;
  }

  get key(): string {
    const { key, linkEnd } = this.#placeholders;
    return fromByteString(this.#document.slice(key + 1, linkEnd));
  }

  eTag(): string {
    if (this.#eTag === undefined) {
      const start = this.#meta + '{"eTag":'.length;
      this.#eTag = JSON.parse(this.#document.slice(start, this.#document.indexOf(',', start))) as string;
    }
    return this.#eTag;
  }

  /** What is needed to send the file. */
  facts(): FileFacts {
    const { expires } = this.#placeholders;
    return { key: this.key, ...JSON.parse(`${this.#document.slice(this.#meta, expires)}"}`) };
  }

  /** Where the metadata of the file begin. */
  get #meta(): number {
    return this.#document.lastIndexOf('"meta":{', this.#placeholders.expires) + '"meta":'.length;
  }

  /** Empty if it has none. */
  title(): string {
    return JSON.parse(fromByteString(this.#included().details)).title;
  }

  get id(): string {
    return this.fileName.slice(0, ID_LENGTH);
  }

  /** The link to the smallest thumbnail that is at least this wide, or else to the original. */
  linkOfWidth(minWidth: number, signLink: SignLink): Link {
    const wide = this.#thumbnails(signLink).find(({ width }) => width >= minWidth);
    return wide?.link ?? signLink(this);
  }

  /** The thumbnail of this size, if it is recorded, or without a size the original. */
  fileOf(size: number | undefined): LinkedFile | undefined {
    if (size === undefined) return this;
    return this.previews()?.sizes.includes(size) ? this.#thumbnail(size) : undefined;
  }

  #thumbnail(size: number, key = this.key): LinkedFile {
    return {
      fileName: thumbnailFileName(this.id, size),
      key: thumbnailKey(key, size),
      eTag: () => this.eTag(),
    };
  }

  /** The recorded thumbnails, or undefined if the image has never been examined for them. */
  previews(): Previews | undefined {
    return parsePreviews(this.#included().previews);
  }

  /** The image's public JSON, with the parts that `include` names. */
  withLink(signLink: SignLink, include?: readonly Include[], site = NO_SITE): ByteString {
    const document = this.#document;
    const { fileName, linkEnd, expires: expiry, end } = this.#placeholders;
    const { url, expires } = signLink(this);
    let from = linkEnd + 1;
    let added = '';
    const withArtist = include?.includes('artist');
    const withDetails = include?.includes('details');
    if (withArtist || withDetails) {
      const { artist, details, others } = this.#included();
      added = document.slice(from, from + ARTIST_LENGTH);
      if (withArtist) added += `,"artistDetails":${withoutRights(artist)}`;
      if (withDetails)
        added += `,${details.slice(1, -1)},${rightsJson(others, artist, site)}${this.#reportJson(site)}`;
      from += ARTIST_LENGTH;
    }
    const shared = this.#shared;
    const body = shared
      ? document.slice(from, shared.position) + shared.lists + document.slice(shared.position, expiry)
      : document.slice(from, expiry);
    const start = document.slice(0, fileName) + url + added + body + expires;
    if (!include?.includes('thumbnails')) return start + document.slice(expiry + 1, end);
    // Before the ends of `meta` and of the image.
    return `${start}${document.slice(expiry + 1, end - 2)},${this.#thumbnailsJson(signLink)}}}`;
  }

  /** The same, parsed. */
  toImage(signLink: SignLink, include?: readonly Include[], site?: SiteDetails): Image {
    return JSON.parse(fromByteString(this.withLink(signLink, include, site)));
  }

  /** The parts of the public JSON that show the image: its id, its link, and the metadata of its file with thumbnails. */
  toCover(signLink: SignLink): ByteString {
    const document = this.#document;
    const { fileName, expires: expiry, end } = this.#placeholders;
    const { url, expires } = signLink(this);
    const meta = document.slice(document.lastIndexOf('"meta":{', expiry), expiry);
    const dimens = document.slice(expiry + 1, end - 2);
    return `${document.slice(0, fileName)}${url}",${meta}${expires}${dimens},${this.#thumbnailsJson(signLink)}}}`;
  }

  #reportJson({ reportUrl }: SiteDetails): string {
    if (!reportUrl) return '';
    return `,"reportUrl":${JSON.stringify(reportUrl.replaceAll('{id}', this.id))}`;
  }

  #thumbnailsJson(signLink: SignLink): string {
    const previews = this.previews();
    const thumbnails = this.#thumbnails(signLink, previews).map(({ link: { url }, width, height }) => {
      return { url, width, height, mimetype: THUMBNAIL_TYPE };
    });
    const { thumbHash, isAnimated } = previews ?? {};
    // The only type of file that is never an animation.
    const isJpeg = this.fileName.endsWith('.jpg');
    const animated = isAnimated ?? (isJpeg ? false : undefined);
    return JSON.stringify({ thumbnails, thumbHash, animated }).slice(1, -1);
  }

  /** Smallest first. */
  #thumbnails(
    signLink: SignLink,
    previews = this.previews(),
  ): { link: Link; width: number; height: number }[] {
    const { sizes = [] } = previews ?? {};
    const { expires, end } = this.#placeholders;
    const { key } = this;
    const tail = this.#document.slice(expires, end);
    const [, width, height] = /"dimens":\{"width":(\d+),"height":(\d+)/.exec(tail) ?? [];
    const dimens = { width: Number(width), height: Number(height) };
    return sizes.map((size) => ({
      link: signLink(this.#thumbnail(size, key)),
      ...thumbnailDimensions(dimens, size),
    }));
  }

  /** The parts behind the public JSON. */
  #included(): { artist: ByteString; details: ByteString; others: ByteString; previews: string } {
    const { end } = this.#placeholders;
    const parts = this.#document.slice(end).split(PLACEHOLDER).slice(1);
    const artist = this.#shared?.artist ?? parts.shift() ?? '';
    const { details, previews = '' } = splitEnd(parts);
    return { artist, details: details[0] ?? EMPTY_DETAILS_JSON, others: details[1] ?? '""', previews };
  }
}

/** The rights of images that state none, and whose artist states none: those of most images. */
const siteRights = new WeakMap<SiteDetails, ByteString>();

/** The licence, the credit and the alternative text in a response. */
function rightsJson(others: ByteString, artist: ByteString, site: SiteDetails): ByteString {
  const isStated = others.startsWith('{') || hasRights(artist);
  const known = isStated ? undefined : siteRights.get(site);
  if (known !== undefined) return known;
  const own = parseOthers(fromByteString(others));
  const rights = rightsOf(own, readArtistRights(fromByteString(artist)), site.licence);
  const json = toByteString(JSON.stringify(rights)).slice(1, -1);
  if (!isStated) siteRights.set(site, json);
  return json;
}

/** Removes the aspect ratio from an image's JSON: the list of an artist's images does not contain it. */
export function withoutAspectRatio(json: ByteString): ByteString {
  const dimens = json.lastIndexOf('"dimens":');
  return json.slice(0, dimens) + json.slice(dimens).replace(/"aspectRatio":"\d+:\d+",/, '');
}
