/** An image document that a response fills with a link. */
import { PLACEHOLDER } from './document.ts';
import type { Document } from './types.ts';

/** A link to an image's bytes. */
export interface Link {
  /** ASCII only. */
  url: string;
  /** ISO 8601 */
  expires: string;
}

/** Creates the link to one image. Depending on the storage, it contains the file name or the key of the bytes. */
export type SignLink = (fileName: string, key: string) => Link;

/** The positions of the four line feeds that delimit the placeholders of a document (see document.ts). */
export interface Placeholders {
  /** Before the file name. */
  fileName: number;
  /** Between the file name and the key. */
  key: number;
  /** After the key. */
  linkEnd: number;
  expires: number;
}

export function locatePlaceholders(document: Document): Placeholders {
  // Splitting the text would take twice as long.
  const fileName = document.indexOf(PLACEHOLDER);
  const key = document.indexOf(PLACEHOLDER, fileName + 1);
  const linkEnd = document.indexOf(PLACEHOLDER, key + 1);
  return { fileName, key, linkEnd, expires: document.lastIndexOf(PLACEHOLDER) };
}

/** The lists of categories and characters, when they are stored apart, and where to insert them. */
export interface Lists {
  text: string;
  position: number;
}

export class ImageDocument {
  /** UTF-8 bytes minus characters of the JSON, whatever its link. */
  readonly extraBytes: number;
  readonly #document: Document;
  readonly #placeholders: Placeholders;
  readonly #lists: Lists | undefined;

  constructor(
    document: Document,
    lists?: Lists,
    placeholders = locatePlaceholders(document),
    extraBytes = extraBytesWithoutLink(document, placeholders, lists),
  ) {
    this.#document = document;
    this.#placeholders = placeholders;
    this.#lists = lists;
    this.extraBytes = extraBytes;
  }

  link(signLink: SignLink): Link {
    const { fileName, key, linkEnd } = this.#placeholders;
    return signLink(this.#document.slice(fileName + 1, key), this.#document.slice(key + 1, linkEnd));
  }

  /** The image's public JSON. */
  withLink(signLink: SignLink): string {
    const document = this.#document;
    const { fileName, linkEnd, expires: expiry } = this.#placeholders;
    const { url, expires } = this.link(signLink);
    const lists = this.#lists;
    const body = lists
      ? document.slice(linkEnd + 1, lists.position) + lists.text + document.slice(lists.position, expiry)
      : document.slice(linkEnd + 1, expiry);
    return document.slice(0, fileName) + url + body + expires + document.slice(expiry + 1);
  }
}

/** Leaves out the file name and the key, which a link replaces. Links are ASCII. */
function extraBytesWithoutLink(
  document: Document,
  { fileName, linkEnd }: Placeholders,
  lists: Lists | undefined,
): number {
  const extraBytes = extraBytesOf(document) + (lists ? extraBytesOf(lists.text) : 0);
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
