/**
 * From a selection to the numbers of its images: from sets in memory, or from the database as long as it would take longer
 * to load them.
 */

import { drawPositions, type NewestPage, newestBelow, sample } from '../catalogue/sets/choose-images.ts';
import { type ImageSet, sliceImages } from '../catalogue/sets/image-set.ts';
import {
  pageInSeedOrder,
  SeedOrder,
  type SeedOrderPage,
  type SeedPosition,
} from '../catalogue/sets/seed-order.ts';
import type { Page, Window } from '../catalogue/types.ts';
import type { RandomInt } from '../lib/random.ts';
import type { Caller } from './contract/catalogue.ts';
import { MAX_ALBUM_IMAGES } from './contract/writer.ts';
import { drawImages, isDrawable, isExhaustive, planDraw } from './draws.ts';
import type { ImageSets } from './image-sets.ts';
import { LoadedShelves } from './loaded-shelves.ts';
import { type Selection, shelvesOf, soleShelf } from './selection.ts';
import type { Shelf } from './shelves.ts';
import { type Call, get, type View } from './view.ts';

export class ImageNumbers {
  readonly #sets: ImageSets;
  readonly #shelves: LoadedShelves;

  constructor(sets: ImageSets, imagesPerRead: number) {
    this.#sets = sets;
    this.#shelves = new LoadedShelves(sets, imagesPerRead);
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
    const shelf = this.#shelfToRead(selection);
    if (!shelf) {
      const set = yield* this.#load(selection, caller);
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
    const drawn = yield* this.#draw(view, selection, limit, randomInt);
    return drawn ?? sample(yield* this.#load(selection, caller), limit, randomInt);
  }

  /** Newest first: all, or those below a number. */
  *latest(
    view: View,
    selection: Selection,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Call<NewestPage> {
    const shelf = this.#shelfToRead(selection);
    if (shelf) return yield* get(view.newest(shelf, below, limit));
    return newestBelow(yield* this.#load(selection, caller), below, limit);
  }

  /** In the order of a seed. Undefined if the position is not one of this catalogue. */
  *seeded(
    selection: Selection,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Call<SeedOrderPage | undefined> {
    const set = yield* this.#load(selection, caller);
    return pageInSeedOrder(set, new SeedOrder(seed, selection.catalogue.lastImage), from, limit);
  }

  /** Undefined if it would be cheaper to find the whole selection. */
  *#draw(view: View, selection: Selection, limit: number, randomInt: RandomInt): Call<number[] | undefined> {
    if (!isDrawable(selection)) return undefined;
    const sets = this.#setsOf(selection);
    const isWithinBounds = this.#boundsTest(selection);
    if (sets && isWithinBounds)
      return drawImages(selection, (shelf) => sets.get(shelf) as ImageSet, isWithinBounds, limit, randomInt);
    const shelf = soleShelf(selection);
    if (shelf) return yield* get(view.imagesAt(shelf.number, drawPositions(shelf.size, limit, randomInt)));
    const images = yield* get(view.draw(planDraw(selection, limit, randomInt)));
    return images.length === limit || isExhaustive(selection) ? images : undefined;
  }

  *#load(selection: Selection, caller: Caller): Call<ImageSet> {
    return this.#sets.cached(selection) ?? (yield* get(this.#sets.load(selection, caller)));
  }

  /** The shelf of a selection that has only one, if it is not in memory. */
  #shelfToRead(selection: Selection): Shelf | undefined {
    const shelf = soleShelf(selection);
    return shelf && !this.#shelves.get(shelf, selection.catalogue) ? shelf : undefined;
  }

  /** Tests the bounds of a selection. Undefined if the sizes of images are not in memory. */
  #boundsTest({ catalogue, bounds }: Selection): ((image: number) => boolean) | undefined {
    if (!bounds) return () => true;
    const index = this.#shelves.dimensions(catalogue);
    return index && ((image) => index.has(bounds, image));
  }

  /** All shelves that a selection names. Undefined if one is not in memory. */
  #setsOf(selection: Selection): Map<Shelf, ImageSet> | undefined {
    const sets = new Map<Shelf, ImageSet>();
    const shelves = shelvesOf(selection);
    for (const shelf of shelves) {
      const set = this.#shelves.get(shelf, selection.catalogue);
      if (set) sets.set(shelf, set);
    }
    return shelves.every((shelf) => sets.has(shelf)) ? sets : undefined;
  }
}
