/** An image's document on its way into answers, which put links into its holes. */
import type { Document, Linkable, LinkTo } from '../model.ts';
import { HOLE } from './document.ts';

export class LinkableDocument implements Linkable {
  readonly surplus: number;
  readonly #document: Document;
  readonly #lists: string;
  /** Where the lists belong. */
  readonly #place: number;
  /** Where the holes are: before the file name, before the key, after it, and that of the expiry. */
  readonly #name: number;
  readonly #key: number;
  readonly #body: number;
  readonly #tail: number;

  /** A document, or one whose lists of categories and characters were taken out at a place. */
  constructor(document: Document, lists = '', place = document.lastIndexOf(HOLE)) {
    // By the places of the holes: splitting takes twice as long.
    this.#name = document.indexOf(HOLE);
    this.#key = document.indexOf(HOLE, this.#name + 1);
    this.#body = document.indexOf(HOLE, this.#key + 1);
    this.#tail = document.lastIndexOf(HOLE);
    this.#document = document;
    this.#lists = lists;
    this.#place = place;
    this.surplus = surplusOf(document) + surplusOf(lists);
    if (this.surplus > 0) this.surplus -= surplusOf(document.slice(this.#name, this.#body));
  }

  withLink(linkTo: LinkTo): string {
    const document = this.#document;
    const { url, expires } = linkTo(
      document.slice(this.#name + 1, this.#key),
      document.slice(this.#key + 1, this.#body),
    );
    const body =
      document.slice(this.#body + 1, this.#place) + this.#lists + document.slice(this.#place, this.#tail);
    return document.slice(0, this.#name) + url + body + expires + document.slice(this.#tail + 1);
  }
}

/** How many bytes more than characters a text has. */
export function surplusOf(text: string): number {
  return Buffer.byteLength(text) - text.length;
}

/** An image's finished JSON without its aspect ratio, which lists by artist leave out. */
export function withoutAspectRatio(json: string): string {
  const dimens = json.lastIndexOf('"dimens":');
  return json.slice(0, dimens) + json.slice(dimens).replace(/"aspectRatio":"\d+:\d+",/, '');
}
