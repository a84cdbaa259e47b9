/** The options of API calls. The first call of a view is made from them before the client is loaded. */
import type { Rating } from '../client/index.ts';
import {
  type EndlessView,
  emptySelection,
  type Filter,
  filterOptions,
  PAGE_SIZE,
  type View,
} from './route.ts';
import { toPattern } from './search-pattern.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;

/** For the artist's name and for small files. */
export const include = ['artist', 'thumbnails', 'details'] as const;
export const imageOptions = { include };

export function similarOptions(nsfw: Rating[]) {
  return { ...imageFilter({ nsfw, orientation: [] }), limit: 9, include };
}

/** What the cards of entries show. */
const entryInclude = ['count', 'cover'] as const;

/** Of a list or a search. */
export function listOptions({ search, page = 1 }: { search: string; page?: number }) {
  const pattern = toPattern(search);
  const position = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  return { ...position, include: entryInclude, ...(pattern && { search: pattern }) };
}

export function artistImagesOptions({ filter, page }: ViewNamed<'artist'>) {
  return { ...imageFilter(filter), limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, include };
}

/** `category` is the name of the category that the view is about. Random images have a seed, too. */
export function endlessOptions(view: EndlessView, category?: string) {
  return { ...selectImages(view, category), limit: PAGE_SIZE, include };
}

function selectImages(view: EndlessView, category: string | undefined) {
  const filter = imageFilter(view.filter);
  if (view.name === 'character') return { character: view.id, ...filter };
  const { categories, match, exclude } =
    'categories' in view ? view : { ...emptySelection, categories: category ? [category] : [] };
  return {
    ...(categories.length > 0 && { categories }),
    ...(match === 'any' && { match }),
    ...(exclude.length > 0 && { exclude }),
    ...filter,
  };
}

/** The API rejects empty lists. Without `nsfw` it returns what the operator chose for other clients. */
function imageFilter({ nsfw, orientation }: Filter): Partial<Filter> {
  const ratings = nsfw.length > 0 ? nsfw : filterOptions.nsfw;
  return { nsfw: [...ratings], ...(orientation.length > 0 && { orientation }) };
}
