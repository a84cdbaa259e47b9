/**
 * Images as answers carry them, as many as fit into a bounded memory, for as long as the catalogue stays the same. When it
 * is full nothing is pushed out: chance asks for all images alike, so that any of them is as good to keep as any other, and
 * moving them in and out takes longer than it saves.
 */
import { LinkableDocument } from '../catalogue/linkable.ts';
import type { Document, Figure, Linkable } from '../model.ts';

const MOST_BYTES = 56 * 1024 * 1024;
/** What one takes beside its text: the objects around it, and a place in the map. */
const OVERHEAD = 150;

export class Documents {
  readonly #kept = new Map<number, Linkable>();
  #version = Number.NaN;
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** Forgets what is of another version. */
  at(version: number): this {
    if (version === this.#version) return this;
    this.#kept.clear();
    this.#version = version;
    this.#bytes = 0;
    return this;
  }

  get(image: number): Linkable | undefined {
    const known = this.#kept.get(image);
    if (known) this.#hits++;
    else this.#misses++;
    return known;
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

  figures(): Figure[] {
    const figure = (name: string, type: 'counter' | 'gauge', help: string, value: number): Figure => ({
      name: `zukan_document_cache_${name}`,
      ...{ type, help, samples: [{ value }] },
    });
    return [
      figure('hits_total', 'counter', 'Images of answers that were in memory.', this.#hits),
      figure('misses_total', 'counter', 'Images of answers that were read from the database.', this.#misses),
      figure('images', 'gauge', 'Images that are kept in memory.', this.#kept.size),
      figure('bytes', 'gauge', 'Memory that they take, as far as is known.', this.#bytes),
      figure('limit_bytes', 'gauge', 'Memory that they may take.', MOST_BYTES),
    ];
  }
}
