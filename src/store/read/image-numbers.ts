/**
 * From a selection to the numbers of its images, in one of two ways. Positions: the images at some positions of a shelf are
 * read from the database, and each is tested. Sets: all shelves are loaded and combined as bitmaps (image-sets.ts), if too few
 * of the images at random positions qualify, or all of a larger selection have to be known.
 */
import type { Caller } from '../../catalogue/catalogue.ts';
import type { Page, Window } from '../../catalogue/schemas.ts';
import { type ImageSet, ListSet, sliceImages } from '../../catalogue/sets/image-set.ts';
import { HashIndex, MAX_SIMILAR_DISTANCE, Nearest } from '../../catalogue/sets/look-alikes.ts';
import {
  drawPositions,
  type NewestPage,
  newestBelow,
  pageInSeedOrder,
  SeedOrder,
  type SeedOrderPage,
  type SeedPosition,
  sample,
  shuffledPositions,
} from '../../catalogue/sets/orders.ts';
import { MAX_ALBUM_IMAGES } from '../../catalogue/writer.ts';
import { yieldToEventLoop } from '../../lib/concurrency.ts';
import type { RandomInt } from '../../lib/random.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import {
  type Call,
  expectVersion,
  get,
  type Place,
  retryOnChange,
  type Shelf,
  VersionedCache,
  type View,
} from '../view.ts';
import type { ImageSets } from './image-sets.ts';
import { type Choice, isSelected, type Selection, soleShelf } from './selection.ts';
import { FairQueue, type SliceReader } from './slices.ts';

/** The least positions that are drawn at once, because each read takes a round trip. */
const MIN_DRAWS = 32;

export class ImageNumbers {
  readonly #sets: ImageSets;
  /** The most images of a selection that are tested one by one. */
  readonly #maxTested: number;

  constructor(sets: ImageSets, { maxTestedImages }: Tuning) {
    this.#sets = sets;
    this.#maxTested = maxTestedImages;
  }

  /** In the order in which they were added, or in that of an album that has all of them. */
  *page(
    view: View,
    selection: Selection,
    window: Window,
    caller: Caller,
    album?: number,
  ): Call<Page<number>> {
    if (album !== undefined) {
      const { offset, limit } = window;
      const whole = soleShelf(selection);
      if (whole) return { total: whole.size, items: yield* get(view.albumImages(album, offset, limit)) };
      const all = { offset: 0, limit: MAX_ALBUM_IMAGES };
      const { total, items } = yield* this.page(view, selection, all, caller);
      const selected = new Set(items);
      const order = (yield* get(view.albumImages(album, 0, all.limit))).filter((image) =>
        selected.has(image),
      );
      return { total, items: order.slice(offset, offset + limit) };
    }
    const shelf = this.#shelfToRead(selection, window.limit, caller);
    if (!shelf) {
      const set = yield* this.all(view, selection, caller);
      return { total: set.size, items: sliceImages(set, window) };
    }
    const end = Math.min(window.offset + window.limit, shelf.size);
    if (window.offset >= end) return { total: shelf.size, items: [] };
    return { total: shelf.size, items: yield* get(view.imagesOn(shelf.number, window.offset, end)) };
  }

  /** Distinct images, in random order. */
  *random(
    view: View,
    selection: Selection,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Call<number[]> {
    const set = this.#sets.cached(selection);
    if (set) return sample(set, limit, randomInt);
    const drawn = yield* this.#draw(view, selection, limit, randomInt, caller);
    return drawn ?? sample(yield* this.all(view, selection, caller), limit, randomInt);
  }

  /** Newest first: all, or those below a number. */
  *latest(
    view: View,
    selection: Selection,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Call<NewestPage> {
    const shelf = this.#shelfToRead(selection, limit, caller);
    if (shelf) return yield* get(view.newest(shelf, below, limit));
    return newestBelow(yield* this.all(view, selection, caller), below, limit);
  }

  /** In the order of a seed. Undefined if the position is not one of this catalogue. */
  *seeded(
    view: View,
    selection: Selection,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Call<SeedOrderPage | undefined> {
    const set = yield* this.all(view, selection, caller);
    return pageInSeedOrder(set, new SeedOrder(seed, selection.catalogue.lastImage), from, limit);
  }

  *all(view: View, selection: Selection, caller: Caller): Call<ImageSet> {
    const cached = this.#sets.cached(selection);
    if (cached) return cached;
    const [first] = selection.choices;
    if (first.size > this.#maxTested || soleShelf(selection))
      return yield* get(this.#sets.load(selection, caller));
    const places = Array.from({ length: first.size }, (_, at) => placeOf(first, at));
    const images = yield* this.#test(view, selection, places);
    const set = new ListSet(Uint32Array.from(images).sort());
    this.#sets.keep(selection, set);
    return set;
  }

  /**
   * Draws positions of the smallest choice until enough of their images qualify. Undefined if too few do. This does not depend
   * on any particular image, so the result is uniform either way.
   */
  *#draw(
    view: View,
    selection: Selection,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Call<number[] | undefined> {
    const [first] = selection.choices;
    if (this.#shelfToRead(selection, limit, caller)) {
      const positions = drawPositions(first.size, limit, randomInt);
      return yield* get(view.imagesAt(positions.map((position) => placeOf(first, position))));
    }
    const positions = shuffledPositions(first.size, randomInt);
    const images: number[] = [];
    let drawn = 0;
    for (let count = Math.max(2 * limit, MIN_DRAWS); drawn < first.size; count *= 2) {
      if (images.length >= limit) break;
      if (drawn >= this.#maxTested) return undefined;
      const length = Math.min(count, first.size - drawn, this.#maxTested - drawn);
      const places = Array.from({ length }, () => placeOf(first, positions.next().value as number));
      images.push(...(yield* this.#test(view, selection, places)));
      drawn += length;
    }
    this.#sets.missed(selection, drawn, caller);
    return images.slice(0, limit);
  }

  /**
   * Those of the images at places of the smallest choice that qualify. An image on several of its shelves counts on the first
   * of them only, or it would be more likely than others.
   */
  *#test(view: View, selection: Selection, places: Place[]): Call<number[]> {
    const [{ shelves }] = selection.choices;
    const images = yield* get(view.imagesAt(places));
    const placements = yield* get(view.placements(images));
    const byImage = new Map(placements.map((placement) => [placement.image, placement]));
    return images.filter((image, at) => {
      const placement = byImage.get(image);
      if (!placement || !isSelected(selection, placement)) return false;
      return shelves.find(({ number }) => placement.shelves.includes(number))?.number === places[at]?.shelf;
    });
  }

  /** The shelf of a selection that has only one, if it is not in memory. */
  #shelfToRead(selection: Selection, limit: number, caller: Caller): Shelf | undefined {
    const shelf = soleShelf(selection);
    if (!shelf || this.#sets.cached(selection)) return undefined;
    this.#sets.missed(selection, limit, caller);
    return shelf;
  }
}

/** The place of a position in the row that all shelves of a choice make. */
function placeOf({ shelves }: Choice, drawn: number): Place {
  let [index, position] = [0, drawn];
  for (; position >= (shelves[index] as Shelf).size; index++) position -= (shelves[index] as Shelf).size;
  return { shelf: (shelves[index] as Shelf).number, position };
}

// Finding images that look alike. The perceptual hashes of all images are cached until the catalogue changes.

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
