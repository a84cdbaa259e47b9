/**
 * The catalogue as handlers read it, for every database. A filter goes in a line: filter, selection (pure, against the
 * shelves of one version), image numbers, documents. Each call runs on a view of one version; it asks, the driver answers.
 */

import type {
  Caller,
  Catalogue,
  EntryPage,
  Filter,
  FilterProblem,
  ImagePage,
  LatestImages,
  ListFilter,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { Window } from '../../catalogue/schemas.ts';
import type { Monitored } from '../../lib/metrics.ts';
import type { RandomInt } from '../../lib/random.ts';
import type { SiteTexts } from '../../lib/site-texts.ts';
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

/** `memory` is that of a document cache that a `DocumentFiller` fills. */
export function openCatalogue(
  driver: Driver,
  memory: ArrayBufferLike = noDocumentMemory(),
  tuning = defaultTuning,
): Catalogue & Pick<Monitored, 'metrics'> {
  const slices = createSliceReader(driver, tuning);
  const documents = new Documents(memory, tuning);
  const names = new NameSearch(slices, tuning);
  const entries = new Entries(documents, names, tuning);
  const numbers = new ImageNumbers(new ImageSets(slices, tuning), tuning);
  const search = new WordSearch(names, entries, documents, numbers);
  const similar = new SimilarImages(slices, tuning);

  let siteTexts: SiteTexts = {};
  const run = <T>(call: (view: View) => Call<T>): Promise<T> =>
    driver.run((view) => {
      siteTexts = view.snapshot.siteTexts;
      return call(view);
    });

  // The most frequent calls are functions here: making a generator function for each call would take 4 µs.

  function* readImage(view: View, id: string): Call<ImageDocument | undefined> {
    const number = yield* documents.numberOf(view, id);
    return number === undefined ? undefined : (yield* documents.read(view, [number]))[0];
  }

  /** In the order of the album, if there is one. */
  function* readPage(
    view: View,
    filter: ListFilter,
    window: Window,
    caller: Caller,
    album?: number,
  ): Call<ImagePage | FilterProblem> {
    const selection = yield* search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const { total, items } = yield* numbers.page(view, selection, window, caller, album);
    return { total, items: yield* documents.read(view, items) };
  }

  function* readPageOf(
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
    return yield* readPage(view, { ...filter, [kind]: [id] }, window, caller, album);
  }

  function* readRandom(
    view: View,
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Call<ImageDocument[] | FilterProblem> {
    const selection = yield* search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    return yield* documents.read(view, yield* numbers.random(view, selection, limit, randomInt, caller));
  }

  function* readLatest(
    view: View,
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Call<LatestImages | FilterProblem> {
    const selection = yield* search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const { numbers: found, next } = yield* numbers.latest(selection, below, limit, caller);
    return { images: yield* documents.read(view, found), next };
  }

  return {
    get siteTexts() {
      return siteTexts;
    },
    statistics: () => run(({ snapshot }) => get(statisticsOf(snapshot))),
    image: (id) => run((view) => readImage(view, id)),
    checkFilter: (filter) =>
      run(function* (view) {
        // Every text is valid.
        const selection = yield* select(view, { ...filter, q: undefined });
        return 'problem' in selection ? selection : undefined;
      }),
    images: (...parameters) => run((view) => readPage(view, ...parameters)),
    artistImages: (...parameters) => run((view) => readPageOf(view, 'artist', ...parameters)),
    albumImages: (...parameters) => run((view) => readPageOf(view, 'album', ...parameters)),
    randomImages: (...parameters) => run((view) => readRandom(view, ...parameters)),
    seededImages: (filter, seed, from, limit, caller) =>
      run(function* (view) {
        const selection = yield* search.select(view, filter, caller);
        if ('problem' in selection) return selection;
        const page = yield* numbers.seeded(selection, seed, from, limit, caller);
        if (!page) return { problem: 'position' };
        return { images: yield* documents.read(view, page.images), next: page.next };
      }),
    latestImages: (...parameters) => run((view) => readLatest(view, ...parameters)),
    similarImages: (id, filter, limit, caller) =>
      run(function* (view) {
        const image = yield* documents.numberOf(view, id);
        if (image === undefined) return { problem: 'image' };
        const selection = yield* search.select(view, filter, caller);
        if ('problem' in selection) return selection;
        const set = yield* numbers.all(selection, caller);
        const found = yield* get(similar.find(image, set, view.snapshot.version, limit, caller));
        return yield* documents.read(view, found);
      }),
    changedImages: (...parameters) =>
      run((view) => readChangedImages(view, numbers, documents, ...parameters)),
    list: (kind, window, hasCovers = false) => run((view) => entries.list(view, kind, window, hasCovers)),
    search: (kind, pattern, window, caller, hasCovers = false) =>
      run((view) => entries.find(view, kind, pattern, window, caller, hasCovers)),
    searchAll: (...parameters) => run((view) => search.find(view, ...parameters)),
    one: (kind, id, hasCover = false) => run((view) => entries.one(view, kind, id, hasCover)),
    metrics: () => documents.metrics(),
  };
}
