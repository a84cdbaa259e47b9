/**
 * Which images are on a shelf, how large they are, and which of them a whole selection has, in memory. All of it is of one
 * version, and read when it is first asked for: a shelf of a million images takes a third of a millisecond. What takes longer
 * waits in a fair queue, because a client can name hundreds of shelves.
 */
import type { Caller } from '../../catalogue/catalogue.ts';
import {
  addImages,
  addSizes,
  blockOf,
  emptyBlocks,
  lastOf,
  listImages,
} from '../../catalogue/sets/blocks.ts';
import {
  BitmapBuilder,
  BitmapSet,
  type Demands,
  type ImageSet,
  ImageSizes,
  isSparse,
  ListSet,
  RangeSet,
} from '../../catalogue/sets/image-set.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import { type CatalogueVersion, expectVersion, type Shelf } from '../view.ts';
import { type Selection, selectionKey, shelvesOf, soleShelf } from './selection.ts';
import { FairQueue, readBlocks, type SliceReader, type Spend } from './slices.ts';

const MAX_SHELF_BYTES = 48 * 1024 * 1024;
/** Apart from the shelves, because clients can ask for any number of different selections. */
const MAX_SELECTION_BYTES = 16 * 1024 * 1024;
/** More than searches, because most selections take about a millisecond. */
const MAX_WAITING = 128;
/** Of a selection whose sets are all held at once. */
const MAX_SHELVES = 32;
/** The cost of steps in the queue's unit of work: a shelf, and images of it that are read or combined; */
const WORK_PER_SHELF = 10_000;
const IMAGES_PER_WORK = 8;
/** and the size of an image, read or compared. */
const WORK_PER_SIZE = 2;
/** Images compared between two looks at the clock: about a third of a millisecond. A multiple of 32. */
const IMAGES_PER_STEP = 49_984;

/** What is in memory of one version. */
interface Kept extends Pick<CatalogueVersion, 'version' | 'lastImage'> {
  /** By number. */
  shelves: LruCache<number, ImageSet>;
  selections: LruCache<string, ImageSet>;
  sizes?: ImageSizes;
  /** What is being read, by the number of the shelf. */
  reading: Map<number | 'sizes', Promise<unknown>>;
}

