/** What there is to look at, and the address of each: all that the page shows can be shared as a link. */
import type { Orientation, Rating } from '../client/index.ts';

export const kinds = ['artists', 'characters', 'categories'] as const;
export type Kind = (typeof kinds)[number];

/** Which pictures of a place are shown; where nothing is chosen, all of them. By the names that the API has for it. */
export interface Filter {
  nsfw: Rating[];
  orientation: Orientation[];
}

export const choices: { [Name in keyof Filter]: readonly Filter[Name][number][] } = {
  nsfw: ['sfw', 'questionable', 'nsfw'],
  orientation: ['landscape', 'portrait', 'square'],
};
export const everything: Filter = { nsfw: [], orientation: [] };

export type Place =
  | { name: 'random'; categories: string[]; filter: Filter }
  | { name: 'artist'; id: string; filter: Filter; page: number }
  | { name: 'character'; id: string; filter: Filter }
  | { name: 'category'; id: string; filter: Filter }
  | { name: 'search'; kind: Kind; search: string; page: number };

/** A place whose pictures come in random order, as many as one likes. */
export type Drawn = Extract<Place, { name: 'random' | 'character' | 'category' }>;

export function isDrawn(place: Place): place is Drawn {
  return place.name === 'random' || place.name === 'character' || place.name === 'category';
}

export function isChosen({ nsfw, orientation }: Filter): boolean {
  return nsfw.length + orientation.length > 0;
}

export interface View {
  place: Place;
  /** The picture that is open over the place. */
  image: string | undefined;
}

/** What an address shows. Whatever it says shows something: an id that is none is for the API to refuse. */
export function viewOf(query: string): View {
  const parameters = new URLSearchParams(query);
  return { place: placeOf(parameters), image: parameters.get('image') || undefined };
}

function placeOf(parameters: URLSearchParams): Place {
  const page = pageOf(parameters.get('page'));
  const filter = filterOf(parameters);
  for (const name of ['artist', 'character', 'category'] as const) {
    const id = parameters.get(name);
    if (id) return name === 'artist' ? { name, id, filter, page } : { name, id, filter };
  }
  const search = parameters.get('search') ?? '';
  const kind = kinds.find((kind) => kind === parameters.get('in'));
  if (kind || search) return { name: 'search', kind: kind ?? 'artists', search, page };
  return { name: 'random', categories: wordsOf(parameters, 'categories'), filter };
}

function pageOf(text: string | null): number {
  return /^[1-9][0-9]{0,6}$/.test(text ?? '') ? Number(text) : 1;
}

function filterOf(parameters: URLSearchParams): Filter {
  const [ratings, shapes] = [wordsOf(parameters, 'nsfw'), wordsOf(parameters, 'orientation')];
  return {
    nsfw: choices.nsfw.filter((name) => ratings.includes(name)),
    orientation: choices.orientation.filter((name) => shapes.includes(name)),
  };
}

function wordsOf(parameters: URLSearchParams, name: string): string[] {
  const words = parameters.getAll(name).flatMap((text) => text.split(','));
  return [...new Set(words.map((word) => word.trim()).filter(Boolean))];
}

export function addressOf(place: Place, image?: string): string {
  const parts = [...partsOf(place), ...(image ? [`image=${encodeURIComponent(image)}`] : [])];
  return parts.length > 0 ? `/?${parts.join('&')}` : '/';
}

function partsOf(place: Place): string[] {
  const page = 'page' in place && place.page > 1 ? [`page=${place.page}`] : [];
  if (place.name === 'search') {
    const search = place.search ? [`search=${encodeURIComponent(place.search)}`] : [];
    return [`in=${place.kind}`, ...search, ...page];
  }
  const what =
    place.name === 'random'
      ? listed('categories', place.categories)
      : [`${place.name}=${encodeURIComponent(place.id)}`];
  const { nsfw, orientation } = place.filter;
  return [...what, ...listed('nsfw', nsfw), ...listed('orientation', orientation), ...page];
}

function listed(name: string, words: readonly string[]): string[] {
  return words.length > 0 ? [`${name}=${words.map(encodeURIComponent).join(',')}`] : [];
}
