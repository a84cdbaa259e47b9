/**
 * From a selection to the numbers of its images. All shelves are sets in memory (image-sets.ts). Random images are drawn from the
 * smallest and tested one by one, so that combining whole sets is left to pages, and to selections that few images qualify for.
 */
import type { Caller } from '../../catalogue/catalogue.ts';
import type { Page, Window } from '../../catalogue/schemas.ts';
import {
  type Demands,
  hasSize,
  type ImageSet,
  imageInRow,
  ListSet,
  meets,
  sliceImages,
} from '../../catalogue/sets/image-set.ts';
import { HashIndex, MAX_SIMILAR_DISTANCE, Nearest } from '../../catalogue/sets/look-alikes.ts';
import {
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
import type { RandomInt } from '../../lib/random.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import { type Call, cacheVersion, expectVersion, get, type View } from '../view.ts';
import type { ImageSets } from './image-sets.ts';
import { type Selection, soleShelf } from './selection.ts';
import { FairQueue, readAll, type SliceReader } from './slices.ts';

/** Enough for a size that one image in ten has. */
const LOOKED_UP_FOR_ONE = 20;

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
    const { offset, limit } = window;
    const whole = album !== undefined && soleShelf(selection);
    if (whole)
      return { total: whole.size, items: yield* get(view.list('albumImages', album, offset, limit)) };
    const set = yield* this.all(selection, caller);
    if (album === undefined) return { total: set.size, items: sliceImages(set, window) };
    const order = yield* get(view.list('albumImages', album, 0, MAX_ALBUM_IMAGES));
    const items = order.filter((image) => set.has(image)).slice(offset, offset + limit);
    return { total: set.size, items };
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
    if (selection.sizes.size > 0 && !this.#sets.hasSizes(selection)) {
      const drawn = yield* this.#drawBySize(view, selection, limit, randomInt, caller);
      if (drawn) return drawn;
    }
    const demands = soleShelf(selection) ? undefined : yield* get(this.#sets.demands(selection, caller));
    const drawn = demands && drawImages(demands, limit, this.#maxTested, randomInt);
    return drawn ?? sample(yield* this.all(selection, caller), limit, randomInt);
  }

  /** Looks up the sizes of some images, as long as those of all are not in memory. Undefined if too few of them qualify. */
  *#drawBySize(
    view: View,
    selection: Selection,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Call<number[] | undefined> {
    const demands = yield* get(this.#sets.demands({ ...selection, sizes: new Map() }, caller));
    const max = Math.min(LOOKED_UP_FOR_ONE * limit, this.#maxTested);
    const drawn = demands && drawImages(demands, max, this.#maxTested, randomInt);
    if (!drawn) return undefined;
    const tests = [...selection.sizes.values()];
    const found = (yield* get(view.imageSizes(drawn))).flatMap(([image, ...size]) =>
      tests.every((test) => hasSize(test, ...size)) ? [image] : [],
    );
    return found.length >= limit || drawn.length < max ? found.slice(0, limit) : undefined;
  }

  /** Newest first: all, or those below a number. */
  *latest(selection: Selection, below: number | undefined, limit: number, caller: Caller): Call<NewestPage> {
    return newestBelow(yield* this.all(selection, caller), below, limit);
  }

  /** In the order of a seed. Undefined if the position is not one of this catalogue. */
  *seeded(
    selection: Selection,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Call<SeedOrderPage | undefined> {
    const set = yield* this.all(selection, caller);
    return pageInSeedOrder(set, new SeedOrder(seed, selection.catalogue.lastImage), from, limit);
  }

  *all(selection: Selection, caller: Caller): Call<ImageSet> {
    const cached = this.#sets.cached(selection);
    if (cached) return cached;
    const isSmall = selection.choices[0].size <= this.#maxTested && !soleShelf(selection);
    const demands = isSmall ? yield* get(this.#sets.demands(selection, caller)) : undefined;
    if (!demands) return yield* get(this.#sets.load(selection, caller));
    const images = new Set<number>();
    for (const set of demands.choices[0] as ImageSet[])
      set.each((image) => {
        if (meets(demands, image)) images.add(image);
      });
    const set = new ListSet(Uint32Array.from(images).sort());
    this.#sets.keep(selection, set);
    return set;
  }
}

/**
 * Draws positions of the smallest choice until enough of their images qualify. Undefined if too few do. This does not depend
 * on any particular image, so the result is uniform either way.
 */
export function drawImages(
  demands: Demands,
  limit: number,
  maxTested: number,
  randomInt: RandomInt,
): number[] | undefined {
  const [first = []] = demands.choices;
  const size = first.reduce((sum, set) => sum + set.size, 0);
  const images: number[] = [];
  let tested = 0;
  for (const position of shuffledPositions(size, randomInt)) {
    if (images.length === limit) break;
    if (tested++ === maxTested) return undefined;
    const image = imageInRow(first, position);
    if (image !== undefined && meets(demands, image)) images.push(image);
  }
  return images;
}

// Finding images that look alike. The perceptual hashes of all images are cached until the catalogue changes.

/** Images compared between two looks at the clock: about a third of a millisecond. */
const IMAGES_PER_STEP = 50_000;
/** The cost of comparing two images, in the queue's unit of work. */
const WORK_PER_IMAGE = 0.5;

/** Returns what finds the images of a set that look most like an image. */
export function similarImages(reader: SliceReader, tuning = defaultTuning) {
  const queue = new FairQueue();
  const readIndex = cacheVersion(
    async () => {
      const index = new HashIndex();
      const version = await readAll(
        reader,
        'hashes',
        ([last] = [0, ''], size) => [last, size],
        (item) => index.add(...item),
      );
      return { version, index };
    },
    () => reader.currentVersion(),
    tuning,
  );
  /** Their numbers, nearest first. Throws CatalogueChanged if the catalogue has another version than the set. */
  return async (
    image: number,
    set: ImageSet,
    version: number,
    limit: number,
    caller: Caller,
  ): Promise<number[]> => {
    const { version: actual, index } = await readIndex();
    expectVersion(actual, version);
    const hash = index.hashOf(image);
    if (!hash) return [];
    return queue.run(caller, index.size * WORK_PER_IMAGE, async (spend) => {
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
  };
}
