/**
 * An image document: the image's public JSON, serialised once at import. The link and its expiry differ in every response,
 * so the stored text has placeholders for them. They are delimited by line feeds, which serialised JSON never contains:
 *
 *     {"id":"…","url":"⏎<file name>⏎<key>⏎","artist":"…",…,"meta":{…,"expires":"⏎","dimens":{…}}}⏎<artist>⏎<details>⏎<previews>
 *
 * A response fills the placeholders (image-document.ts) without parsing or serialising anything. Links to this service
 * contain the file name; links to other storage contain the key under which the bytes are stored. The public JSON is
 * followed by what responses contain on request only (`include`): the JSON of the artist, the details, which are two parts
 * (catalogue/schemas.ts), and which thumbnails there are and whether it is an animation (below). The details, with their line
 * feeds, are missing if all are empty, and the previews until the picture has been read by a version that makes them: the
 * number of parts says which there are. The previews come last, where `findUnused` looks for them.
 */
import { type Named, sortByName } from '../names.ts';
import {
  type Artist,
  type DetailField,
  type Details,
  type Document,
  formatDetails,
  type Image,
  type Kind,
  type Mimetype,
  type Orientation,
  parseDetails,
} from '../schemas.ts';
import type { Texts } from '../search/words.ts';
import type { Entry } from '../writer.ts';

export const PLACEHOLDER = '\n';

/** An image without its link, which only a response has. */
export type StoredImage = Omit<Image, 'url' | 'artistDetails' | 'reportUrl' | 'meta' | DetailField> &
  Details & {
    meta: Omit<Image['meta'], 'expires' | 'thumbnails' | 'thumbHash' | 'animated'>;
  };

const extensions: Record<Mimetype, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};

export const extensionOf = (mimetype: Mimetype): string => extensions[mimetype];

/** The file name in links to this service. */
export const fileName = (id: string, mimetype: Mimetype): string => `${id}.${extensionOf(mimetype)}`;

/** Entries are passed as serialised JSON: parsing and serialising them again would dominate the cost. */
export function composeDocument(
  image: Omit<StoredImage, 'categories' | 'characters'>,
  key: string,
  artistDetails: string,
  categories: string[],
  characters: string[],
  previews?: string,
): Document {
  const { id, artist, source, nsfw, createdAt } = image;
  const { eTag, size, mimetype, color, dimens } = image.meta;
  const head = `{"id":"${id}","url":"${PLACEHOLDER}${fileName(id, mimetype)}${PLACEHOLDER}${key}${PLACEHOLDER}",`;
  const details = JSON.stringify({ artist, source, nsfw }).slice(1, -1);
  const lists = `"categories":[${categories.join()}],"characters":[${characters.join()}]`;
  const meta = JSON.stringify({ eTag, size, mimetype, color, expires: '' }).slice(0, -2);
  const tail = `","dimens":${JSON.stringify(dimens)}}}`;
  const json = `${head}${details},${lists},"createdAt":"${createdAt}","meta":${meta}${PLACEHOLDER}${tail}`;
  return joinParts([json, artistDetails], formatDetails(image), previews);
}

function joinParts(start: string[], details: string[], previews: string | undefined): Document {
  return [...start, ...details, ...(previews === undefined ? [] : [previews])].join(PLACEHOLDER);
}

/** The parts behind the artist. */
export function splitEnd(parts: string[]): { details: string[]; previews: string | undefined } {
  const count = parts.length < 2 ? 0 : 2;
  const previews = parts.length === count ? undefined : parts.slice(count).join(PLACEHOLDER);
  return { details: parts.slice(0, count), previews };
}

/** What the line feeds of a document separate. */
interface StoredDocument {
  /** The public JSON, with nothing in place of the link and its expiry. */
  json: string;
  fileName: string;
  key: string;
  /** JSON. */
  artist: string;
  /** The parts of `formatDetails`. */
  details: string[];
  /** Undefined until the picture has been read by a version that makes thumbnails. */
  previews: string | undefined;
}

export function parseStored(document: Document): StoredDocument {
  const [head, fileName, key, body, tail, artist, ...rest] = document.split(PLACEHOLDER) as [
    ...[head: string, fileName: string, key: string, body: string, tail: string, artist: string],
    ...rest: string[],
  ];
  return { json: head + body + tail, fileName, key, artist, ...splitEnd(rest) };
}

export function readDocument(document: Document): StoredImage {
  return readStored(parseStored(document));
}

