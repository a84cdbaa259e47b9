/** Loads the data of views from the API. An action is one request; a view of one entry may need two. */
import { type CallOptions, type SearchResult, Zukan } from '../client/index.ts';
import { cacheEntries, getCachedSubject, Results } from './cache.ts';
import { ensureState } from './history-state.ts';
import { addBatch } from './links.ts';
import { showRetryCountdown } from './messages.ts';
import { endlessOptions, imageOptions, listOptions, orderedOptions, similarOptions } from './queries.ts';
import { rateLimitedFetch } from './rate-limit.ts';
import {
  type EndlessImages,
  type EndlessView,
  type Filter,
  isFiltering,
  type OrderedView,
  PAGE_SIZE,
  searchedKinds,
  type View,
} from './route.ts';
import { apiPrefix } from './site.ts';
import type { GalleryImage, Shown, Subject, ViewData } from './types.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;
type Signalled = CallOptions & { signal: AbortSignal };
type List = Omit<ViewNamed<'list'>, 'name'>;
type ImagePage = { data: GalleryImage[]; cursor?: string | undefined };
type LoadPage<Page = ImagePage> = (call: CallOptions, cursor: string | undefined) => Promise<Page>;

/** How many pages are searched for the images of one, to renew their links. */
const MAX_PAGES = 3;

const zukan = new Zukan({ prefix: apiPrefix, fetch: rateLimitedFetch, onWait: showRetryCountdown });

const noData: ViewData = {
  subject: undefined,
  images: [],
  groups: [],
  filters: {},
  cursor: undefined,
};

/** Yields what can be shown as soon as it is there; later data includes the earlier. */
export async function* loadView(view: View, seed: string, signal: AbortSignal): AsyncGenerator<ViewData> {
  if ('categories' in view || view.name === 'list') yield loadMore(view, noData, seed, signal);
  else if (view.name === 'search') yield search(view.search, { signal });
  else if (view.name === 'artist') yield loadArtist(view, { signal });
  else if (view.name === 'character') yield loadCharacter(view, seed, { signal });
  else yield* loadWithSubject(view, seed, { signal });
}

/** Adds the next images or names to the data. Random images are in the order of the seed. */
export async function loadMore(
  view: EndlessView,
  data: ViewData,
  seed: string,
  signal: AbortSignal,
): Promise<ViewData> {
  if (view.name === 'list') return loadMoreNames(view, data, { signal });
  const page = await (view.name === 'artist' || view.name === 'album'
    ? loadOrdered(view, { signal }, data.cursor)
    : loadSelected(view, data, seed, { signal }));
  return { ...data, images: [...data.images, ...page.data], cursor: page.cursor };
}

function loadSelected(view: EndlessImages, { subject, cursor }: ViewData, seed: string, call: CallOptions) {
  const options = endlessOptions(view, subject?.name);
  const load: LoadPage = (call, cursor) =>
    view.name === 'newest'
      ? zukan.latest({ ...options, cursor }, call)
      : zukan.randomPage({ ...options, seed, cursor }, call);
  return loadBatch(load, call, cursor);
}

/** Images of an artist or an album. The cursor is an offset. */
function loadOrdered(view: OrderedView, call: CallOptions, cursor?: string) {
  const load = async (call: CallOptions, cursor = '0') => {
    const options = orderedOptions(view, Number(cursor));
    const { data, total }: { data: GalleryImage[]; total: number } = await (view.name === 'artist'
      ? zukan.artistImages(view.id, options, call)
      : zukan.albumImages(view.id, options, call));
    const next = options.offset + PAGE_SIZE;
    return { data, total, cursor: next < total ? String(next) : undefined };
  };
  return loadBatch(load, call, cursor);
}

export async function loadImage(id: string, call: CallOptions = {}): Promise<GalleryImage> {
  const { data } = await loadBatch(
    async (call) => ({ data: [await zukan.image(id, imageOptions, call)] }),
    call,
  );
  return data[0] as GalleryImage;
}

/** For images that an earlier page loaded: each renews its links by itself. */
export function adoptImages(images: readonly GalleryImage[]): void {
  for (const image of images) addBatch([image], async () => [await loadImage(image.id)], loadImage);
}

export async function loadSimilar(id: string, filter: Filter, call: CallOptions): Promise<GalleryImage[]> {
  const load: LoadPage = async (call) => ({ data: await zukan.similar(id, similarOptions(filter), call) });
  return (await loadBatch(load, call)).data;
}

