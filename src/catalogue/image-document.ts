/** An image's document on its way into answers, which put links into its holes. */
import { HOLE } from './document.ts';
import type { Document } from './types.ts';

/** A link to an image's bytes. */
export interface Link {
  /** ASCII only. */
  url: string;
  /** ISO 8601 */
  expires: string;
}

/** Makes the link of one image: from the name of its file in our own links, and from the key of its bytes. */
export type SignLink = (fileName: string, key: string) => Link;

/** Where the holes of a document are: before the file name, before the key, after it, and that of the expiry. */
export interface Holes {
  name: number;
  key: number;
  body: number;
  tail: number;
}

export function holesIn(document: Document): Holes {
  // By their places: splitting takes twice as long.
  const name = document.indexOf(HOLE);
  const key = document.indexOf(HOLE, name + 1);
  const body = document.indexOf(HOLE, key + 1);
  return { name, key, body, tail: document.lastIndexOf(HOLE) };
}

/** Lists of categories and characters that were taken out of a document at a place after its link. */
export interface Lists {
  text: string;
  place: number;
}

export class ImageDocument {
  readonly extraBytes: number;
  readonly #document: Document;
  readonly #holes: Holes;
  readonly #lists: Lists | undefined;

  constructor(
    document: Document,
    lists?: Lists,
    holes = holesIn(document),
    extraBytes = extraBytesWithout(document, holes, lists),
  ) {
    this.#document = document;
    this.#holes = holes;
    this.#lists = lists;
    this.extraBytes = extraBytes;
  }

  withLink(signLink: SignLink): string {
    const document = this.#document;
    const { name, key, body, tail } = this.#holes;
    const { url, expires } = signLink(document.slice(name + 1, key), document.slice(key + 1, body));
    const lists = this.#lists;
    const between = lists
      ? document.slice(body + 1, lists.place) + lists.text + document.slice(lists.place, tail)
      : document.slice(body + 1, tail);
    return document.slice(0, name) + url + between + expires + document.slice(tail + 1);
  }
}

/** The surplus of a document with its lists, without what stands in the hole of its link. */
function extraBytesWithout(document: Document, { name, body }: Holes, lists: Lists | undefined): number {
  const extraBytes = extraBytesOf(document) + (lists ? extraBytesOf(lists.text) : 0);
  return extraBytes === 0 ? 0 : extraBytes - extraBytesOf(document.slice(name, body));
}

/** How many bytes more than characters a text has. */
export function extraBytesOf(text: string): number {
  return Buffer.byteLength(text) - text.length;
}

/** An image's finished JSON without its aspect ratio, which lists by artist leave out. */
export function withoutAspectRatio(json: string): string {
  const dimens = json.lastIndexOf('"dimens":');
  return json.slice(0, dimens) + json.slice(dimens).replace(/"aspectRatio":"\d+:\d+",/, '');
}
