/**
 * An image document: the image's public JSON, serialised once at import. The link and its expiry differ in every response,
 * so the stored text has placeholders for them. They are delimited by line feeds, which serialised JSON never contains:
 *
 *     {"id":"…","url":"⏎<file name>⏎<key>⏎","artist":"…",…,"meta":{…,"expires":"⏎","dimens":{…}}}⏎<artist>⏎<details>⏎<previews>
 *
 * A response fills the placeholders (image-document.ts) without parsing or serialising anything. Links to this service
 * contain the file name; links to other storage contain the key under which the bytes are stored. The public JSON is
 * followed by what responses contain on request only (`include`): the JSON of the artist, the details, which are two parts
 * (details.ts), and which thumbnails there are and whether it is an animation (thumbnails.ts). The details, with their line
 * feeds, are missing if all are empty, and the previews until the picture has been read by a version that makes them: the
 * number of parts says which there are. The previews come last, where `findUnused` looks for them.
 */

import { type Named, sortByName } from '../names.ts';
import type { Document, Image, Kind, Mimetype, Orientation } from '../types.ts';
import type { Entry } from '../writer.ts';
import { type DetailField, type Details, formatDetails, parseDetails } from './details.ts';

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
  const { url, meta, ...image } = JSON.parse(json) as Image;
  const { expires, ...stored } = meta;
  return { ...image, ...parseDetails(details), meta: stored };
}

/** The title; empty if the document is damaged. */
export function readTitle(document: Document): string {
  try {
    return parseDetails(splitEnd(document.split(PLACEHOLDER).slice(6)).details).title;
  } catch {
    return '';
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