/** Loads images such that their links can be renewed together. */
async function loadBatch<Page extends ImagePage>(
  load: LoadPage<Page>,
  call: CallOptions,
  cursor?: string,
): Promise<Page> {
  const page = await load(call, cursor);
  const ids = new Set(page.data.map(({ id }) => id));
  addBatch(page.data, () => loadAgain(ids, load, cursor), loadImage);
  return page;
}

/** An import may have moved images to the next pages. */
async function loadAgain(
  ids: ReadonlySet<string>,
  load: LoadPage,
  cursor: string | undefined,
): Promise<GalleryImage[]> {
  const found: GalleryImage[] = [];
  let page: ImagePage = { data: [], cursor };
  for (let count = 0; count < MAX_PAGES && found.length < ids.size; count++) {
    if (count > 0 && !page.cursor) break;
    page = await load({}, page.cursor);
    found.push(...page.data.filter(({ id }) => ids.has(id)));
  }
  return found;
}

const coversOf = (entries: readonly Subject[]): Shown[] => entries.flatMap(({ cover }) => cover ?? []);

/** Some names, with the number of all of them. */
export async function loadNames({ kind, ...list }: List, call: CallOptions, offset = 0) {
  const load = (call: CallOptions) => zukan[kind](listOptions(list, offset), call);
  const { data, total }: { data: Subject[]; total: number } = await load(call);
  addBatch(coversOf(data), async () => coversOf((await load({})).data), loadImage);
  return { entries: data, total };
}

/** Those without images come last if the most used come first, so what follows them is not worth a request. */
async function loadMoreNames(view: ViewNamed<'list'>, data: ViewData, call: CallOptions): Promise<ViewData> {
  const offset = Number(data.cursor ?? 0);
  const { entries, total } = await loadNames(view, call, offset);
  const isEnd = view.sort === 'images' && entries.at(-1)?.images === 0;
  const next = offset + PAGE_SIZE;
  return {
    ...data,
    groups: [{ kind: view.kind, entries: [...(data.groups[0]?.entries ?? []), ...entries] }],
    cursor: next < total && !isEnd ? String(next) : undefined,
  };
}

const searches = new Results<ViewData>();
const searchKey = (text: string) => [text, ...ensureState().ratings].join();

export function getSearch(text: string): ViewData | undefined {
  return searches.get(searchKey(text));
}

/** Names, and images whose titles match, without those that the visitor does not want to see. */
export function search(text: string, call: CallOptions): Promise<ViewData> {
  return searches.load(searchKey(text), async () => {
    const { ratings } = ensureState();
    const load = (call: CallOptions) => zukan.search(text, imageOptions, call);
    const shownIn = (found: SearchResult): Shown[] => [
      ...found.images,
      ...searchedKinds.flatMap((kind) => coversOf(found[kind])),
    ];
    const found = await load(call);
    addBatch(shownIn(found), async () => shownIn(await load({})), loadImage);
    const groups = searchedKinds.map((kind) => ({ kind, entries: found[kind] }));
    const images = found.images.filter(({ nsfw }) => ratings.length === 0 || ratings.includes(nsfw));
    const data = { ...noData, images, groups, filters: found.filters };
    cacheEntries(data);
    return data;
  });
}

/** The images contain the artist, so only an artist without images needs a second request. */
async function loadArtist(view: OrderedView, call: Signalled): Promise<ViewData> {
  const { data: images, total, cursor } = await loadOrdered(view, call);
  const subject = getCachedSubject(view.id) ?? (await zukan.artist(view.id, call));
  const counted = isFiltering(view.filter) ? subject : { ...subject, images: total };
  return { ...noData, images, cursor, subject: counted };
}

/**
 * Images are filtered by the name of the category, so one that is not cached is loaded first. So is an album: its description
 * would move images that are on show.
 */
async function* loadWithSubject(view: ViewNamed<'category'> | OrderedView, seed: string, call: Signalled) {
  const known = getCachedSubject(view.id);
  const load = () => (view.name === 'category' ? zukan.category(view.id, call) : zukan.album(view.id, call));
  const data = { ...noData, subject: known ?? (await load()) };
  if (!known) yield data;
  yield loadMore(view, data, seed, call.signal);
}

/** The images contain the character, so only a character without images needs a second request. */
async function loadCharacter(view: ViewNamed<'character'>, seed: string, call: Signalled): Promise<ViewData> {
  const data = await loadMore(view, noData, seed, call.signal);
  const found = data.images[0]?.characters.find(({ id }) => id === view.id);
  const subject = getCachedSubject(view.id) ?? found ?? (await zukan.character(view.id, call));
  return { ...data, subject };
}
