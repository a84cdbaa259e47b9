/** Loads the data of views from the API. An action is one request; a view of one artist or category may need two. */
import { type CallOptions, type Rating, Zukan } from '../client/index.ts';
import { getCachedSubject } from './cache.ts';
import { addBatch } from './links.ts';
import { showRetryCountdown } from './messages.ts';
import { findNames } from './names.ts';
import { artistImagesOptions, endlessOptions, imageOptions, listOptions, similarOptions } from './queries.ts';
import { rateLimitedFetch } from './rate-limit.ts';
import { type EndlessView, type EntryKind, entryKinds, isFiltering, type View } from './route.ts';
import { toPattern } from './search-pattern.ts';
import { apiPrefix } from './site.ts';
import type { EntryGroup, GalleryImage, Subject, ViewData } from './types.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;
type Signalled = CallOptions & { signal: AbortSignal };
type ImagePage = { data: GalleryImage[]; cursor?: string | undefined };
type LoadPage<Page = ImagePage> = (call: CallOptions, cursor: string | undefined) => Promise<Page>;

/** How many pages are searched for the images of one, to renew their links. */
const MAX_PAGES = 3;

const zukan = new Zukan({ prefix: apiPrefix, fetch: rateLimitedFetch, onWait: showRetryCountdown });

const noData: ViewData = {
  subject: undefined,
  images: [],
  groups: [],
  total: undefined,
  cursor: undefined,
};

/** Yields what can be shown as soon as it is there; later data includes the earlier. */
export async function* loadView(view: View, seed: string, signal: AbortSignal): AsyncGenerator<ViewData> {
  if ('categories' in view) yield loadMore(view, noData, seed, signal);
  else if (view.name === 'list') yield loadList(view, { signal });
  else if (view.name === 'search') yield* loadSearch(view, { signal });
  else if (view.name === 'artist') yield loadArtist(view, { signal });
  else if (view.name === 'category') yield* loadCategory(view, seed, { signal });
  else yield loadCharacter(view, seed, { signal });
}

/** Adds the next images to the data. Random images are in the order of the seed. */
export async function loadMore(
  view: EndlessView,
  data: ViewData,
  seed: string,
  signal: AbortSignal,
): Promise<ViewData> {
  const options = endlessOptions(view, data.subject?.name);
  const load: LoadPage = (call, cursor) =>
    view.name === 'newest'
      ? zukan.latest({ ...options, cursor }, call)
      : zukan.randomPage({ ...options, seed, cursor }, call);
  const page = await loadBatch(load, { signal }, data.cursor);
  return { ...data, images: [...data.images, ...page.data], cursor: page.cursor };
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

/** Only those with the given ratings, if there are any. */
export async function loadSimilar(id: string, nsfw: Rating[], call: CallOptions): Promise<GalleryImage[]> {
  const load: LoadPage = async (call) => ({ data: await zukan.similar(id, similarOptions(nsfw), call) });
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

async function loadList(view: ViewNamed<'list'>, call: Signalled): Promise<ViewData> {
  const group = await loadNames(view, call);
  return { ...noData, groups: [group], total: group.total };
}

async function loadNames(
  { kind, ...list }: { kind: EntryKind; search: string; page?: number },
  call: CallOptions,
): Promise<EntryGroup> {
  const load = (call: CallOptions) => zukan[kind](listOptions(list), call);
  const coversOf = (entries: readonly Subject[]) => entries.flatMap(({ cover }) => cover ?? []);
  const { data, total } = await load(call);
  addBatch(coversOf(data), async () => coversOf((await load({})).data), loadImage);
  return { kind, entries: data, total };
}

/** One kind after the other, because each takes a request. */
async function* loadSearch({ search }: ViewNamed<'search'>, call: Signalled) {
  const groups: EntryGroup[] = [];
  for (const kind of entryKinds) {
    groups.push(await searchNames(kind, toPattern(search), call));
    yield { ...noData, groups: [...groups] };
  }
}

export function searchNames(kind: EntryKind, pattern: string, call: CallOptions): Promise<EntryGroup> {
  return findNames(kind, pattern, () => loadNames({ kind, search: pattern }, call));
}

/** All categories by name, in pages. */
export function listCategories(page: number, call: CallOptions): Promise<EntryGroup> {
  return loadNames({ kind: 'categories', search: '', page }, call);
}

/** The images contain the artist, so only a page without images needs a second request. */
async function loadArtist(view: ViewNamed<'artist'>, call: Signalled): Promise<ViewData> {
  const { id, filter } = view;
  const options = artistImagesOptions(view);
  const { data: images, total } = await loadBatch((call) => zukan.artistImages(id, options, call), call);
  const subject = getCachedSubject(id) ?? (await zukan.artist(id, call));
  return { ...noData, images, total, subject: isFiltering(filter) ? subject : { ...subject, images: total } };
}

/** Images are filtered by the name of the category, so an uncached category is loaded first. */
async function* loadCategory(view: ViewNamed<'category'>, seed: string, call: Signalled) {
  const known = getCachedSubject(view.id);
  const data = { ...noData, subject: known ?? (await zukan.category(view.id, call)) };
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
