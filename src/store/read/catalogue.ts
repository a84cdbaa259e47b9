/**
 * The catalogue as handlers read it, for every database. A filter goes in a line: filter, selection (pure, against the
 * shelves of one version), image numbers, documents. Each call runs on a view of one version; it asks, the driver answers.
 */
import type {
  Caller,
  Catalogue,
  ChangePosition,
  ContinuedPage,
  EntryPage,
  Filter,
  FilterProblem,
  ImageChanges,
  ListFilter,
} from '../../catalogue/catalogue.ts';
import type { ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { Page, Window } from '../../catalogue/schemas.ts';
import type { Monitored } from '../../lib/metrics.ts';
import type { RandomInt } from '../../lib/random.ts';
import type { SiteTexts } from '../../lib/site-texts.ts';
import { defaultTuning } from '../../lib/tuning.ts';
import { Documents, noDocumentMemory } from '../document-cache/cache.ts';
import { type Call, type ChangeRow, type Driver, get, type View } from '../view.ts';
import { Entries, NameSearch } from './entries.ts';
import { ImageNumbers, similarImages } from './image-numbers.ts';
import { ImageSets } from './image-sets.ts';
import { WordSearch } from './search.ts';
import { onShelf, select } from './selection.ts';
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
  const findSimilar = similarImages(slices, tuning);

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
  ): Call<Page<ImageDocument> | FilterProblem> {
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
  ): Call<ContinuedPage<number> | FilterProblem> {
    const selection = yield* search.select(view, filter, caller);
    if ('problem' in selection) return selection;
    const { numbers: found, next } = yield* numbers.latest(selection, below, limit, caller);
    return { images: yield* documents.read(view, found), next };
  }

  return {
    get siteTexts() {
      return siteTexts;
    },
    statistics: () => run(({ snapshot }) => get(snapshot.statistics)),
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
        const found = yield* get(findSimilar(image, set, view.snapshot.version, limit, caller));
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

// What happened to images since a reader last asked, from the change log: in the order of the changes, each image as it is now. Of one
// change, first its items, and then the images that it added.

const ITEMS_PER_READ = 100;
/** How many changes one call reads. Some are about no image. */
const MAX_CHANGES = 20;

const NO_ITEM = { kind: '', id: '', below: 0 };
/** After all kinds of items. */
const ALL_ITEMS = { kind: '~', id: '', below: 0 };

interface Found {
  change: 'added' | 'changed' | 'removed';
  /** Of an image that was removed. */
  id?: string;
  /** Of any other image. */
  number?: number;
}

/** Without a position, begins with all images. Undefined if the log no longer says what happened since. */
function* readChangedImages(
  view: View,
  numbers: ImageNumbers,
  documents: Documents,
  since: ChangePosition | undefined,
  limit: number,
  caller: Caller,
): Call<ImageChanges | undefined> {
  const found: Found[] = [];
  let position = since ?? (yield* beforeAllImages(view));
  let hasMore = true;
  for (let changes = 0; changes < MAX_CHANGES && found.length < limit && hasMore; changes++) {
    const [current, next] = yield* readChanges(view, position);
    if (!current) return undefined;
    const [, , , lastImage, state, isOpen] = current;
    if (state === 'forgotten' && position.kind !== ALL_ITEMS.kind) return undefined;
    position = yield* readItems(view, numbers, position, found, limit, caller);
    const added = yield* get(view.list('imagesBetween', position.image, lastImage, limit - found.length));
    for (const number of added) found.push({ change: 'added', number });
    position = { ...position, image: added.at(-1) ?? position.image };
    if (found.length === limit) break;
    hasMore = next !== undefined;
    if (next) position = startOf(next);
    // An import in the studio may go on, and change its items: they are read again.
    else if (isOpen === 1) position = { ...position, ...NO_ITEM };
  }
  const images = (yield* documents.read(
    view,
    found.flatMap(({ number }) => number ?? []),
  )).values();
  const changes = found.map(({ change, id = '', number }) => {
    const image = number === undefined ? undefined : images.next().value;
    return { change, id: image?.id ?? id, image };
  });
  return { changes, next: position, hasMore };
}

/** Adds what the items of a change are about, and returns the position after the last one. */
function* readItems(
  view: View,
  numbers: ImageNumbers,
  from: ChangePosition,
  found: Found[],
  limit: number,
  caller: Caller,
): Call<ChangePosition> {
  let position = from;
  while (position.kind !== ALL_ITEMS.kind) {
    const items = yield* get(
      view.list('changedItems', position.change, position.kind, position.id, ITEMS_PER_READ),
    );
    for (const item of items) {
      const [kind, id, image, before, after] = item;
      const isContinued = kind === position.kind && id === position.id;
      if (isContinued && position.below === 0) continue;
      if (found.length === limit) return position;
      const below = isContinued ? position.below : undefined;
      position = { ...position, kind, id, below: 0 };
      if (kind !== 'image' && kind !== 'taken-down') {
        const isSame = documentOf(before) === documentOf(after);
        const selection = isSame ? undefined : yield* onShelf(view, kind, id);
        if (!selection) continue;
        const page = yield* numbers.latest(selection, below, limit - found.length, caller);
        for (const number of page.numbers) found.push({ change: 'changed', number });
        if (page.next !== undefined) return { ...position, below: page.next };
      } else if (image === null) found.push({ change: 'removed', id });
      else found.push({ change: before === null ? 'added' : 'changed', number: image });
    }
    if (items.length < ITEMS_PER_READ) position = { ...position, ...ALL_ITEMS };
  }
  return position;
}

/** What the records of images contain of an entry. */
function documentOf(fields: string | null): string | undefined {
  return fields === null ? undefined : JSON.parse(fields).document;
}

/** After all changes. */
function* beforeAllImages(view: View): Call<ChangePosition> {
  const [newest] = yield* get(view.list('newestChange'));
  return { ...startOf(newest ?? beforeFirst(view)), ...ALL_ITEMS, image: 0 };
}

/** The change of a position, unless it is forgotten or another one has its number after a restore, and the change after it. */
function* readChanges(view: View, { change, at }: ChangePosition): Call<(ChangeRow | undefined)[]> {
  const rows = yield* get(view.list('changesFrom', Math.max(1, change)));
  const first = rows[0] && startOf(rows[0]);
  if (change === 0) return !first || first.change === 1 ? [beforeFirst(view, rows[0]), rows[0]] : [];
  return first?.change === change && first.at === at ? rows : [];
}

/** Stands for the changes before the first one, whose images nobody remembers adding. */
function beforeFirst({ snapshot: { lastImage } }: View, first?: ChangeRow): ChangeRow {
  return [0, '', 1, first ? startOf(first).image : lastImage, 'done', 0];
}

function startOf([number, at, firstImage]: ChangeRow): ChangePosition {
  return { change: number, at: Date.parse(at) || 0, ...NO_ITEM, image: firstImage - 1 };
}
