/** The views of the gallery and their URLs. */
import type { Orientation, Rating } from '../client/index.ts';

export const PAGE_SIZE = 25;

export const entryKinds = ['artists', 'characters', 'categories'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Uses the API's parameter names. An empty list means no filter. */
export interface Filter {
  nsfw: Rating[];
  orientation: Orientation[];
}

export const filterOptions: { [Name in keyof Filter]: readonly Filter[Name][number][] } = {
  nsfw: ['sfw', 'questionable', 'nsfw'],
  orientation: ['landscape', 'portrait', 'square'],
};
export const noFilter: Filter = { nsfw: [], orientation: [] };

/** Images are in all or any of the categories, and in none of the excluded ones. */
export interface Selection {
  categories: string[];
  match: 'all' | 'any';
  exclude: string[];
}

export const emptySelection: Selection = { categories: [], match: 'all', exclude: [] };

export type View =
  | ({ name: 'random' | 'newest'; filter: Filter } & Selection)
  | { name: 'artist'; id: string; filter: Filter; page: number }
  | { name: 'character'; id: string; filter: Filter }
  | { name: 'category'; id: string; filter: Filter }
  | { name: 'list'; kind: EntryKind; search: string; page: number }
  /** Of all kinds. */
  | { name: 'search'; search: string };

/** A view with infinite scrolling, in random order or newest first. */
export type EndlessView = Exclude<View, { page: number } | { name: 'search' }>;

export function isEndless(view: View): view is EndlessView {
  return 'filter' in view && !('page' in view);
}

export function isFiltering({ nsfw, orientation }: Filter): boolean {
  return nsfw.length + orientation.length > 0;
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
  const page = parsePage(parameters.get('page'));
  const filter = parseFilter(parameters, ratings);
  for (const name of ['artist', 'character', 'category'] as const) {
    const id = parameters.get(name);
    if (id) return name === 'artist' ? { name, id, filter, page } : { name, id, filter };
  }
  const search = parameters.get('search') ?? '';
  const kind = entryKinds.find((kind) => kind === parameters.get('in'));
  if (kind) return { name: 'list', kind, search, page };
  if (search) return { name: 'search', search };
  const name = parameters.get('order') === 'newest' ? 'newest' : 'random';
  return { name, ...parseSelection(parameters), filter };
}

function parseSelection(parameters: URLSearchParams): Selection {
  const categories = parseList(parameters, 'categories');
  const match = parameters.get('match') === 'any' && categories.length > 1 ? 'any' : 'all';
  return { categories, match, exclude: parseList(parameters, 'exclude') };
}

function parsePage(text: string | null): number {
  return /^[1-9][0-9]{0,6}$/.test(text ?? '') ? Number(text) : 1;
}

function parseFilter(parameters: URLSearchParams, ratings: Rating[]): Filter {
  const named = parseList(parameters, 'nsfw');
  const orientations = parseList(parameters, 'orientation');
  const known = filterOptions.nsfw.filter((name) => named.includes(name));
  return {
    nsfw: known.length > 0 ? known : ratings,
    orientation: filterOptions.orientation.filter((name) => orientations.includes(name)),
  };
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
  const page = 'page' in view && view.page > 1 ? [`page=${view.page}`] : [];
  if ('search' in view) {
    const search = view.search ? [`search=${encodeURIComponent(view.search)}`] : [];
    return [...(view.name === 'list' ? [`in=${view.kind}`] : []), ...search, ...page];
  }
  const selection =
    'categories' in view ? formatSelection(view) : [`${view.name}=${encodeURIComponent(view.id)}`];
  const { nsfw, orientation } = view.filter;
  return [...selection, ...formatList('nsfw', nsfw), ...formatList('orientation', orientation), ...page];
}

function formatSelection({ name, categories, match, exclude }: Extract<View, Selection>): string[] {
  return [
    ...(name === 'newest' ? ['order=newest'] : []),
    ...formatList('categories', categories),
    ...(match === 'any' && categories.length > 1 ? ['match=any'] : []),
    ...formatList('exclude', exclude),
  ];
}

function formatList(name: string, values: readonly string[]): string[] {
  return values.length > 0 ? [`${name}=${values.map(encodeURIComponent).join(',')}`] : [];
}
