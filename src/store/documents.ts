/**
 * Images as answers carry them, as many as fit into a bounded memory, for as long as the catalogue stays the same. When it
 * is full nothing is pushed out: chance asks for all images alike, so that any of them is as good to keep as any other, and
 * moving them in and out takes longer than it saves.
 */
import { LinkableDocument } from '../catalogue/linkable.ts';
import type { Document, Linkable } from '../model.ts';

const MOST_BYTES = 56 * 1024 * 1024;
/** What one takes beside its text: the objects around it, and a place in the map. */
const OVERHEAD = 150;

export class Documents {
  readonly #kept = new Map<number, Linkable>();
  #version = Number.NaN;
  #bytes = 0;

  /** Forgets what is of another version. */
  at(version: number): this {
    if (version === this.#version) return this;
    this.#kept.clear();
    this.#version = version;
    this.#bytes = 0;
    return this;
  }

  get(image: number): Linkable | undefined {
    return this.#kept.get(image);
  }

  /** The image as it can be carried, kept if there is room. */
  take(image: number, document: Document): Linkable {
    const linkable = new LinkableDocument(document);
    if (this.#bytes >= MOST_BYTES) return linkable;
    // With one letter that needs it, all of a text takes two bytes a letter.
    this.#bytes += OVERHEAD + document.length * (linkable.surplus === 0 ? 1 : 2);
    this.#kept.set(image, linkable);
    return linkable;
  }
}
