/**
 * An image's public JSON, written once at import. What changes from answer to answer is its link, so the stored text
 * has holes there, marked by line feeds, which JSON text never contains unescaped:
 *
 *     {"id":"…","url":"⏎<file name>⏎<key>⏎","artist":…,"meta":{…,"expires":"⏎","dimens":{…}}}
 *
 * An answer fills the holes (`linkable.ts`); nothing is parsed or serialised again. The file name is what our own links name, the key is
 * where the bytes are, which links to other storage name.
 */
import type { Document, Image, Kind, Mimetype, Orientation } from './types.ts';
import type { Entry } from './writer.ts';

export const HOLE = '\n';

/** Everything an image says of itself but its link. */
export type StoredImage = Omit<Image, 'url' | 'meta'> & { meta: Omit<Image['meta'], 'expires'> };

const extensions: Record<Mimetype, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};

export const extensionOf = (mimetype: Mimetype): string => extensions[mimetype];

/** The name an image's file has in links. */
export const fileName = (id: string, mimetype: Mimetype): string => `${id}.${extensionOf(mimetype)}`;

/** Categories and characters as the JSON that they are kept as: parsing it only to write it again would take longest. */
export function composeDocument(
  image: Omit<StoredImage, 'categories' | 'characters'>,
  key: string,
  categories: string[],
  characters: string[],
): Document {
  const { id, artist, source, nsfw, createdAt } = image;
  const { eTag, size, mimetype, color, dimens } = image.meta;
  const head = `{"id":"${id}","url":"${HOLE}${fileName(id, mimetype)}${HOLE}${key}${HOLE}",`;
  const about = JSON.stringify({ artist, source, nsfw }).slice(1, -1);
  const lists = `"categories":[${categories.join()}],"characters":[${characters.join()}]`;
  const meta = JSON.stringify({ eTag, size, mimetype, color, expires: '' }).slice(0, -2);
  return `${head}${about},${lists},"createdAt":"${createdAt}","meta":${meta}${HOLE}","dimens":${JSON.stringify(dimens)}}}`;
}

type Parts = [head: string, fileName: string, key: string, body: string, tail: string];

export function readDocument(document: Document): StoredImage {
  const [head, , , body, tail] = document.split(HOLE) as Parts;
  const { url, meta, ...image } = JSON.parse(head + body + tail) as Image;
  const { expires, ...stored } = meta;
  return { ...image, meta: stored };
}

/**
 * Where the lists of categories and characters stand in a document, which many images have in common: from `start` to
 * `middle`, and from there to `end`. No text inside of the JSON can look like what is searched for: its quotes would be
 * escaped.
 */
export function listsIn(document: Document): { start: number; middle: number; end: number } {
  const start = document.indexOf('"categories":[');
  return {
    start,
    middle: document.indexOf('],"characters":[', start),
    // A character's own list may be followed by its time of creation, too; the image's comes last.
    end: document.lastIndexOf('],"createdAt":"'),
  };
}

/** The document with a category or character, which it repeats, as it is now. */
export function repeatEntry(document: Document, entry: Entry): Document {
  const [, , key] = document.split(HOLE) as Parts;
  const image = readDocument(document);
  const texts = (entries: Named[], kind: Kind) =>
    entries
      .map((named) => {
        const isChanged = kind === entry.kind && named.id === entry.id;
        return isChanged ? entry : { ...named, document: JSON.stringify(named) };
      })
      .sort(byNameThenId)
      .map(({ document }) => document);
  return composeDocument(
    image,
    key,
    texts(image.categories, 'category'),
    texts(image.characters, 'character'),
  );
}

export function dimensions(width: number, height: number): StoredImage['meta']['dimens'] {
  const divisor = greatestCommonDivisor(width, height);
  const orientation: Orientation = width > height ? 'landscape' : width < height ? 'portrait' : 'square';
  return { width, height, aspectRatio: `${width / divisor}:${height / divisor}`, orientation };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

interface Named {
  id: string;
  name: string;
}

/** The order of artists, characters and categories: by code point, which is also how both stores compare text. */
export function byNameThenId(a: Named, b: Named): number {
  return compareCodePoints(a.name, b.name) || compareCodePoints(a.id, b.id);
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates stand for the highest code points, but are not the highest code units. */
function rank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}
