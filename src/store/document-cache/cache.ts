/**
 * Image documents in shared memory, as a thread that serves requests reads them. Nothing is evicted when the cache is full:
 * random requests ask for all images alike, so every document is worth the same, and replacing one costs more than it
 * saves.
 *
 * Texts are stored as bytes, where they cost the garbage collector nothing and take a third less memory than as strings.
 * Lists of categories and characters and artists, which many images share, are stored once.
 */

import { ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { ByteString } from '../../lib/byte-string.ts';
import { type Metric, metric } from '../../lib/metrics.ts';
import type { Tuning } from '../../lib/tuning.ts';
import { type Call, get, type View } from '../view.ts';
import { CacheMemory, isOpen } from './memory.ts';

export class DocumentCache {
  readonly #memory: CacheMemory;
  readonly #barrier = new Int32Array(1);
  /** Shared texts by number. */
  #texts: (ByteString | undefined)[] = [];
  #generation = 0;
  #hits = 0;
  #misses = 0;

  constructor(memory: ArrayBufferLike) {
    this.#memory = new CacheMemory(memory);
  }

  /** Returns the documents of images as they were after the change with the number `revision`, where they are cached. */
  get(images: number[], revision: number): (ImageDocument | undefined)[] {
    const found = this.#ifValid(() => this.#find(images, revision)) ?? [];
    const hits = found.reduce((count, document) => (document ? count + 1 : count), 0);
    this.#hits += hits;
    this.#misses += images.length - hits;
    return found;
  }

  metrics(): Metric[] {
    const { used, firstAddress, size, count } = this.#memory;
    const cache = 'zukan_document_cache';
    const bytes = Math.max(0, used - firstAddress) * 4;
    return [
      metric(`${cache}_hits_total`, 'counter', 'Documents read from the cache.', this.#hits),
      metric(`${cache}_misses_total`, 'counter', 'Documents read from the database.', this.#misses),
      metric(`${cache}_images`, 'gauge', 'Documents in the cache.', count, 'max'),
      metric(`${cache}_bytes`, 'gauge', 'Memory used by the cache.', bytes, 'max'),
      metric(`${cache}_limit_bytes`, 'gauge', 'Memory that the cache may use.', 4 * size, 'max'),
    ];
  }

  /** Returns what was read; undefined if the writer changed it meanwhile. */
  #ifValid<T>(read: () => T): T | undefined {
    const { epoch } = this.#memory;
    if (!isOpen(epoch)) return undefined;
    const result = read();
    // A barrier: ARM processors could otherwise finish reading after they have loaded the epoch again.
    Atomics.store(this.#barrier, 0, 0);
    if (this.#memory.epoch === epoch) return result;
    // Shared texts that were read while the writer changed them must not be used again.
    this.#texts = [];
    return undefined;
  }

  #find(images: number[], revision: number): (ImageDocument | undefined)[] {
    if (!this.#isAt(revision)) return [];
    const { used } = this.#memory;
    return images.map((image) => {
      const address = this.#memory.address(image);
      return address === 0 || address >= used ? undefined : this.#read(address, image, revision);
    });
  }

  #isAt(revision: number): boolean {
    const { generation } = this.#memory;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#texts = [];
    }
    return this.#memory.revision === revision;
  }

  #read(address: number, image: number, revision: number): ImageDocument {
    const { placeholders, shared } = this.#memory.documentParts(address);
    const parts = shared && {
      lists: this.#text(shared.categories) + this.#text(shared.characters),
      position: shared.position,
      artist: this.#text(shared.artist),
    };
    return new ImageDocument(this.#memory.documentText(address), parts, placeholders, image, revision);
  }

  #text(number: number): ByteString {
    this.#texts[number] ??= this.#memory.sharedText(number);
    return this.#texts[number];
  }
}

// Image documents by number, from the cache or from the database, and image numbers by id.

/** Images shown once are often requested again by their id. */
const MAX_CACHED_IDS = 20_000;

export class Documents {
  readonly #cache: DocumentCache;
  readonly #isCaching: boolean;
  /** Image numbers by id, of one version. */
  readonly #numbers = new Map<string, number>();
  #version: number | undefined;

  constructor(memory: ArrayBufferLike, { isCaching }: Tuning) {
    this.#cache = new DocumentCache(memory);
    this.#isCaching = isCaching;
  }

  *numberOf(view: View, id: string): Call<number | undefined> {
    const { version } = view.snapshot;
    if (version !== this.#version || !this.#isCaching) this.#numbers.clear();
    this.#version = version;
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = yield* get(view.imageNumber(id));
    // Another call may have read a newer version meanwhile.
    const isCurrent = version === this.#version && this.#numbers.size < MAX_CACHED_IDS;
    if (number !== undefined && isCurrent) this.#numbers.set(id, number);
    return number;
  }

  *read(view: View, numbers: number[]): Call<ImageDocument[]> {
    const { documentRevision } = view.snapshot;
    const cached = this.#cache.get(numbers, documentRevision);
    const missing = numbers.filter((_, index) => !cached[index]);
    if (missing.length === 0) return cached as ImageDocument[];
    const read = (yield* get(view.documents(missing))).values();
    return numbers.map(
      (number, index) =>
        cached[index] ??
        new ImageDocument(read.next().value as string, undefined, undefined, number, documentRevision),
    );
  }

  metrics(): Metric[] {
    return this.#cache.metrics();
  }
}
