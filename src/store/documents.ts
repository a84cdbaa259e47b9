/** Image documents by number, from the cache or from the database, and image numbers by id. */
import { ImageDocument } from '../catalogue/documents/image-document.ts';
import type { Metric } from '../lib/metrics.ts';
import type { Tuning } from '../lib/tuning.ts';
import { DocumentCache } from './document-cache/cache.ts';
import { type Call, get, type View } from './view.ts';

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
