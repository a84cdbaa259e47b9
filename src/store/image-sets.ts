/**
 * Which images are on a shelf, and which belong to a whole selection, cached in memory until the catalogue changes. Shelves
 * are read in slices between other requests; combining two takes a fraction of a millisecond for a million images. What is
 * not cached waits in a fair queue, because a client can name hundreds of shelves.
 */
import { emptyBits, setBit } from '../catalogue/sets/bits.ts';
import {
  BitmapBuilder,
  BitmapSet,
  filterImages,
  type ImageSet,
  isSparse,
  ListSet,
  RangeSet,
} from '../catalogue/sets/image-set.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../lib/tuning.ts';
import type { Caller } from './contract/catalogue.ts';
import { Dimensions } from './dimensions.ts';
import { FairQueue, type Spend } from './fair-queue.ts';
import { countShelves, type Selection, selectionKey, shelvesOf, soleShelf } from './selection.ts';
import type { CatalogueVersion, Shelf } from './shelves.ts';
import { readSlices, type SliceReader } from './slices.ts';
import { CatalogueChanged, expectVersion } from './versions.ts';

const MAX_SHELF_BYTES = 48 * 1024 * 1024;
/** Apart from the shelves, because clients can ask for any number of different selections. */
const MAX_SELECTION_BYTES = 16 * 1024 * 1024;
/** More than searches, because most selections take about a millisecond. */
const MAX_WAITING = 128;
/** The cost of a shelf, and of each image read from the database, in the queue's unit of work. */
const WORK_PER_SHELF = 100;
const WORK_PER_IMAGE_READ = 20;
/** Combining sets is the fastest step: bitmaps hold 32 images in a word. */
const IMAGES_PER_WORK = 8;

interface CachedShelf {
  bytes: number;
  /** Rejects with CatalogueChanged if the shelf turns out to be of another version. */
  loading: Promise<ImageSet>;
  set: ImageSet | undefined;
}

