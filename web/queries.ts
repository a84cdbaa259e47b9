/** The options of API calls. The first call of a view is made from them before the client is loaded. */
import {
  type EndlessImages,
  emptySelection,
  type Filter,
  filterOptions,
  type OrderedView,
  PAGE_SIZE,
  type View,
} from './route.ts';
import { toPattern } from './search-pattern.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;

/** For the artist's name and for small files. */
export const include = ['artist', 'thumbnails', 'details'] as const;
export const imageOptions = { include };

export function similarOptions(filter: Filter) {
  return { ...imageFilter(filter), limit: 9, include };
}

/** What the cards of entries show. */
const entryInclude = ['count', 'cover'] as const;

export function listOptions({ search, sort }: Pick<ViewNamed<'list'>, 'search' | 'sort'>, offset = 0) {
  const pattern = toPattern(search);
  return {
    limit: PAGE_SIZE,
    offset,
    include: entryInclude,
    ...(pattern && { search: pattern }),
    ...(sort === 'images' && { sort }),
  };
}

export function orderedOptions({ filter }: OrderedView, offset = 0) {
  return { ...imageFilter(filter), limit: PAGE_SIZE, offset, include };
}

/** `category` is the name of the category that the view is about. Random images have a seed, too. */
export function endlessOptions(view: EndlessImages, category?: string) {
  return { ...selectImages(view, category), limit: PAGE_SIZE, include };
}

function selectImages(view: EndlessImages, category: string | undefined) {
  const filter = imageFilter(view.filter);
  if (view.name === 'character') return { character: view.id, ...filter };
  const { categories, match, exclude, artists, excludeArtists, characters } =
    'categories' in view ? view : { ...emptySelection, categories: category ? [category] : [] };
  return {
    ...(categories.length > 0 && { categories }),
    ...(match === 'any' && { match }),
    ...(exclude.length > 0 && { exclude }),
    ...(artists.length > 0 && { artist: artists }),
    ...(excludeArtists.length > 0 && { excludeArtist: excludeArtists }),
    ...(characters.length > 0 && { character: characters }),
    ...filter,
  };
}

/** The API rejects empty lists. Without `nsfw` it returns what the operator chose for other clients. */
function imageFilter({ nsfw, orientation, animated: [animated], size: [size] }: Filter) {
  const ratings = nsfw.length > 0 ? nsfw : filterOptions.nsfw;
  return {
    nsfw: [...ratings],
    ...(orientation.length > 0 && { orientation }),
    ...(animated && { animated: animated === 'true' }),
    ...(size && minSize(size, orientation.join())),
  };
}

/** The long side of a screen counts only if all images have the same orientation. Else, both sides must have the short one. */
function minSize(size: Filter['size'][number], orientation: string) {
  const [long, short] = size === '4k' ? [3840, 2160] : [1920, 1080];
  return {
    minWidth: orientation === 'landscape' ? long : short,
    minHeight: orientation === 'portrait' ? long : short,
  };
}
