/**
 * Which images are on a shelf, how large they are, and which of them a whole selection has, in memory. Shelves and sizes are
 * read once, in slices between other requests; after a commit, only the images that changed are. Selections are kept until
 * the catalogue changes. What is not in memory waits in a fair queue, because a client can name hundreds of shelves.
 */
import type { Caller } from '../../catalogue/catalogue.ts';
import {
  BitmapBuilder,
  BitmapSet,
  emptyBits,
  type ImageSet,
  ImageSizes,
  isSparse,
  ListSet,
  RangeSet,
  setBit,
} from '../../catalogue/sets/image-set.ts';
import type { Placement } from '../../catalogue/writer.ts';
import { yieldToEventLoop } from '../../lib/concurrency.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import { type CatalogueVersion, expectVersion, type Shelf } from '../view.ts';
import { type Selection, selectionKey, shelvesOf, soleShelf } from './selection.ts';
import { FairQueue, readSlices, type SliceReader, type Spend } from './slices.ts';

const MAX_SHELF_BYTES = 48 * 1024 * 1024;
/** Apart from the shelves, because clients can ask for any number of different selections. */
const MAX_SELECTION_BYTES = 16 * 1024 * 1024;
/** More than searches, because most selections take about a millisecond. */
const MAX_WAITING = 128;
/** Clients can ask for any number of selections. */
const MAX_COUNTED = 10_000;
/** After a larger change, reading whole shelves again takes less time and memory than following it. */
const MAX_CHANGED_IMAGES = 50_000;
/** The cost of steps in the queue's unit of work: a shelf, each image of it, and its size, read from the database; */
const WORK_PER_SHELF = 100;
const WORK_PER_IMAGE_READ = 20;
const WORK_PER_SIZE_READ = 30;
/** comparing the size of an image; combining sets is the fastest step, because bitmaps hold 32 images in a word; */
const WORK_PER_COMPARISON = 2;
const IMAGES_PER_WORK = 8;
/** and an image read on its own, by a request that did without. */
const WORK_PER_IMAGE_MISSED = 1000;
/** Images compared between two looks at the clock: about a third of a millisecond. A multiple of 32. */
const IMAGES_PER_STEP = 49_984;

interface LoadedShelf {
  bytes: number;
  /** Rejects with CatalogueChanged if the shelf turns out to be of another version. */
  loading: Promise<ImageSet>;
  set: ImageSet | undefined;
}

/** What later versions need, too. Sets are never changed, because calls of their version may still use them. */
interface Loaded extends CatalogueVersion {
  /** By number. */
  shelves: LruCache<number, LoadedShelf>;
  sizes?: ImageSizes;
  loadingSizes?: Promise<ImageSizes> | undefined;
}

/** What one version is asked for, by selection key. */
interface Asked {
  version: number;
  selections: LruCache<string, ImageSet>;
  /** The work of requests that did without. */
  missed: Map<string, number>;
}