export class ImageSets {
  readonly #reader: SliceReader;
  readonly #tuning: Tuning;
  readonly #queue = new FairQueue({ maxJobs: MAX_WAITING });
  #kept: Kept | undefined;

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#tuning = tuning;
  }

  /** The selection, if it is in memory. */
  cached(selection: Selection): ImageSet | undefined {
    const kept = this.#keptOf(selection);
    const shelf = soleShelf(selection);
    if (shelf) return findShelf(kept, shelf);
    return kept.selections.isEmpty ? undefined : kept.selections.get(selectionKey(selection));
  }

  keep(selection: Selection, set: ImageSet): void {
    this.#keptOf(selection).selections.set(selectionKey(selection), set);
  }

  /** The whole selection. Throws CatalogueChanged, or Unavailable if too many wait. */
  async load(selection: Selection, caller: Caller): Promise<ImageSet> {
    return this.#queue.run(caller, expectedWork(selection), async (spend) => {
      // Another request may have computed it while this one was waiting.
      const cached = this.cached(selection);
      if (cached) return cached;
      const kept = this.#keptOf(selection);
      const shelf = soleShelf(selection);
      if (shelf) return this.#loadShelf(kept, shelf, spend);
      const set = await this.#combine(kept, selection, spend);
      kept.selections.set(selectionKey(selection), set);
      return set;
    });
  }

  /** What single images are tested with. Undefined if the selection names too many shelves. */
  demands(selection: Selection, caller: Caller): Demands | Promise<Demands> | undefined {
    const shelves = shelvesOf(selection);
    if (shelves.length > MAX_SHELVES) return undefined;
    const kept = this.#keptOf(selection);
    const needsSizes = selection.sizes.size > 0;
    const sets = new Map(shelves.map((shelf) => [shelf.number, findShelf(kept, shelf)]));
    const missing = shelves.filter(({ number }) => sets.get(number) === undefined);
    const make = (): Demands => {
      const setsOf = (named: Shelf[]) => named.map(({ number }) => sets.get(number) as ImageSet);
      return {
        choices: selection.choices.map(({ shelves }) => setsOf(shelves)),
        excluded: setsOf(selection.excluded),
        sizes: kept.sizes,
        tests: [...selection.sizes.values()],
      };
    };
    if (missing.length === 0 && (!needsSizes || kept.sizes)) return make();
    return this.#queue.run(caller, expectedWork(selection), async (spend) => {
      for (const shelf of missing) sets.set(shelf.number, await this.#loadShelf(kept, shelf, spend));
      if (needsSizes) await this.#loadSizes(kept, spend);
      return make();
    });
  }

  #keptOf({ catalogue }: Selection): Kept {
    if (this.#kept?.version === catalogue.version && this.#tuning.isCaching) return this.#kept;
    const { version, lastImage } = catalogue;
    this.#kept = {
      ...{ version, lastImage, reading: new Map() },
      shelves: new LruCache(MAX_SHELF_BYTES),
      selections: new LruCache(MAX_SELECTION_BYTES),
    };
    return this.#kept;
  }

  /** Combines bitmaps, one shelf at a time. Other requests may get their turn between two shelves. */
  async #combine(kept: Kept, selection: Selection, spend: Spend): Promise<ImageSet> {
    const { choices, excluded, sizes } = selection;
    const forEachSet = async (shelves: Shelf[], visit: (set: ImageSet) => void) => {
      for (const shelf of shelves) {
        visit(await this.#loadShelf(kept, shelf, spend));
        await spend(WORK_PER_SHELF + shelf.size / IMAGES_PER_WORK);
      }
    };
    let result: BitmapBuilder | undefined;
    for (const { shelves } of choices) {
      const choice = new BitmapBuilder(kept.lastImage);
      await forEachSet(shelves, (set) => choice.add(set));
      if (result) result.intersect(choice);
      else result = choice;
    }
    await forEachSet(excluded, (set) => result?.subtract(set));
    if (sizes.size > 0) {
      const all = await this.#loadSizes(kept, spend);
      for (const test of sizes.values())
        for (let from = 0; from <= kept.lastImage; from += IMAGES_PER_STEP) {
          result?.retain(from, from + IMAGES_PER_STEP, (image) => all.passes(test, image));
          await spend(IMAGES_PER_STEP * WORK_PER_SIZE);
        }
    }
    return (result as BitmapBuilder).build();
  }

  async #loadShelf(kept: Kept, shelf: Shelf, spend: Spend): Promise<ImageSet> {
    const found = findShelf(kept, shelf);
    if (found) return found;
    const set = await readOnce(kept, shelf.number, () => this.#readShelf(kept, shelf));
    kept.shelves.set(shelf.number, set);
    await spend(WORK_PER_SHELF + kept.lastImage / IMAGES_PER_WORK);
    return set;
  }

  async #readShelf({ version, lastImage }: Kept, { number, size }: Shelf): Promise<ImageSet> {
    if (isSparse(size, lastImage)) {
      const images: number[] = [];
      const read = await readBlocks(this.#reader, lastImage, number, (block) => {
        for (const image of listImages(block)) images.push(image);
      });
      expectVersion(read, version);
      return new ListSet(Uint32Array.from(images));
    }
    const bits = emptyBlocks(lastImage);
    expectVersion(
      await readBlocks(this.#reader, lastImage, number, (block) => addImages(bits, block)),
      version,
    );
    return new BitmapSet(bits);
  }

  async #loadSizes(kept: Kept, spend: Spend): Promise<ImageSizes> {
    kept.sizes ??= await readOnce(kept, 'sizes', async () => {
      const sizes = new ImageSizes(lastOf(blockOf(kept.lastImage)));
      const read = await readBlocks(this.#reader, kept.lastImage, undefined, (block) =>
        addSizes(sizes, block),
      );
      expectVersion(read, kept.version);
      return sizes;
    });
    await spend(kept.lastImage * WORK_PER_SIZE);
    return kept.sizes;
  }
}

/** A shelf with as many images as there are numbers holds all of them. */
function findShelf({ shelves, lastImage }: Kept, { number, size }: Shelf): ImageSet | undefined {
  return size === lastImage ? new RangeSet(size) : shelves.get(number);
}

/** Requests that come meanwhile wait for the same read. */
function readOnce<T>({ reading }: Kept, key: number | 'sizes', read: () => Promise<T>): Promise<T> {
  const started = reading.get(key) as Promise<T> | undefined;
  if (started) return started;
  const promise = read().finally(() => reading.delete(key));
  reading.set(key, promise);
  return promise;
}

function expectedWork(selection: Selection): number {
  const { sizes, catalogue } = selection;
  const perShelf = WORK_PER_SHELF + catalogue.lastImage / IMAGES_PER_WORK;
  return shelvesOf(selection).length * perShelf + (sizes.size > 0 ? catalogue.lastImage * WORK_PER_SIZE : 0);
}
