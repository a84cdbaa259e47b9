/**
 * Which images stand on shelves, and which meet a whole selection, kept in memory for what is asked for. A shelf is read in
 * slices, between other requests, and so is a selection worked out from its shelves, each of which takes a fraction of a
 * millisecond for a million images. Everything is of one version of the catalogue, and is forgotten with it.
 */
import { emptyBits, setBit } from '../../catalogue/bits.ts';
import {
  BitmapBuilder,
  BitmapSet,
  filterImages,
  type ImageSet,
  isSparse,
  ListSet,
  RangeSet,
} from '../../catalogue/image-set.ts';
import { yieldToEventLoop } from '../../event-loop.ts';
import { LruCache } from './lru-cache.ts';
import { keyOf, onlyShelf, type Selection, shelfCount } from './selection.ts';
import type { CatalogueVersion, Shelf } from './shelves.ts';
import { readSlices, type Slice } from './slices.ts';

const MAX_BYTES_OF_SHELVES = 48 * 1024 * 1024;
/** Anyone can ask for any number of selections, so they have a room of their own. */
const MAX_BYTES_OF_SELECTIONS = 16 * 1024 * 1024;
/** Images are looked at one by one where that takes no more looks at sets than this, a few milliseconds. */
const MAX_LOOKS = 50_000;

/** The numbers of the images on a shelf, from one position up to another. */
export type ReadShelf = (shelf: number, from: number, to: number) => Promise<Slice<number>>;

interface Kept {
  bytes: number;
  /** Undefined when it turned out to be of another version. */
  reading: Promise<ImageSet | undefined>;
  set: ImageSet | undefined;
}

export class Members {
  readonly #read: ReadShelf;
  readonly #readAtOnce: number;
  /** By number. */
  readonly #shelves = new LruCache<number, Kept>(MAX_BYTES_OF_SHELVES);
  /** By key. */
  readonly #selections = new LruCache<string, ImageSet>(MAX_BYTES_OF_SELECTIONS);
  #version: number | undefined;
  /** Whether a shelf is being read that nobody waits for. */
  #isReadingAhead = false;

  constructor(readAtOnce: number, read: ReadShelf) {
    this.#readAtOnce = readAtOnce;
    this.#read = read;
  }

  /** What is known already. */
  known(selection: Selection, moment: CatalogueVersion): ImageSet | undefined {
    this.#forgetOthers(moment);
    const shelf = onlyShelf(selection);
    if (shelf) return this.#knownShelf(shelf, moment);
    return this.#selections.isEmpty ? undefined : this.#selections.get(keyOf(selection));
  }

  /**
   * Undefined when it is not known yet; then it is being read from now on, for the next who asks. One at a time: all
   * readings take turns, and who names hundreds of categories would make each turn a long one.
   */
  shelf(shelf: Shelf, moment: CatalogueVersion): ImageSet | undefined {
    this.#forgetOthers(moment);
    const known = this.#knownShelf(shelf, moment);
    if (known || this.#isReadingAhead) return known;
    this.#isReadingAhead = true;
    const done = () => {
      this.#isReadingAhead = false;
    };
    this.#reading(shelf, moment).reading.then(done, done);
    return undefined;
  }

  /** All images of a selection. Undefined when the catalogue is no longer the one of that moment. */
  async of(selection: Selection, moment: CatalogueVersion): Promise<ImageSet | undefined> {
    const known = this.known(selection, moment);
    if (known) return known;
    const shelf = onlyShelf(selection);
    if (shelf) return this.#set(shelf, moment);
    const isPicked = selection.choices[0].size * shelfCount(selection) <= MAX_LOOKS;
    const set = await (isPicked ? this.#pick(selection, moment) : this.#combine(selection, moment));
    if (set && this.#version === moment.version) this.#selections.set(keyOf(selection), set);
    return set;
  }

  async #pick({ choices: [first, ...others], none }: Selection, moment: CatalogueVersion) {
    const sets = new Map<Shelf, ImageSet>();
    for (const shelf of [first, ...others].flatMap(({ shelves }) => shelves).concat(none)) {
      const set = await this.#set(shelf, moment);
      if (!set) return undefined;
      sets.set(shelf, set);
    }
    const setsOf = (shelves: Shelf[]) => shelves.map((shelf) => sets.get(shelf) as ImageSet);
    const choices = others.map(({ shelves }) => setsOf(shelves));
    return filterImages(setsOf(first.shelves), choices, setsOf(none));
  }

  /** Each set is let go as soon as it was taken in, and others have their turn between two of them. */
  async #combine({ choices: [first, ...others], none }: Selection, moment: CatalogueVersion) {
    const made = new BitmapBuilder(moment.lastImage);
    const takeEach = async (shelves: Shelf[], take: (set: ImageSet) => void) => {
      for (const shelf of shelves) {
        const set = await this.#set(shelf, moment);
        if (!set) return false;
        take(set);
        await yieldToEventLoop();
      }
      return true;
    };
    if (!(await takeEach(first.shelves, (set) => made.add(set)))) return undefined;
    for (const { shelves } of others) {
      const choice = new BitmapBuilder(moment.lastImage);
      if (!(await takeEach(shelves, (set) => choice.add(set)))) return undefined;
      made.intersect(choice);
    }
    return (await takeEach(none, (set) => made.subtract(set))) ? made.build() : undefined;
  }

  /** What stands on a shelf. Undefined when the catalogue is no longer the one of that moment. */
  async #set(shelf: Shelf, moment: CatalogueVersion): Promise<ImageSet | undefined> {
    if (this.#version !== moment.version) return undefined;
    return this.#knownShelf(shelf, moment) ?? this.#reading(shelf, moment).reading;
  }

  #forgetOthers({ version }: CatalogueVersion): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#shelves.clear();
    this.#selections.clear();
  }

  #knownShelf({ number, size }: Shelf, { lastImage }: CatalogueVersion): ImageSet | undefined {
    // As many images as there are numbers: then it is all of them.
    return size === lastImage ? new RangeSet(size) : this.#shelves.get(number)?.set;
  }

  #reading(shelf: Shelf, moment: CatalogueVersion): Kept {
    const known = this.#shelves.get(shelf.number);
    if (known) return known;
    const kept = this.#begin(shelf, moment);
    this.#shelves.set(shelf.number, kept);
    return kept;
  }

  #begin({ number, size }: Shelf, { version, lastImage }: CatalogueVersion): Kept {
    const reading = this.#readSet(number, size, lastImage).then((found) =>
      found.version === version ? found.set : undefined,
    );
    const bytes = isSparse(size, lastImage) ? size * 4 : lastImage / 8;
    const kept: Kept = { bytes, reading, set: undefined };
    const forget = () => {
      if (this.#shelves.get(number) === kept) this.#shelves.delete(number);
    };
    reading.then((set) => {
      kept.set = set;
      // What came too late, or failed, is not kept: the next one who asks reads anew.
      if (!set) forget();
    }, forget);
    return kept;
  }

  async #readSet(shelf: number, size: number, lastImage: number) {
    const read = (take: (image: number) => void) =>
      readSlices(this.#readAtOnce, (from, to) => this.#read(shelf, from, to), take);
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