/** For those who need other parts of it, too. */
export function readStored({ json, details }: StoredDocument): StoredImage {
  // Field by field: leaving some out of a copy of the others takes longer than parsing.
  const image = JSON.parse(json) as Image;
  const { id, artist, source, nsfw, categories, characters, createdAt } = image;
  const { eTag, size, mimetype, color, dimens } = image.meta;
  const meta = { eTag, size, mimetype, color, dimens };
  return { id, artist, source, nsfw, categories, characters, createdAt, ...parseDetails(details), meta };
}

/** The texts that searches find an image by; none if the document is damaged, or if there is none. */
export function readTexts(document: Document = ''): Texts {
  try {
    const { title, description, alt } = parseDetails(splitEnd(document.split(PLACEHOLDER).slice(6)).details);
    return { title: [title], other: [description, alt] };
  } catch {
    return { title: [], other: [] };
  }
}

/**
 * The position of the category list (`start` to `middle`) and of the character list (`middle` to `end`) in a document.
 * Many images share these lists, so caches store them once. The searched keys cannot occur inside of a JSON string, where
 * their quotes would be escaped.
 */
export function locateLists(document: Document): { start: number; middle: number; end: number } {
  const start = document.indexOf('"categories":[');
  return {
    start,
    middle: document.indexOf('],"characters":[', start),
    // A character can contain the same text (a list followed by its own `createdAt`); the image's comes last.
    end: document.lastIndexOf('],"createdAt":"'),
  };
}

export function hasCategories(document: Document): boolean {
  const { start, middle } = locateLists(document);
  return middle > start + '"categories":['.length;
}

/** The documents without their lists, if these are the same: what compares documents need not parse them. */
export function withoutSameLists(one: Document, other: Document): [Document, Document] {
  const [of, ofOther] = [locateLists(one), locateLists(other)];
  if (one.slice(of.start, of.end) !== other.slice(ofOther.start, ofOther.end)) return [one, other];
  const cut = (document: Document, { start, end }: { start: number; end: number }) =>
    `${document.slice(0, start)}"categories":[],"characters":[${document.slice(end)}`;
  return [cut(one, of), cut(other, ofOther)];
}

/** Replaces an entry that the document contains with its current version. */
export function updateEntry(document: Document, entry: Entry): Document {
  const { key, artist, previews } = parseStored(document);
  if (entry.kind === 'artist') return replaceEnd(document, { artist: entry.document });
  const image = readDocument(document);
  const serialise = (entries: Named[], kind: Kind) =>
    sortByName(
      entries.map((named) => {
        const isChanged = kind === entry.kind && named.id === entry.id;
        return isChanged ? entry : { ...named, document: JSON.stringify(named) };
      }),
    ).map(({ document }) => document);
  return composeDocument(
    image,
    key,
    artist,
    serialise(image.categories, 'category'),
    serialise(image.characters, 'character'),
    previews,
  );
}

export function replacePreviews(document: Document, previews: string): Document {
  return replaceEnd(document, { previews });
}

/** Replaces parts of what follows the public JSON, which ends after the fourth line feed. */
function replaceEnd(
  document: Document,
  changed: Partial<Pick<StoredDocument, 'artist' | 'previews'>>,
): Document {
  const { artist, details, previews } = { ...parseStored(document), ...changed };
  return joinParts([...document.split(PLACEHOLDER, 5), artist], details, previews);
}

