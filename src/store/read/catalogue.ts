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
  FoundFilters,
  ImageChanges,
  ImagePage,
  LatestImages,
  ListFilter,
  SeededImages,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { Kind, MentionedKind, Page, Rating, Statistics, Window } from '../../catalogue/schemas.ts';
import {
  findMeant,
  type Meant,
  orientationsOf,
  parseQuery,
  ratingsOf,
  type Term,
  wordsFor,
} from '../../catalogue/search/query.ts';
import { type Text, toPhrase } from '../../catalogue/search/words.ts';
import type { SeedPosition } from '../../catalogue/sets/orders.ts';
import { parseJsonBytes } from '../../lib/byte-string.ts';
import type { Metric } from '../../lib/metrics.ts';
import type { RandomInt } from '../../lib/random.ts';
import { defaultTuning } from '../../lib/tuning.ts';
import { Documents } from '../document-cache/cache.ts';
import { noDocumentMemory } from '../document-cache/memory.ts';
import { type Call, type Driver, expectVersion, get, statisticsOf, type View } from '../view.ts';
import { readChangedImages } from './changed-images.ts';
import { Entries, NameSearch } from './entries.ts';
import { ImageNumbers, SimilarImages } from './image-numbers.ts';
import { ImageSets } from './image-sets.ts';
import { choose, type Selection, select } from './selection.ts';
import { createSliceReader } from './slices.ts';

// One search for everything: entries by their names, images by their titles, and the filters that a text means.

/** How many results of each kind `/search` returns. */
const MAX_FOUND = 10;
/** Entries with the same name that a filter has. */
const MAX_NAMESAKES = 10;

const KINDS = ['artist', 'character', 'category'] as const;

class CombinedSearch {
  readonly #names: NameSearch;
  readonly #entries: Entries;
  readonly #documents: Documents;
  readonly #numbers: ImageNumbers;

  constructor(names: NameSearch, entries: Entries, documents: Documents, numbers: ImageNumbers) {
    this.#names = names;
    this.#entries = entries;
    this.#documents = documents;
    this.#numbers = numbers;
  }

  /** `ratings` are those that found images may have, unless the text says it. */
  *find(view: View, text: string, ratings: readonly Rating[] | undefined, caller: Caller): Call<Found> {
    const terms = parseQuery(text);
    const meant = ratingsOf(terms);
    return {
      artists: yield* this.#findEntries(view, 'artist', terms, caller),
      characters: yield* this.#findEntries(view, 'character', terms, caller),
      categories: yield* this.#findEntries(view, 'category', terms, caller),
      images: yield* this.#findImages(view, terms, meant.length > 0 ? meant : ratings, caller),
      filters: yield* this.#findFilters(view, terms),
    };
  }

  *#findImages(
    view: View,
    terms: Term[],
    ratings: readonly Rating[] | undefined,
    caller: Caller,
  ): Call<ImageDocument[]> {
    const [first, ...others] = titlesOf(terms).map((text) => choose([], [text]));
    if (!first) return [];
    const selection = yield* select(view, { nsfw: ratings });
    if ('problem' in selection) return [];
    const choices: Selection['choices'] = [first, ...others, ...selection.choices];
    const found = yield* this.#numbers.latest({ ...selection, choices }, undefined, MAX_FOUND, caller);
    return yield* this.#documents.read(view, found.numbers);
  }

  *#findEntries(view: View, kind: MentionedKind, terms: Term[], caller: Caller): Call<EntryDetails[]> {
    const words = wordsFor(kind, terms);
    if (words.length === 0) return [];
    const { version, positions } = yield* get(this.#names.best(kind, words, MAX_FOUND, caller));
    expectVersion(version, view.snapshot.version);
    return yield* this.#entries.at(view, kind, positions);
  }

  *#findFilters(view: View, terms: Term[]): Call<FoundFilters> {
    const filters: FoundFilters = {};
    for (const { kind, isNegated, positions } of yield* this.#findMeant(view, terms)) {
      const key = isNegated ? EXCLUDING[kind] : INCLUDING[kind];
      if (!key) continue;
      const entries = yield* get(view.entriesAt(kind, positions.slice(0, MAX_NAMESAKES)));
      const values = entries.map(({ id, json }) => (kind === 'category' ? parseJsonBytes(json).name : id));
      filters[key] = [...new Set([...(filters[key] ?? []), ...values])];
    }
    const [ratings, orientations] = [ratingsOf(terms), orientationsOf(terms)];
    if (ratings.length > 0) filters.nsfw = ratings;
    if (orientations.length > 0) filters.orientation = orientations;
    return filters;
  }

  *#findMeant(view: View, terms: Term[]): Call<Meant[]> {
    if (terms.length === 0) return [];
    const names = new Map<MentionedKind, (name: string) => readonly number[]>();
    for (const kind of KINDS) {
      const { version, find } = yield* get(this.#names.exact(kind));
      expectVersion(version, view.snapshot.version);
      names.set(kind, find);
    }
    return findMeant(terms, (kind, text) => names.get(kind)?.(text) ?? []);
  }
}

/** The parameters of random images for the entries of each kind. No filter leaves out a character. */
const INCLUDING = { category: 'categories', artist: 'artist', character: 'character' } as const;
const EXCLUDING = { category: 'exclude', artist: 'excludeArtist', character: undefined } as const;

/** Titles match the terms without field. The last word may be unfinished, unless it is quoted. */
function titlesOf(terms: readonly Term[]): Text[] {
  const own = terms.filter(({ field, isNegated }) => field === undefined && !isNegated);
  return own.flatMap((term) => {
    const phrase = toPhrase(term.text, term === own.at(-1) && !term.isQuoted);
    return phrase ? [{ field: 'title', ...phrase }] : [];
  });
}

export class StoredCatalogue implements Catalogue {
  readonly #driver: Driver;
  readonly #documents: Documents;
  readonly #entries: Entries;
  readonly #search: CombinedSearch;
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
    this.#search = new CombinedSearch(names, this.#entries, this.#documents, this.#numbers);
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
      const selection = yield* select(view, filter);
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
    const [numbers, documents] = [this.#numbers, this.#documents];
    return this.#driver.run(function* (view) {
      const selection = yield* select(view, filter);
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
    const [similar, numbers, documents] = [this.#similar, this.#numbers, this.#documents];
    return this.#driver.run(function* (view) {
      const image = yield* documents.numberOf(view, id);
      if (image === undefined) return { problem: 'image' };
      const selection = yield* select(view, filter);
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

  searchAll(text: string, ratings: readonly Rating[] | undefined, caller: Caller): Promise<Found> {
    return this.#driver.run((view) => this.#search.find(view, text, ratings, caller));
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
    const selection = yield* select(view, filter);
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
    const selection = yield* select(view, filter);
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
    const selection = yield* select(view, filter);
    if ('problem' in selection) return selection;
    const { numbers, next } = yield* this.#numbers.latest(selection, below, limit, caller);
    return { images: yield* this.#documents.read(view, numbers), next };
  }
}