export class ImageSets {
  readonly #reader: SliceReader;
  readonly #tuning: Tuning;
  readonly #queue = new FairQueue({ maxJobs: MAX_WAITING });
  #loaded: Loaded | undefined;
  #asked: Asked | undefined;
  #following: { version: number; promise: Promise<Loaded> } | undefined;
  #isPrefetching = false;

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#tuning = tuning;
  }

  /** The selection, if it is in memory. */
  cached(selection: Selection): ImageSet | undefined {
    const shelf = soleShelf(selection);
    if (shelf && shelf.size === selection.catalogue.lastImage) return new RangeSet(shelf.size);
    if (shelf) {
      const isCurrent = this.#loaded?.version === selection.catalogue.version;
      return isCurrent ? findShelf(this.#loaded as Loaded, shelf)?.set : undefined;
    }
    const { selections } = this.#askedOf(selection);
    return selections.isEmpty ? undefined : selections.get(selectionKey(selection));
  }

  keep(selection: Selection, set: ImageSet): void {
    this.#askedOf(selection).selections.set(selectionKey(selection), set);
  }

  /** The whole selection. Throws CatalogueChanged, or Unavailable if too many wait. */
  async load(selection: Selection, caller: Caller): Promise<ImageSet> {
    const cached = this.cached(selection);
    if (cached) return cached;
    return this.#queue.run(caller, this.#expectedWork(selection), (spend) => this.#compute(selection, spend));
  }

  /**
   * For a request that read some images from the database instead. Loads the selection for later ones as soon as those without
   * it have taken as much work as loading it. So a catalogue that changes all the time costs at most twice the reads, and one
   * that doesn't soon needs none.
   */
  missed(selection: Selection, images: number, { client }: Caller): void {
    const { missed } = this.#askedOf(selection);
    if (missed.size === MAX_COUNTED) missed.clear();
    const key = selectionKey(selection);
    const work = (missed.get(key) ?? 0) + images * WORK_PER_IMAGE_MISSED;
    missed.set(key, work);
    // One at a time, or requests that name hundreds of categories would make all others wait.
    if (this.#isPrefetching || !this.#tuning.isCaching || work < this.#expectedWork(selection)) return;
    this.#isPrefetching = true;
    const finish = () => {
      this.#isPrefetching = false;
    };
    this.load(selection, { client, signal: new AbortController().signal }).then(finish, finish);
  }

  #askedOf({ catalogue: { version } }: Selection): Asked {
    if (this.#asked?.version !== version || !this.#tuning.isCaching)
      this.#asked = { version, selections: new LruCache(MAX_SELECTION_BYTES), missed: new Map() };
    return this.#asked;
  }

  #expectedWork(selection: Selection): number {
    const { sizes, catalogue } = selection;
    const perSize = WORK_PER_COMPARISON + (this.#loaded?.sizes ? 0 : WORK_PER_SIZE_READ);
    return shelvesOf(selection).reduce(
      (sum, { number, size }) =>
        sum +
        WORK_PER_SHELF +
        size / IMAGES_PER_WORK +
        (this.#loaded?.shelves.get(number)?.set ? 0 : size * WORK_PER_IMAGE_READ),
      sizes.size > 0 ? catalogue.lastImage * perSize : 0,
    );
  }

  async #compute(selection: Selection, spend: Spend): Promise<ImageSet> {
    const loaded = await this.#follow(selection.catalogue);
    // Another request may have computed it while this one was waiting.
    const cached = this.cached(selection);
    if (cached) return cached;
    const shelf = soleShelf(selection);
    if (shelf) return this.#loadShelf(loaded, shelf, spend);
    const set = await this.#combine(loaded, selection, spend);
    this.keep(selection, set);
    return set;
  }

  /** Combines bitmaps, one shelf at a time. Other requests may get their turn between two shelves. */
  async #combine(loaded: Loaded, selection: Selection, spend: Spend): Promise<ImageSet> {
    const { choices, excluded, sizes } = selection;
    const forEachSet = async (shelves: Shelf[], visit: (set: ImageSet) => void) => {
      for (const shelf of shelves) {
        visit(await this.#loadShelf(loaded, shelf, spend));
        await spend(WORK_PER_SHELF + shelf.size / IMAGES_PER_WORK);
      }
    };
    let result: BitmapBuilder | undefined;
    for (const { shelves } of choices) {
      const choice = new BitmapBuilder(loaded.lastImage);
      await forEachSet(shelves, (set) => choice.add(set));
      if (result) result.intersect(choice);
      else result = choice;
    }
    await forEachSet(excluded, (set) => result?.subtract(set));
    if (sizes.size > 0) {
      const all = await this.#loadSizes(loaded, spend);
      for (const test of sizes.values())
        for (let from = 0; from <= loaded.lastImage; from += IMAGES_PER_STEP) {
          result?.retain(from, from + IMAGES_PER_STEP, (image) => all.passes(test, image));
          await spend(IMAGES_PER_STEP * WORK_PER_COMPARISON);
        }
    }
    return (result as BitmapBuilder).build();
  }

  async #loadShelf(loaded: Loaded, shelf: Shelf, spend: Spend): Promise<ImageSet> {
    const started = findShelf(loaded, shelf);
    if (started?.set) return started.set;
    const { loading } = started ?? this.#startShelf(loaded, shelf);
    await spend(shelf.size * WORK_PER_IMAGE_READ);
    return loading;
  }

  #startShelf(loaded: Loaded, { number, size }: Shelf): LoadedShelf {
    const { shelves, version, lastImage } = loaded;
    const loading = this.#readShelf({ number, size }, lastImage).then((read) => {
      expectVersion(read.version, version);
      return read.set;
    });
    const bytes = isSparse(size, lastImage) ? size * 4 : lastImage / 8;
    const entry: LoadedShelf = { bytes, loading, set: undefined };
    shelves.set(number, entry);
    const discard = () => {
      if (shelves.get(number) === entry) shelves.delete(number);
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

  async #loadSizes(loaded: Loaded, spend: Spend): Promise<ImageSizes> {
    if (loaded.sizes) return loaded.sizes;
    loaded.loadingSizes ??= this.#readSizes(loaded);
    const { loadingSizes } = loaded;
    const finish = () => {
      loaded.loadingSizes = undefined;
    };
    // The queue may end the job meanwhile.
    loadingSizes.then(finish, finish);
    await spend(loaded.lastImage * WORK_PER_SIZE_READ);
    return loadingSizes;
  }

  async #readSizes(loaded: Loaded): Promise<ImageSizes> {
    const sizes = new ImageSizes(loaded.lastImage);
    for (let above = 0; ; await yieldToEventLoop()) {
      const { version, items } = await this.#reader.readDimensions(above);
      expectVersion(version, loaded.version);
      for (const item of items) sizes.set(...item);
      above = items.at(-1)?.[0] ?? above;
      if (items.length < this.#reader.hashesPerSlice) break;
    }
    loaded.sizes = sizes;
    return sizes;
  }

  /** What is in memory, brought to a version. Throws CatalogueChanged if the catalogue has another one. */
  #follow(catalogue: CatalogueVersion): Promise<Loaded> {
    const { version } = catalogue;
    if (!this.#tuning.isCaching) return Promise.resolve(startLoading(catalogue));
    if (this.#loaded?.version === version) return Promise.resolve(this.#loaded);
    if (this.#following?.version === version) return this.#following.promise;
    const promise = this.#readChanges(catalogue).then((loaded) => {
      this.#loaded = loaded;
      return loaded;
    });
    const following = { version, promise };
    const finish = () => {
      if (this.#following === following) this.#following = undefined;
    };
    this.#following = following;
    promise.then(finish, finish);
    return promise;
  }

  async #readChanges(catalogue: CatalogueVersion): Promise<Loaded> {
    const { version, lastImage } = catalogue;
    const loaded = startLoading(catalogue);
    const former = this.#loaded;
    if (!former || (former.shelves.isEmpty && !former.sizes)) return loaded;
    const images: number[] = [];
    for (let next: [number, number] | undefined; ; ) {
      const changes = await this.#reader.readChanges(former.documentRevision, next);
      expectVersion(changes.version, version);
      if (!changes.isSuccessor) return loaded;
      images.push(...changes.images);
      if (images.length + lastImage - former.lastImage > MAX_CHANGED_IMAGES) return loaded;
      next = changes.next;
      if (!next) break;
    }
    for (let added = former.lastImage + 1; added <= lastImage; added++) images.push(added);
    const placements = new Map<number, Placement | undefined>();
    const perSlice = this.#reader.placementsPerSlice;
    for (let from = 0; from < images.length; from += perSlice) {
      const slice = images.slice(from, from + perSlice);
      for (const image of slice) placements.set(image, undefined);
      const read = await this.#reader.readPlacements(slice);
      expectVersion(read.version, version);
      for (const { image, ...placement } of read.items) placements.set(image, placement);
    }
    for (const [number, { set }] of [...former.shelves.entries()]) {
      if (!set) continue;
      const changed = applyChanges(set, number, placements, lastImage);
      loaded.shelves.set(number, { bytes: changed.bytes, loading: Promise.resolve(changed), set: changed });
      await yieldToEventLoop();
    }
    if (former.sizes) {
      loaded.sizes = new ImageSizes(lastImage, former.sizes);
      for (const [image, { width, height } = { width: 0, height: 0 }] of placements)
        if (image <= lastImage) loaded.sizes.set(image, width, height);
    }
    return loaded;
  }
}

