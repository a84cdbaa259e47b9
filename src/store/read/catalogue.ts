/**
 * The catalogue as handlers read it, for every database. A filter goes in a line: filter, selection (pure, against the
 * shelves of one version), image numbers, documents. Each call runs on a view of one version; it asks, the driver answers.
 */

import type {
  Caller,
  Catalogue,
  ChangePosition,
  EntryDetails,
  EntryPage,
  EntryWindow,
  Filter,
  FilterProblem,
  Found,
  ImageChanges,
  ImagePage,
  LatestImages,
  ListFilter,
  SeededImages,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/schemas.ts';
import type { SearchPosition, SeedPosition } from '../../catalogue/sets/orders.ts';
import type { Metric } from '../../lib/metrics.ts';
import type { RandomInt } from '../../lib/random.ts';
import { defaultTuning } from '../../lib/tuning.ts';
import { Documents } from '../document-cache/cache.ts';
import { noDocumentMemory } from '../document-cache/memory.ts';
import { type Call, type Driver, get, statisticsOf, type View } from '../view.ts';
import { readChangedImages } from './changed-images.ts';
import { Entries, NameSearch } from './entries.ts';
import { ImageNumbers, SimilarImages } from './image-numbers.ts';
import { ImageSets } from './image-sets.ts';
import { WordSearch } from './search.ts';
import { select } from './selection.ts';
import { createSliceReader } from './slices.ts';

export class StoredCatalogue implements Catalogue {
  readonly #driver: Driver;
  readonly #documents: Documents;
  readonly #entries: Entries;
  readonly #search: WordSearch;
  readonly #numbers: ImageNumbers;
  readonly #similar: SimilarImages;

  /** `documents` is the memory of a cache that a `DocumentFiller` fills. */
  constructor(driver: Driver, documents: ArrayBufferLike = noDocumentMemory(), tuning = defaultTuning) {
    const slices = createSliceReader(driver);
    this.#driver = driver;
    this.#documents = new Documents(documents, tuning);
    const names = new NameSearch(slices, tuning);
    this.#entries = new Entries(this.#documents, names, tuning);
    this.#numbers = new ImageNumbers(new ImageSets(slices, tuning), tuning);
    this.#search = new WordSearch(names, this.#entries, this.#documents, this.#numbers);
    this.#similar = new SimilarImages(slices, tuning);
  }

  statistics(): Promise<Statistics> {
    return this.#driver.run(({ snapshot }) => get(statisticsOf(snapshot)));
  }

  image(id: string): Promise<ImageDocument | undefined> {
    return this.#driver.run((view) => this.#image(view, id));
  }

  checkFilter(filter: Filter): Promise<FilterProblem | undefined> {
    return this.#driver.run(function* (view) {
      // Every text is valid.
      const selection = yield* select(view, { ...filter, q: undefined });
      return 'problem' in selection ? selection : undefined;
    });
  }

  images(filter: ListFilter, window: Window, caller: Caller): Promise<ImagePage | FilterProblem> {
    return this.#driver.run((view) => this.#page(view, filter, window, caller));
  }

  artistImages(id: string, filter: ListFilter, window: Window, caller: Caller): Promise<EntryPage> {
    return this.#driver.run((view) => this.#ofEntry(view, 'artist', id, filter, window, caller));
  }

  albumImages(id: string, filter: ListFilter, window: Window, caller: Caller): Promise<EntryPage> {
    return this.#driver.run((view) => this.#ofEntry(view, 'album', id, filter, window, caller));
  }

  randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    return this.#driver.run((view) => this.#random(view, filter, limit, randomInt, caller));
  }

  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<SeededImages | FilterProblem> {
    const [search, numbers, documents] = [this.#search, this.#numbers, this.#documents];
    return this.#driver.run(function* (view) {
      const selection = yield* search.select(view, filter, caller);
      if ('problem' in selection) return selection;
      const page = yield* numbers.seeded(selection, seed, from, limit, caller);
      if (!page) return { problem: 'position' };
      return { images: yield* documents.read(view, page.images), next: page.next };
    });
  }

  latestImages(
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Promise<LatestImages | FilterProblem> {
    return this.#driver.run((view) => this.#latest(view, filter, below, limit, caller));
  }

  similarImages(
    id: string,
    filter: ListFilter,
    limit: number,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem> {
    const [search, similar] = [this.#search, this.#similar];
    const [numbers, documents] = [this.#numbers, this.#documents];
    return this.#driver.run(function* (view) {
      const image = yield* documents.numberOf(view, id);
      if (image === undefined) return { problem: 'image' };
      const selection = yield* search.select(view, filter, caller);
      if ('problem' in selection) return selection;
      const set = yield* numbers.all(selection, caller);
      const found = yield* get(similar.find(image, set, view.snapshot.version, limit, caller));
      return yield* documents.read(view, found);
    });
  }

  changedImages(
    since: ChangePosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<ImageChanges | undefined> {
    return this.#driver.run((view) =>
      readChangedImages(view, this.#numbers, this.#documents, since, limit, caller),
    );
  }

  list(kind: Kind, window: Window, hasCovers = false): Promise<Page<EntryDetails>> {
    return this.#driver.run((view) => this.#entries.list(view, kind, window, hasCovers));
  }

  search(
    kind: Kind,
    pattern: string | undefined,
    window: EntryWindow,
    caller: Caller,
    hasCovers = false,
  ): Promise<Page<EntryDetails>> {
    return this.#driver.run((view) => this.#entries.find(view, kind, pattern, window, caller, hasCovers));
  }

  searchAll(
    filter: Filter,
    from: SearchPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<Found | FilterProblem> {
    return this.#driver.run((view) => this.#search.find(view, filter, from, limit, caller));
  }

  one(kind: Kind, id: string, hasCover = false): Promise<EntryDetails | undefined> {
    return this.#driver.run((view) => this.#entries.one(view, kind, id, hasCover));
  }

  metrics(): Metric[] {
    return this.#documents.metrics();
  }

  // The most frequent calls are methods: making a generator function for each call would take 4 µs.

  *#image(view: View, id: string): Call<ImageDocument | undefined> {
    const number = yield* this.#documents.numberOf(view, id);
    return number === undefined ? undefined : (yield* this.#documents.read(view, [number]))[0];
  }

  /** In the order of the album, if there is one. */
  *#page(
    view: View,
    filter: ListFilter,
    window: Window,
    caller: Caller,
    album?: number,
  ): Call<ImagePage | FilterProblem> {
    const selection = yield* this.#search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const { total, items } = yield* this.#numbers.page(view, selection, window, caller, album);
    return { total, items: yield* this.#documents.read(view, items) };
  }

  *#ofEntry(
    view: View,
    kind: 'artist' | 'album',
    id: string,
    filter: ListFilter,
    window: Window,
    caller: Caller,
  ): Call<EntryPage> {
    const entry = yield* get(view.entry(kind, id));
    if (entry && entry.id !== id) return { movedTo: entry.id };
    const album = kind === 'album' ? entry?.shelf : undefined;
    return yield* this.#page(view, { ...filter, [kind]: [id] }, window, caller, album);
  }

  *#random(
    view: View,
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Call<ImageDocument[] | FilterProblem> {
    const selection = yield* this.#search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const numbers = yield* this.#numbers.random(view, selection, limit, randomInt, caller);
    return yield* this.#documents.read(view, numbers);
  }

  *#latest(
    view: View,
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Call<LatestImages | FilterProblem> {
    const selection = yield* this.#search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const { numbers, next } = yield* this.#numbers.latest(selection, below, limit, caller);
    return { images: yield* this.#documents.read(view, numbers), next };
  }
}
