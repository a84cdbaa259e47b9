/**
 * The widths and heights of all images, in memory once a filter needed them. After a change of the catalogue, only what has
 * changed is read. Filters by size ask this instead of shelves: there are too many sizes to keep a shelf for each.
 */
import { type Bounds, DimensionIndex, isWithin } from '../catalogue/sets/dimension-index.ts';
import { BitmapBuilder, type ImageSet, ListSet, sliceImages } from '../catalogue/sets/image-set.ts';
import { yieldToEventLoop } from '../lib/event-loop.ts';
import { defaultTuning } from '../lib/tuning.ts';
import type { Spend } from './fair-queue.ts';
import type { CatalogueVersion } from './shelves.ts';
import type { ChangedDimensions, SliceReader } from './slices.ts';
import { expectVersion } from './versions.ts';

/** In the unit of the fair queue. */
const WORK_PER_IMAGE_READ = 30;
const WORK_PER_COMPARISON = 0.5;
/** Images compared between two looks at the clock: about a third of a millisecond. */
const IMAGES_PER_STEP = 50_000;
/** Reading the size of a single image takes as long as reading this many in order. */
const READS_IN_ORDER = 4;

/** An index is never changed, because calls of its version may still use it. */
interface Loaded extends CatalogueVersion {
  documentRevision: number;
  index: DimensionIndex;
}

export class Dimensions {
  readonly #reader: SliceReader;
  readonly #isCaching: boolean;
  #loaded: Loaded | undefined;
  #loading: { version: number; promise: Promise<DimensionIndex> } | undefined;

  constructor(reader: SliceReader, { isCaching } = defaultTuning) {
    this.#reader = reader;
    this.#isCaching = isCaching;
  }

  /** Whether those of an earlier version are in memory, so that loading reads little. */
  get hasEarlier(): boolean {
    return this.#loaded !== undefined;
  }

  /** What `find` takes. */
  expectedWork({ lastImage }: CatalogueVersion): number {
    return lastImage * (WORK_PER_COMPARISON + (this.#loaded ? 0 : WORK_PER_IMAGE_READ));
  }

  /** The images within the bounds. */
  async find(bounds: Bounds, catalogue: CatalogueVersion, spend: Spend): Promise<BitmapBuilder> {
    const index = await this.#loadAndSpend(catalogue, spend);
    const found = new BitmapBuilder(catalogue.lastImage);
    for (let from = 1; from <= catalogue.lastImage; from += IMAGES_PER_STEP) {
      index.scan(bounds, from, from + IMAGES_PER_STEP, (image) => found.addImage(image));
      await spend(IMAGES_PER_STEP * WORK_PER_COMPARISON);
    }
    return found;
  }

  /** Those of the images that are within the bounds. There should be few. */
  async filter(set: ImageSet, bounds: Bounds, catalogue: CatalogueVersion, spend: Spend): Promise<ImageSet> {
    const images = Uint32Array.from(sliceImages(set, { offset: 0, limit: set.size }));
    if (this.#loaded || set.size * READS_IN_ORDER > catalogue.lastImage) {
      const index = await this.#loadAndSpend(catalogue, spend);
      return new ListSet(images.filter((image) => index.has(bounds, image)));
    }
    const found: number[] = [];
    const perRead = this.#reader.hashesPerSlice;
    for (let from = 0; from < images.length; from += perRead) {
      const { version, items } = await this.#reader.readDimensionsOf([
        ...images.subarray(from, from + perRead),
      ]);
      expectVersion(version, catalogue.version);
      for (const [image, width, height] of items) if (isWithin(bounds, width, height)) found.push(image);
      await spend(items.length * WORK_PER_IMAGE_READ * READS_IN_ORDER);
    }
    return new ListSet(Uint32Array.from(found).sort());
  }

  cached({ version }: CatalogueVersion): DimensionIndex | undefined {
    return this.#loaded?.version === version ? this.#loaded.index : undefined;
  }

  /** Loads them for later requests. */
  prefetch(catalogue: CatalogueVersion): void {
    if (this.#isCaching) this.load(catalogue).catch(() => {});
  }

  /** Throws CatalogueChanged if the catalogue has another version. */
  load(catalogue: CatalogueVersion): Promise<DimensionIndex> {
    const { version } = catalogue;
    const cached = this.cached(catalogue);
    if (cached) return Promise.resolve(cached);
    if (this.#loading?.version === version) return this.#loading.promise;
    const promise = this.#read(catalogue);
    const loading = { version, promise };
    const finish = () => {
      if (this.#loading === loading) this.#loading = undefined;
    };
    this.#loading = loading;
    promise.then(finish, finish);
    return promise;
  }

  async #loadAndSpend(catalogue: CatalogueVersion, spend: Spend): Promise<DimensionIndex> {
    const loading = this.load(catalogue);
    // The queue may end the job meanwhile.
    loading.catch(() => {});
    if (!this.#loaded) await spend(catalogue.lastImage * WORK_PER_IMAGE_READ);
    return loading;
  }

  async #read({ version, lastImage }: CatalogueVersion): Promise<DimensionIndex> {
    const before = this.#loaded;
    let change = await this.#readChanges(before?.documentRevision ?? Number.MAX_SAFE_INTEGER, version);
    const { documentRevision } = change;
    const isSuccessor = before !== undefined && change.isSuccessor;
    const index = new DimensionIndex(lastImage, isSuccessor ? before.index : undefined);
    while (isSuccessor) {
      for (const image of change.images) index.delete(image);
      for (const item of change.items) index.set(item);
      if (!change.next) break;
      change = await this.#readChanges(before.documentRevision, version, change.next);
    }
    for (let above = isSuccessor ? Math.min(before.lastImage, lastImage) : 0; ; ) {
      const slice = await this.#reader.readDimensions(above);
      expectVersion(slice.version, version);
      for (const item of slice.items) index.set(item);
      above = slice.items.at(-1)?.[0] ?? above;
      if (slice.items.length < this.#reader.hashesPerSlice) break;
      await yieldToEventLoop();
    }
    if (this.#isCaching) this.#loaded = { version, lastImage, documentRevision, index };
    return index;
  }

  async #readChanges(since: number, version: number, after?: ChangedDimensions['next']) {
    const change = await this.#reader.readChangedDimensions(since, after);
    expectVersion(change.version, version);
    return change;
  }
}