function startLoading({ version, lastImage, documentRevision }: CatalogueVersion): Loaded {
  return { version, lastImage, documentRevision, shelves: new LruCache(MAX_SHELF_BYTES) };
}

/** A shelf that is loaded, or loading. */
function findShelf({ shelves, lastImage }: Loaded, { number, size }: Shelf): LoadedShelf | undefined {
  const shelf = shelves.get(number);
  // A shelf with as many images as there are numbers holds all of them. Kept like others: a later commit may remove some.
  if (size === lastImage && !(shelf?.set instanceof RangeSet)) {
    const set = new RangeSet(size);
    const full = { bytes: 0, loading: Promise.resolve(set), set };
    shelves.set(number, full);
    return full;
  }
  // One of another size was not brought to this version completely.
  return shelf?.set && shelf.set.size !== size ? undefined : shelf;
}

/** The set with some images as they are placed now; those without a placement are gone. */
function applyChanges(
  set: ImageSet,
  shelf: number,
  placements: Map<number, Placement | undefined>,
  lastImage: number,
): ImageSet {
  let builder: BitmapBuilder | undefined;
  for (const [image, placement] of placements) {
    const isOn = placement?.shelves.includes(shelf) === true;
    if (set.has(image) === isOn) continue;
    if (!builder) {
      builder = new BitmapBuilder(lastImage);
      builder.add(set);
    }
    builder.put(image, isOn);
  }
  return builder?.build() ?? set;
}
