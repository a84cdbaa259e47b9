/** Finding images that look alike. The perceptual hashes of all images are cached until the catalogue changes. */

import type { Caller } from '../catalogue/catalogue.ts';
import { HashIndex, MAX_SIMILAR_DISTANCE, Nearest } from '../catalogue/sets/hash-index.ts';
import type { ImageSet } from '../catalogue/sets/image-set.ts';
import { yieldToEventLoop } from '../lib/event-loop.ts';
import { defaultTuning } from '../lib/tuning.ts';
import { FairQueue } from './read/slices.ts';
import type { SliceReader } from './slices.ts';
import { expectVersion, retryOnChange, VersionedCache } from './versions.ts';

/** Images compared between two looks at the clock: about a third of a millisecond. */
const IMAGES_PER_STEP = 50_000;
/** The cost of comparing two images, in the queue's unit of work. */
const WORK_PER_IMAGE = 0.5;

interface CachedIndex {
  version: number;
  index: HashIndex;
}

export class SimilarImages {
  readonly #reader: SliceReader;
  readonly #index: VersionedCache<CachedIndex>;
  readonly #queue = new FairQueue();

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#index = new VersionedCache(
      () => retryOnChange(() => this.#readIndex()),
      () => reader.currentVersion(),
      tuning,
    );
  }

  /**
   * The numbers of the images of a set that look most like an image, nearest first. Throws CatalogueChanged if the catalogue
   * has another version than the set.
   */
  async find(
    image: number,
    set: ImageSet,
    version: number,
    limit: number,
    caller: Caller,
  ): Promise<number[]> {
    const { version: actual, index } = await this.#index.get();
    expectVersion(actual, version);
    const hash = index.hashOf(image);
    return hash ? this.#scan(index, image, hash, set, limit, caller) : [];
  }

  #scan(
    index: HashIndex,
    image: number,
    hash: Int32Array,
    set: ImageSet,
    limit: number,
    caller: Caller,
  ): Promise<number[]> {
    return this.#queue.run(caller, index.size * WORK_PER_IMAGE, async (spend) => {
      const nearest = new Nearest(limit);
      const visit = (position: number, distance: number) => {
        const found = index.imageAt(position);
        if (found !== image && set.has(found)) nearest.add(position, distance);
      };
      for (let from = 0; from < index.size; from += IMAGES_PER_STEP) {
        index.scan(hash, MAX_SIMILAR_DISTANCE, from, from + IMAGES_PER_STEP, visit);
        await spend(IMAGES_PER_STEP * WORK_PER_IMAGE);
      }
      return nearest.positions().map((position) => index.imageAt(position));
    });
  }

  async #readIndex(): Promise<CachedIndex> {
    const index = new HashIndex();
    for (let last = 0, version: number | undefined; ; ) {
      const slice = await this.#reader.readHashes(last);
      version ??= slice.version;
      expectVersion(slice.version, version);
      for (const [image, hash] of slice.items) index.add(image, hash);
      last = slice.items.at(-1)?.[0] ?? last;
      if (slice.items.length < this.#reader.hashesPerSlice) return { version, index };
      await yieldToEventLoop();
    }
  }
}