export function dimensions(width: number, height: number): StoredImage['meta']['dimens'] {
  const divisor = greatestCommonDivisor(width, height);
  const orientation: Orientation = width > height ? 'landscape' : width < height ? 'portrait' : 'square';
  return { width, height, aspectRatio: `${width / divisor}:${height / divisor}`, orientation };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

// Thumbnails: which there are, and where. A thumbnail's size is the length of its longest side in pixels. Its key follows
// from the key of the original, so the document records the sizes only, together with the ThumbHash and whether the image is
// an animation: `480,960 <base64> 1`. Versions up to 0.3 did not record the latter.

/** What the document of an image records about its thumbnails. */
export interface Previews {
  /** Smallest first. */
  sizes: number[];
  /** A tiny preview (https://evanw.github.io/thumbhash/), in base64. */
  thumbHash: string;
  /** Undefined if it is not known. */
  isAnimated?: boolean;
}

interface Dimensions {
  width: number;
  height: number;
}

export const THUMBNAIL_TYPE: Mimetype = 'image/webp';
/** Recorded previews are never longer: at most eight sizes, a ThumbHash and a digit. */
export const MAX_PREVIEWS_LENGTH = 128;

const previewsPattern = /^([1-9]\d{0,5}(?:,[1-9]\d{0,5}){0,7})? ([0-9A-Za-z+/]{4,56}={0,2})(?: ([01]))?$/;
const keyPattern = /^thumbnails\/([1-9]\d{0,5})\/(.+)\.webp$/s;

export const thumbnailKey = (key: string, size: number): string => `thumbnails/${size}/${key}.webp`;

/** The key of the original, if this is the key of a thumbnail. */
export const originalKey = (key: string): string | undefined => keyPattern.exec(key)?.[2];

/** The file name in links to this service. */
export const thumbnailFileName = (id: string, size: number): string => `${id}-${size}.webp`;

/** The sizes to make: those of the thumbnailSizes that are smaller than the original, and at least one still of an animation. */
export function chooseSizes(
  thumbnailSizes: readonly number[],
  { width, height }: Dimensions,
  isAnimated: boolean,
): number[] {
  const longest = Math.max(width, height);
  const smaller = thumbnailSizes.filter((size) => size < longest);
  const needsStill = isAnimated && smaller.length === 0 && thumbnailSizes.length > 0;
  return needsStill ? [longest] : smaller;
}

/** Whether nothing has to be made, removed or found out. */
export function isUpToDate(
  previews: Previews | undefined,
  thumbnailSizes: readonly number[],
  { dimens, mimetype }: { dimens: Dimensions; mimetype: Mimetype },
): boolean {
  const isAnimated = previews?.isAnimated ?? (mimetype === 'image/jpeg' ? false : undefined);
  if (previews === undefined || isAnimated === undefined) return false;
  return chooseSizes(thumbnailSizes, dimens, isAnimated).join() === previews.sizes.join();
}

export function thumbnailDimensions({ width, height }: Dimensions, size: number): Dimensions {
  const scale = (side: number) => Math.max(1, Math.round((side * size) / Math.max(width, height)));
  return { width: scale(width), height: scale(height) };
}

export function formatPreviews({ sizes, thumbHash, isAnimated }: Previews): string {
  return `${sizes.join()} ${thumbHash}${isAnimated === undefined ? '' : ` ${Number(isAnimated)}`}`;
}

/** Undefined if the text is something else. */
export function parsePreviews(text: string): Previews | undefined {
  const [, sizes = '', thumbHash, animated] = previewsPattern.exec(text) ?? [];
  if (thumbHash === undefined) return undefined;
  const previews = { sizes: sizes === '' ? [] : sizes.split(',').map(Number), thumbHash };
  return animated === undefined ? previews : { ...previews, isAnimated: animated === '1' };
}

export function readPreviews(document: Document): Previews | undefined {
  return parsePreviews(parseStored(document).previews ?? '');
}

/** The keys of all files of an image. */
export function fileKeys({ key, document }: { key: string; document: Document }): string[] {
  return [key, ...(readPreviews(document)?.sizes ?? []).map((size) => thumbnailKey(key, size))];
}

/** The keys of images that may use the files. */
export function possibleOriginals(keys: string[]): string[] {
  return [...new Set(keys.flatMap((key) => [key, originalKey(key) ?? []].flat()))];
}

/** Those of the keys that no image uses. `images` are those with a possible original, and the ends of their documents. */
export function findUnused(keys: string[], images: Iterable<{ key: string; tail: string }>): string[] {
  const used = new Set<string>();
  for (const { key, tail } of images) {
    used.add(key);
    const previews = parsePreviews(tail.slice(tail.lastIndexOf('\n') + 1));
    for (const size of previews?.sizes ?? []) used.add(thumbnailKey(key, size));
  }
  return keys.filter((key) => !used.has(key));
}

// The artist of all images whose artist is unknown. It is an entry like any other, made when the first of these images is
// saved, so that every image has an artist.

export const UNKNOWN_ARTIST: Artist = {
  // Version 5: "zukan:artist:Unknown" in the namespace of URLs.
  id: 'b5657ad2-a33e-52b7-ae74-d238673dfd08',
  name: 'Unknown',
  url: '',
};

export function unknownArtistEntry(createdAt: string): Entry {
  const { id, name } = UNKNOWN_ARTIST;
  return { kind: 'artist', id, name, createdAt, document: JSON.stringify(UNKNOWN_ARTIST) };
}
