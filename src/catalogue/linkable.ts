/** An image's document on its way into answers, which put links into its holes. */
import type { Document, Linkable, LinkTo } from '../model.ts';
import { HOLE } from './document.ts';

export class LinkableDocument implements Linkable {
  readonly surplus: number;
  readonly #document: Document;
  /** Where the holes are: before the file name, before the key, after it, and that of the expiry. */
  readonly #name: number;
  readonly #key: number;
  readonly #body: number;
  readonly #tail: number;

  constructor(document: Document) {
    // By the places of the holes: splitting takes twice as long.
    this.#name = document.indexOf(HOLE);
    this.#key = document.indexOf(HOLE, this.#name + 1);
    this.#body = document.indexOf(HOLE, this.#key + 1);
    this.#tail = document.lastIndexOf(HOLE);
    this.#document = document;
    this.surplus = surplusOf(document);
    if (this.surplus > 0) this.surplus -= surplusOf(document.slice(this.#name, this.#body));
  }

  withLink(linkTo: LinkTo): string {
    const document = this.#document;
    const { url, expires } = linkTo(
      document.slice(this.#name + 1, this.#key),
      document.slice(this.#key + 1, this.#body),
    );
    const head = document.slice(0, this.#name);
    const body = document.slice(this.#body + 1, this.#tail);
    return head + url + body + expires + document.slice(this.#tail + 1);
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
