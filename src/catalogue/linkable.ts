/**
 * An image's document on its way into answers: its finished JSON, with the link that it was last given. Links of the same
 * window are the same, so that whoever keeps one of these has most answers ready.
 */
import type { Document, Linkable, LinkTo } from '../model.ts';
import { HOLE } from './document.ts';

export class LinkableDocument implements Linkable {
  readonly #isKept: boolean;
  /** The file name and the key, as they stand in the document. */
  readonly #names: string;
  /** What `#linkTo` was made into it; before there is one, the document as it is stored. */
  #text: string;
  #linkTo: LinkTo | undefined;
  /** The link stands between the first two places of the text, its expiry between the other two. */
  #url: number;
  #afterUrl: number;
  #expires: number;
  #afterExpires: number;

  /** What is kept takes a little longer to be made, once, and is then ready as it is. */
  constructor(document: Document, isKept = false) {
    // By the places of the holes: splitting takes twice as long.
    const name = document.indexOf(HOLE);
    const key = document.indexOf(HOLE, name + 1);
    const body = document.indexOf(HOLE, key + 1);
    const tail = document.lastIndexOf(HOLE);
    this.#isKept = isKept;
    // A slice would hold on to all of the document.
    this.#names = isKept
      ? [document.slice(name + 1, key), document.slice(key + 1, body)].join(HOLE)
      : document.slice(name + 1, body);
    this.#text = document;
    this.#url = name;
    this.#afterUrl = body + 1;
    this.#expires = tail;
    this.#afterExpires = tail + 1;
  }

  withLink(linkTo: LinkTo): string {
    return linkTo === this.#linkTo ? this.#text : this.#link(linkTo);
  }

  #link(linkTo: LinkTo): string {
    const text = this.#text;
    const between = this.#names.indexOf(HOLE);
    const { url, expires } = linkTo(this.#names.slice(0, between), this.#names.slice(between + 1));
    const head = text.slice(0, this.#url);
    const body = text.slice(this.#afterUrl, this.#expires);
    const tail = text.slice(this.#afterExpires);
    this.#linkTo = linkTo;
    this.#afterUrl = this.#url + url.length;
    this.#expires = this.#afterUrl + body.length;
    this.#afterExpires = this.#expires + expires.length;
    // Joined text lies in one piece. Added text is made of the pieces, which are only put together when it is sent.
    this.#text = this.#isKept
      ? [head, url, body, expires, tail].join('')
      : head + url + body + expires + tail;
    return this.#text;
  }
}

/** An image's finished JSON without its aspect ratio, which lists by artist leave out. */
export function withoutAspectRatio(json: string): string {
  const dimens = json.lastIndexOf('"dimens":');
  return json.slice(0, dimens) + json.slice(dimens).replace(/"aspectRatio":"\d+:\d+",/, '');
}
