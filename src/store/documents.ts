/**
 * Documents of images, as many as fit into a bounded memory, for as long as the catalogue stays the same. When it is full
 * nothing is pushed out: chance asks for all images alike, so that any of them is as good to keep as any other, and
 * moving them in and out takes longer than it saves.
 */
import type { Document } from '../model.ts';

/** Characters, which are a byte each in most catalogues, and two in those with, say, Japanese names. */
const MOST_CHARACTERS = 24 * 1024 * 1024;

export class Documents {
  readonly #documents = new Map<number, Document>();
  #version = Number.NaN;
  #characters = 0;

  /** Forgets what is of another version. */
  at(version: number): this {
    if (version === this.#version) return this;
    this.#documents.clear();
    this.#version = version;
    this.#characters = 0;
    return this;
  }

  get(image: number): Document | undefined {
    return this.#documents.get(image);
  }

  add(image: number, document: Document): void {
    if (this.#characters + document.length > MOST_CHARACTERS) return;
    this.#characters += document.length;
    this.#documents.set(image, document);
  }
}