export class ImageSets {
  readonly #reader: SliceReader;
  readonly dimensions: Dimensions;
  readonly #tuning: Tuning;
  /** By shelf number. */
  readonly #shelves = new LruCache<number, CachedShelf>(MAX_SHELF_BYTES);
  /** By selection key. */
  readonly #selections = new LruCache<string, ImageSet>(MAX_SELECTION_BYTES);
  readonly #queue = new FairQueue({ maxJobs: MAX_WAITING });
  #version: number | undefined;
  #isPrefetching = false;

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.dimensions = new Dimensions(reader, tuning);
    this.#reader = reader;
    this.#tuning = tuning;
  }

  cached(selection: Selection): ImageSet | undefined {
    this.#clearOtherVersions(selection.catalogue);
    const shelf = soleShelf(selection);
    if (shelf) return this.#cachedShelf(shelf, selection.catalogue);
    return this.#selections.isEmpty ? undefined : this.#selections.get(selectionKey(selection));
  }

  cachedShelf(shelf: Shelf, catalogue: CatalogueVersion): ImageSet | undefined {
    this.#clearOtherVersions(catalogue);
    return this.#cachedShelf(shelf, catalogue);
  }

  /**
   * Returns undefined if the shelf is not cached, and starts loading it for the next request. One shelf at a time, or a
   * request that names hundreds of categories would make all others wait.
   */
  prefetchShelf(shelf: Shelf, catalogue: CatalogueVersion): ImageSet | undefined {
    this.#clearOtherVersions(catalogue);
    const cached = this.#cachedShelf(shelf, catalogue);
    if (cached || this.#isPrefetching || !this.#tuning.isCaching) return cached;
    this.#isPrefetching = true;
    const finish = () => {
      this.#isPrefetching = false;
    };
    this.#startLoading(shelf, catalogue).loading.then(finish, finish);
    return undefined;
  }

  /** The whole selection. Throws CatalogueChanged, or Unavailable if too many wait. */
  async load(selection: Selection, caller: Caller): Promise<ImageSet> {
    const cached = this.cached(selection);
    if (cached) return cached;
    return this.#queue.run(caller, this.#expectedWork(selection), (spend) => this.#compute(selection, spend));
  }

  #expectedWork(selection: Selection): number {
    const { catalogue, bounds } = selection;
    const workOf = (shelf: Shelf) =>
      WORK_PER_SHELF +
      shelf.size / IMAGES_PER_WORK +
      (this.#cachedShelf(shelf, catalogue) ? 0 : shelf.size * WORK_PER_IMAGE_READ);
    const comparing = bounds ? this.dimensions.expectedWork(catalogue) : 0;
    return shelvesOf(selection).reduce((sum, shelf) => sum + workOf(shelf), comparing);
  }

  async #compute(selection: Selection, spend: Spend): Promise<ImageSet> {
    // Another request may have computed it while this one was waiting.
    const cached = this.#version === selection.catalogue.version ? this.cached(selection) : undefined;
    if (cached) return cached;
    const shelf = soleShelf(selection);
    if (shelf) return this.#loadShelf(shelf, selection.catalogue, spend);
    const isSmall = selection.choices[0].size * countShelves(selection) <= this.#tuning.maxMembershipTests;
    const set = await (isSmall ? this.#filter(selection, spend) : this.#combine(selection, spend));
    if (this.#version === selection.catalogue.version) this.#selections.set(selectionKey(selection), set);
    return set;
  }

  /** Tests each image of the smallest choice. */
  async #filter(selection: Selection, spend: Spend): Promise<ImageSet> {
    const { catalogue, choices, excluded, bounds } = selection;
    const [first, ...others] = choices;
    const sets = new Map<Shelf, ImageSet>();
    for (const shelf of shelvesOf(selection)) {
      const set = await this.#loadShelf(shelf, catalogue, spend);
      sets.set(shelf, set);
      await spend(WORK_PER_SHELF + first.size);
    }
    const setsOf = (shelves: Shelf[]) => shelves.map((shelf) => sets.get(shelf) as ImageSet);
    const required = others.map(({ shelves }) => setsOf(shelves));
    const set = filterImages(setsOf(first.shelves), required, setsOf(excluded));
    return bounds ? this.dimensions.filter(set, bounds, catalogue, spend) : set;
  }

  /** Combines bitmaps, one shelf at a time. Other requests may get their turn between two shelves. */
  async #combine({ catalogue, choices, excluded, bounds }: Selection, spend: Spend): Promise<ImageSet> {
    const forEachSet = async (shelves: Shelf[], visit: (set: ImageSet) => void) => {
      for (const shelf of shelves) {
        visit(await this.#loadShelf(shelf, catalogue, spend));
        await spend(WORK_PER_SHELF + shelf.size / IMAGES_PER_WORK);
      }
    };
    let result = bounds && (await this.dimensions.find(bounds, catalogue, spend));
    for (const { shelves, isAll } of choices) {
      if (result && isAll) continue;
      const choice = new BitmapBuilder(catalogue.lastImage);
      await forEachSet(shelves, (set) => choice.add(set));
      if (result) result.intersect(choice);
      else result = choice;
    }
    await forEachSet(excluded, (set) => result?.subtract(set));
    return (result as BitmapBuilder).build();
  }

  async #loadShelf(shelf: Shelf, catalogue: CatalogueVersion, spend: Spend): Promise<ImageSet> {
    // Also if another call has cleared the cache for a newer version meanwhile.
    if (this.#version !== catalogue.version) throw new CatalogueChanged();
    const cached = this.#cachedShelf(shelf, catalogue);
    if (cached) return cached;
    const { loading } = this.#startLoading(shelf, catalogue);
    await spend(shelf.size * WORK_PER_IMAGE_READ);
    return loading;
  }

  #clearOtherVersions({ version }: CatalogueVersion): void {
    if (version === this.#version && this.#tuning.isCaching) return;
    this.#version = version;
    this.#shelves.clear();
    this.#selections.clear();
  }

  #cachedShelf({ number, size }: Shelf, { lastImage }: CatalogueVersion): ImageSet | undefined {
    // A shelf with as many images as there are numbers holds all of them.
    return size === lastImage ? new RangeSet(size) : this.#shelves.get(number)?.set;
  }

  #startLoading(shelf: Shelf, { version, lastImage }: CatalogueVersion): CachedShelf {
    const { number, size } = shelf;
    const started = this.#shelves.get(number);
    if (started) return started;
    const loading = this.#readShelf(shelf, lastImage).then((read) => {
      expectVersion(read.version, version);
      return read.set;
    });
    const bytes = isSparse(size, lastImage) ? size * 4 : lastImage / 8;
    const entry: CachedShelf = { bytes, loading, set: undefined };
    this.#shelves.set(number, entry);
    const discard = () => {
      if (this.#shelves.get(number) === entry) this.#shelves.delete(number);
    };
    loading.then((set) => {
      entry.set = set;
    }, discard);
    return entry;
  }

  async #readShelf({ number, size }: Shelf, lastImage: number) {
    const read = (onImage: (image: number) => void) =>
      readSlices(
        this.#reader.imagesPerSlice,
        (from, to) => this.#reader.readShelf(number, from, to),
        onImage,
      );
    if (isSparse(size, lastImage)) {
      const images = new Uint32Array(size);
      let position = 0;
      const version = await read((image) => {
        images[position++] = image;
      });
      return { version, set: new ListSet(images) };
    }
    const bits = emptyBits(lastImage + 1);
    const version = await read((image) => setBit(bits, image));
    return { version, set: new BitmapSet(bits) };
  }
}
