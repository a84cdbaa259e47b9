/** The views of the gallery and their URLs. */
import type { Rating } from '../client/index.ts';

export const PAGE_SIZE = 25;

/** A search finds those whose names images mention. */
export const searchedKinds = ['artists', 'characters', 'categories'] as const;
export const entryKinds = [...searchedKinds, 'albums'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** What can be filtered, by the name of the parameter in the URL. */
export const filterOptions = {
  nsfw: ['sfw', 'questionable', 'nsfw'],
  orientation: ['landscape', 'portrait', 'square'],
  animated: ['true', 'false'],
  size: ['hd', '4k'],
} as const;
/** Of the others, several can be chosen. */
export const singleOptions: readonly string[] = ['animated', 'size'];

type Options = typeof filterOptions;
/** An empty list means no filter. */
export type Filter = { [Name in keyof Options]: Options[Name][number][] };
export const noFilter: Filter = { nsfw: [], orientation: [], animated: [], size: [] };

/** Images are in all or any of the categories, and in none of the excluded ones. Artists and characters are given by id. */
export interface Selection {
  categories: string[];
  match: 'all' | 'any';
  exclude: string[];
  artists: string[];
  excludeArtists: string[];
  characters: string[];
}

export const emptySelection: Selection = {
  categories: [],
  match: 'all',
  exclude: [],
  artists: [],
  excludeArtists: [],
  characters: [],
};

export type View =
  | ({ name: 'random' | 'newest'; filter: Filter } & Selection)
  | { name: 'artist'; id: string; filter: Filter }
  | { name: 'album'; id: string; filter: Filter }
  | { name: 'character'; id: string; filter: Filter }
  | { name: 'category'; id: string; filter: Filter }
  | { name: 'list'; kind: EntryKind; search: string; sort: 'name' | 'images' }
  /** Of everything. */
  | { name: 'search'; search: string };

/** A view with infinite scrolling: a list of names, or images. */
export type EndlessView = Exclude<View, { name: 'search' }>;
/** Images in an order of their own. */
export type OrderedView = Extract<View, { name: 'artist' | 'album' }>;
/** Images in random order or newest first. */
export type EndlessImages = Exclude<EndlessView, { name: 'list' } | OrderedView>;

export function isEndless(view: View): view is EndlessView {
  return view.name !== 'search';
}

export function isFiltering(filter: Filter): boolean {
  return Object.values(filter).some(({ length }) => length > 0);
}

export function isSelecting({
  categories,
  exclude,
  artists,
  excludeArtists,
  characters,
}: Selection): boolean {
  return [categories, exclude, artists, excludeArtists, characters].some(({ length }) => length > 0);
}

export interface Route {
  view: View;
  /** The image that is open in the dialog. */
  imageId: string | undefined;
}

/** Accepts any query. Invalid ids and names are left to the API to reject. `ratings` are shown unless the query names some. */
export function parseRoute(query: string, ratings: Rating[] = []): Route {
  const parameters = new URLSearchParams(query);
  return { view: parseView(parameters, ratings), imageId: parameters.get('image') || undefined };
}

function parseView(parameters: URLSearchParams, ratings: Rating[]): View {
  const filter = parseFilter(parameters, ratings);
  for (const name of ['artist', 'character', 'category', 'album'] as const) {
    const id = parameters.get(name);
    if (id) return { name, id, filter };
  }
  const search = parameters.get('search') ?? '';
  const kind = entryKinds.find((kind) => kind === parameters.get('in'));
  const sort = parameters.get('sort') === 'images' ? 'images' : 'name';
  if (kind) return { name: 'list', kind, search, sort };
  if (search) return { name: 'search', search };
  const name = parameters.get('order') === 'newest' ? 'newest' : 'random';
  return { name, ...parseSelection(parameters), filter };
}

function parseSelection(parameters: URLSearchParams): Selection {
  const categories = parseList(parameters, 'categories');
  const match = parameters.get('match') === 'any' && categories.length > 1 ? 'any' : 'all';
  return {
    categories,
    match,
    exclude: parseList(parameters, 'exclude'),
    artists: parseList(parameters, 'artists'),
    excludeArtists: parseList(parameters, 'excludeArtists'),
    characters: parseList(parameters, 'characters'),
  };
}

function parseFilter(parameters: URLSearchParams, ratings: Rating[]): Filter {
  const filter = Object.entries(filterOptions).map(([name, options]) => {
    const named = parseList(parameters, name);
    const known = options.filter((option) => named.includes(option));
    return [name, known.length > 1 && singleOptions.includes(name) ? [] : known];
  });
  const { nsfw, ...others }: Filter = Object.fromEntries(filter);
  return { nsfw: nsfw.length > 0 ? nsfw : ratings, ...others };
}

function parseList(parameters: URLSearchParams, name: string): string[] {
  const values = parameters.getAll(name).flatMap((text) => text.split(','));
  return [...new Set(values.map((value) => value.trim()).filter(Boolean))];
}

export function formatUrl(view: View, imageId?: string): string {
  const parts = [...formatView(view), ...(imageId ? [`image=${encodeURIComponent(imageId)}`] : [])];
  return parts.length > 0 ? `/?${parts.join('&')}` : '/';
}

function formatView(view: View): string[] {
  if ('search' in view) {
    const search = view.search ? [`search=${encodeURIComponent(view.search)}`] : [];
    if (view.name === 'search') return search;
    return [`in=${view.kind}`, ...(view.sort === 'images' ? ['sort=images'] : []), ...search];
  }
  const selection =
    'categories' in view ? formatSelection(view) : [`${view.name}=${encodeURIComponent(view.id)}`];
  const filter = Object.entries(view.filter).flatMap(([name, values]) => formatList(name, values));
  return [...selection, ...filter];
}

function formatSelection(view: Extract<View, Selection>): string[] {
  return [
    ...(view.name === 'newest' ? ['order=newest'] : []),
    ...formatList('categories', view.categories),
    ...(view.match === 'any' && view.categories.length > 1 ? ['match=any'] : []),
    ...formatList('exclude', view.exclude),
    ...formatList('artists', view.artists),
    ...formatList('excludeArtists', view.excludeArtists),
    ...formatList('characters', view.characters),
  ];
}

function formatList(name: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${name}=${values.map(encodeURIComponent).join(',')}`] : [];
}
