/**
 * Which images are on a shelf, how large they are, and which of them a whole selection has, in memory. All of it is of one
 * version, and read when it is first asked for: a shelf of a million images takes a third of a millisecond. What takes longer
 * waits in a fair queue, because a client can name hundreds of shelves.
 */
import type { Caller } from '../../catalogue/catalogue.ts';
import { readTexts } from '../../catalogue/documents/document.ts';
import { SearchTooLong } from '../../catalogue/search/scan.ts';
import {
  hasText,
  isVague,
  partsOf,
  rangeOf,
  type TermRange,
  type Text,
  textKey,
} from '../../catalogue/search/words.ts';
import {
  addImages,
  addSizes,
  type Block,
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
import { inBatches } from '../../lib/concurrency.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import { type CatalogueVersion, expectVersion, type Shelf } from '../view.ts';
import {
  allSources,
  type Choice,
  type Selection,
  type Source,
  selectionKey,
  soleShelf,
  sourceKey,
  sourcesOf,
} from './selection.ts';
import { FairQueue, readAll, readTerms, type SliceReader, type Spend } from './slices.ts';

const MAX_SHELF_BYTES = 48 * 1024 * 1024;
/** Apart from the shelves, because clients can ask for any number of different selections. */
const MAX_SELECTION_BYTES = 16 * 1024 * 1024;
/** A cache has room for so many bitmaps, which have 12 MB each with a hundred million images. */
const MIN_BITMAPS = 16;
/** More than searches, because most selections take about a millisecond. */
const MAX_WAITING = 128;
/** Of a selection whose sets are all held at once. */
const MAX_SOURCES = 32;
/** The cost of steps in the queue's unit of work: a shelf, and images of it that are read or combined; */
const WORK_PER_SHELF = 10_000;
const IMAGES_PER_WORK = 8;
/** a block of a term that is read; the document of an image, read and compared with a text; */
const WORK_PER_BLOCK = 300;
const WORK_PER_DOCUMENT = 3000;
/** and the size of an image, read or compared. */
const WORK_PER_SIZE = 2;
/** Images compared between two looks at the clock: about a third of a millisecond. A multiple of 32. */
const IMAGES_PER_STEP = 49_984;

/** Images that have all words of a phrase, and are compared with it. */
const MAX_COMPARED = 20_000;
const COMPARED_AT_ONCE = 100;

/** What is in memory of one version. */
interface Kept extends Pick<CatalogueVersion, 'version' | 'lastImage'> {
  /** Of shelves and texts, by their key. */
  sources: LruCache<number | string, ImageSet>;
  selections: LruCache<string, ImageSet>;
  sizes?: ImageSizes;
  /** What is being read, by its key. */
  reading: Map<number | string, Promise<unknown>>;
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
    if (shelf) return findSet(kept, shelf);
    return kept.selections.isEmpty ? undefined : kept.selections.get(selectionKey(selection));
  }

  keep(selection: Selection, set: ImageSet): void {
    this.#keptOf(selection).selections.set(selectionKey(selection), set);
  }

  /** The whole selection. Throws CatalogueChanged, SearchTooLong, or Unavailable if too many wait. */
  async load(selection: Selection, caller: Caller): Promise<ImageSet> {
    return this.#queue.run(caller, expectedWork(selection), (spend) => this.#loadSelection(selection, spend));
  }

  /** What single images are tested with. Undefined if the selection names too much. */
  demands(selection: Selection, caller: Caller): Demands | Promise<Demands> | undefined {
    const sources = allSources(selection);
    if (sources.length > MAX_SOURCES) return undefined;
    const kept = this.#keptOf(selection);
    const needsSizes = [selection, selection.except].some((each) => each && each.sizes.size > 0);
    const sets = new Map(sources.map((source) => [sourceKey(source), findSet(kept, source)]));
    const missing = sources.filter((source) => sets.get(sourceKey(source)) === undefined);
    const make = ({ choices, excluded, except, sizes }: Selection): Demands => {
      const setsOf = (choice: Choice) =>
        sourcesOf(choice).map((source) => sets.get(sourceKey(source)) as ImageSet);
      return {
        choices: choices.map(setsOf).sort((a, b) => sumOfSizes(a) - sumOfSizes(b)),
        excluded: excluded.flatMap(setsOf),
        except: except && make(except),
        sizes: kept.sizes,
        tests: [...sizes.values()],
      };
    };
    if (missing.length === 0 && (!needsSizes || kept.sizes)) return make(selection);
    return this.#queue.run(caller, expectedWork(selection), async (spend) => {
      for (const source of missing) sets.set(sourceKey(source), await this.#loadSource(kept, source, spend));
      if (needsSizes) await this.#loadSizes(kept, spend);
      return make(selection);
    });
  }

  /** Whether the sizes of images are in memory. If not, they are for later calls. */
  hasSizes(selection: Selection): boolean {
    const kept = this.#keptOf(selection);
    // A later call that needs them fails in the same way.
    if (!kept.sizes) this.#loadSizes(kept, async () => {}).catch(() => {});
    return kept.sizes !== undefined;
  }

  #keptOf({ catalogue }: Selection): Kept {
    if (this.#kept?.version === catalogue.version && this.#tuning.isCaching) return this.#kept;
    const { version, lastImage } = catalogue;
    const minBytes = (MIN_BITMAPS * lastImage) / 8;
    this.#kept = {
      ...{ version, lastImage, reading: new Map() },
      sources: new LruCache(Math.max(MAX_SHELF_BYTES, minBytes)),
      selections: new LruCache(Math.max(MAX_SELECTION_BYTES, minBytes)),
    };
    return this.#kept;
  }

  async #loadSelection(selection: Selection, spend: Spend): Promise<ImageSet> {
    // Another request may have computed it while this one was waiting.
    const cached = this.cached(selection);
    if (cached) return cached;
    const kept = this.#keptOf(selection);
    const shelf = soleShelf(selection);
    if (shelf) return this.#loadSource(kept, shelf, spend);
    const set = await this.#combine(kept, selection, spend);
    kept.selections.set(selectionKey(selection), set);
    return set;
  }

  /** Combines bitmaps, one set at a time. Other requests may get their turn between two. */
  async #combine(kept: Kept, selection: Selection, spend: Spend): Promise<ImageSet> {
    const { choices, excluded, except, sizes } = selection;
    const forEachSet = async (choice: Choice, visit: (set: ImageSet) => void) => {
      for (const source of sourcesOf(choice)) {
        const set = await this.#loadSource(kept, source, spend);
        visit(set);
        await spend(WORK_PER_SHELF + set.size / IMAGES_PER_WORK);
      }
    };
    let result: BitmapBuilder | undefined;
    for (const choice of choices) {
      const images = new BitmapBuilder(kept.lastImage);
      await forEachSet(choice, (set) => images.add(set));
      if (result) result.intersect(images);
      else result = images;
    }
    for (const choice of excluded) await forEachSet(choice, (set) => result?.subtract(set));
    if (except) result?.subtract(await this.#loadSelection(except, spend));
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

  async #loadSource(kept: Kept, source: Source, spend: Spend): Promise<ImageSet> {
    const found = findSet(kept, source);
    if (found) return found;
    const set = await ('words' in source
      ? this.#loadText(kept, source, spend)
      : readOnce(kept, source.number, () => this.#readShelf(kept, source)));
    kept.sources.set(sourceKey(source), set);
    await spend(WORK_PER_SHELF + kept.lastImage / IMAGES_PER_WORK);
    return set;
  }

  async #loadText(kept: Kept, text: Text, spend: Spend): Promise<ImageSet> {
    const range = rangeOf(text);
    if (range) {
      const { set, blocks } = await readOnce(kept, textKey(text), () => this.#readTerms(kept, range));
      await spend(blocks * WORK_PER_BLOCK);
      return set;
    }
    const sets: ImageSet[] = [];
    for (const part of partsOf(text)) sets.push(await this.#loadSource(kept, part, spend));
    const [first, ...others] = sets.sort((a, b) => a.size - b.size);
    const images: number[] = [];
    first?.each((image) => {
      if (others.every((set) => set.has(image))) images.push(image);
    });
    return new ListSet(
      Uint32Array.from(isVague(text) ? await this.#compareTexts(kept, images, text, spend) : images),
    );
  }

  async #readTerms(
    { version, lastImage }: Kept,
    range: TermRange,
  ): Promise<{ set: ImageSet; blocks: number }> {
    // Most words of a search are in no title, and a set of all images takes time.
    let images: BitmapBuilder | undefined;
    const blocks = await readTerms(this.#reader, range, version, ([, number, content]) => {
      images ??= new BitmapBuilder(lastOf(blockOf(lastImage)));
      addImages(images.bits, [number, content]);
    });
    return { set: images?.build() ?? new ListSet(new Uint32Array()), blocks };
  }

  /** Those of the images that have the text, in ascending order. */
  async #compareTexts(kept: Kept, images: number[], text: Text, spend: Spend): Promise<number[]> {
    if (images.length > MAX_COMPARED) throw new SearchTooLong();
    const found: number[] = [];
    for (const some of inBatches(images, COMPARED_AT_ONCE)) {
      const { version, items } = await this.#reader.documents(some);
      expectVersion(version, kept.version);
      for (const [image, document] of items) if (hasText(readTexts(document), text)) found.push(image);
      await spend(some.length * WORK_PER_DOCUMENT);
    }
    return found.sort((a, b) => a - b);
  }

  async #readShelf({ version, lastImage }: Kept, { number, size }: Shelf): Promise<ImageSet> {
    const read = (onBlock: (block: Block) => void) =>
      readAll(
        this.#reader,
        'shelfBlocks',
        ([after] = [-1, ''], size) => [number, after, size],
        onBlock,
        version,
      );
    if (isSparse(size, lastImage)) {
      const images: number[] = [];
      await read((block) => {
        for (const image of listImages(block)) images.push(image);
      });
      return new ListSet(Uint32Array.from(images));
    }
    const bits = emptyBlocks(lastImage);
    await read((block) => addImages(bits, block));
    return new BitmapSet(bits);
  }

  async #loadSizes(kept: Kept, spend: Spend): Promise<ImageSizes> {
    kept.sizes ??= await readOnce(kept, 'sizes', async () => {
      const read = new ImageSizes(lastOf(blockOf(kept.lastImage)));
      const add = (block: Block) => addSizes(read, block);
      await readAll(
        this.#reader,
        'sizeBlocks',
        ([after] = [-1, ''], size) => [after, size],
        add,
        kept.version,
      );
      return read;
    });
    await spend(kept.lastImage * WORK_PER_SIZE);
    return kept.sizes;
  }
}

/** A shelf with as many images as there are numbers holds all of them. */
function findSet({ sources, lastImage }: Kept, source: Source): ImageSet | undefined {
  if ('size' in source && source.size === lastImage) return new RangeSet(lastImage);
  return sources.get(sourceKey(source));
}

/** Requests that come meanwhile wait for the same read. */
function readOnce<T>({ reading }: Kept, key: number | string, read: () => Promise<T>): Promise<T> {
  const started = reading.get(key) as Promise<T> | undefined;
  if (started) return started;
  const promise = read().finally(() => reading.delete(key));
  reading.set(key, promise);
  return promise;
}

const sumOfSizes = (sets: ImageSet[]): number => sets.reduce((sum, { size }) => sum + size, 0);

function expectedWork(selection: Selection): number {
  const { sizes, catalogue } = selection;
  const perSource = WORK_PER_SHELF + catalogue.lastImage / IMAGES_PER_WORK;
  return (
    allSources(selection).length * perSource + (sizes.size > 0 ? catalogue.lastImage * WORK_PER_SIZE : 0)
  );
}
