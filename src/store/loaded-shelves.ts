/**
 * Shelves in memory, and the sizes of images. A shelf is loaded once it was requested more often than loading it takes reads: a catalogue that
 * changes all the time then costs at most twice the reads, and one that doesn't soon needs none.
 */
import type { DimensionIndex } from '../catalogue/sets/dimension-index.ts';
import type { ImageSet } from '../catalogue/sets/image-set.ts';
import type { ImageSets } from './image-sets.ts';
import type { CatalogueVersion, Shelf } from './shelves.ts';

/** Clients can name any number of shelves. */
const MAX_COUNTED = 10_000;
/** Counted like a shelf. None has this number. */
const DIMENSIONS = 0;

export class LoadedShelves {
  readonly #sets: ImageSets;
  readonly #imagesPerRead: number;
  /** How often shelves of this version were requested, by their number. */
  readonly #requests = new Map<number, number>();
  #version: number | undefined;

  constructor(sets: ImageSets, imagesPerRead: number) {
    this.#sets = sets;
    this.#imagesPerRead = imagesPerRead;
  }

  /** Returns undefined if the shelf is not in memory yet. */
  get(shelf: Shelf, catalogue: CatalogueVersion): ImageSet | undefined {
    const set = this.#sets.cachedShelf(shelf, catalogue);
    if (set) return set;
    const isWorthLoading = this.#count(shelf.number, catalogue) * this.#imagesPerRead > shelf.size;
    return isWorthLoading ? this.#sets.prefetchShelf(shelf, catalogue) : undefined;
  }

  /** The sizes of all images, under the same rule. */
  dimensions(catalogue: CatalogueVersion): DimensionIndex | undefined {
    const { dimensions } = this.#sets;
    const index = dimensions.cached(catalogue);
    if (index) return index;
    const reads = this.#count(DIMENSIONS, catalogue);
    const isWorthLoading = dimensions.hasEarlier || reads * this.#imagesPerRead > catalogue.lastImage;
    if (isWorthLoading) dimensions.prefetch(catalogue);
    return undefined;
  }

  /** How often the shelf was requested before. */
  #count(number: number, { version }: CatalogueVersion): number {
    if (version !== this.#version || this.#requests.size === MAX_COUNTED) this.#requests.clear();
    this.#version = version;
    const before = this.#requests.get(number) ?? 0;
    this.#requests.set(number, before + 1);
    return before;
  }
}
