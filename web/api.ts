/** Loads the data of views from the API. An action is one request; a view of one artist or category may need two. */
import { type CallOptions, Zukan } from '../client/index.ts';
import { getCachedSubject } from './cache.ts';
import { showRetryCountdown } from './messages.ts';
import { artistImagesOptions, imageOptions, listOptions, randomOptions } from './queries.ts';
import { rateLimitedFetch } from './rate-limit.ts';
import { isFiltering, type RandomView, type View } from './route.ts';
import { apiPrefix } from './site.ts';
import type { GalleryImage, ViewData } from './types.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;
type Signalled = CallOptions & { signal: AbortSignal };

const zukan = new Zukan({ prefix: apiPrefix, fetch: rateLimitedFetch, onWait: showRetryCountdown });

const noData: ViewData = {
  ...{ subject: undefined, images: [], entries: [] },
  ...{ total: undefined, cursor: undefined },
};

/** Yields what can be shown as soon as it is there; later data includes the earlier. */
export async function* loadView(view: View, seed: string, signal: AbortSignal): AsyncGenerator<ViewData> {
  if (view.name === 'random') yield loadMore(view, noData, seed, signal);
  else if (view.name === 'search') yield loadList(view, { signal });
  else if (view.name === 'artist') yield* loadArtist(view, { signal });
  else if (view.name === 'category') yield* loadCategory(view, seed, { signal });
  else yield loadCharacter(view, seed, { signal });
}

/** Adds the next images in seed order to the data. */
export async function loadMore(
  view: RandomView,
  data: ViewData,
  seed: string,
  signal: AbortSignal,
): Promise<ViewData> {
  const { cursor, subject } = data;
  const options = randomOptions(view, subject?.name, seed);
  const page = await zukan.randomPage({ ...options, cursor }, { signal });
  return { ...data, images: [...data.images, ...page.data], cursor: page.cursor };
}

export function loadImage(id: string, signal: AbortSignal): Promise<GalleryImage> {
  return zukan.image(id, imageOptions, { signal });
}

async function loadList(view: ViewNamed<'search'>, call: Signalled): Promise<ViewData> {
  const { data, total } = await zukan[view.kind](listOptions(view), call);
  return { ...noData, entries: data, total };
}

/** The images come first; the name may follow with a second request. */
async function* loadArtist(view: ViewNamed<'artist'>, call: Signalled) {
  const { id, filter } = view;
  const { data: images, total } = await zukan.artistImages(id, artistImagesOptions(view), call);
  const known = getCachedSubject(id);
  const data = { ...noData, images, total };
  yield { ...data, subject: known && (isFiltering(filter) ? known : { ...known, images: total }) };
  if (!known) yield { ...data, subject: await zukan.artist(id, call) };
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
