/** What there is to look at, and the address of each: all that the page shows can be shared as a link. */

export const kinds = ['artists', 'characters', 'categories'] as const;
export type Kind = (typeof kinds)[number];

export type Place =
  | { name: 'random'; categories: string[] }
  | { name: 'artist'; id: string; page: number }
  | { name: 'character'; id: string }
  | { name: 'category'; id: string }
  | { name: 'search'; kind: Kind; search: string; page: number };

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
  for (const name of ['artist', 'character', 'category'] as const) {
    const id = parameters.get(name);
    if (id) return name === 'artist' ? { name, id, page } : { name, id };
  }
  const search = parameters.get('search') ?? '';
  const kind = kinds.find((kind) => kind === parameters.get('in'));
  if (kind || search) return { name: 'search', kind: kind ?? 'artists', search, page };
  const names = parameters.getAll('categories').flatMap((text) => text.split(','));
  const categories = names.map((name) => name.trim()).filter(Boolean);
  return { name: 'random', categories: [...new Set(categories)] };
}

function pageOf(text: string | null): number {
  return /^[1-9][0-9]{0,6}$/.test(text ?? '') ? Number(text) : 1;
}

export function addressOf(place: Place, image?: string): string {
  const parts = [...partsOf(place), ...(image ? [`image=${encodeURIComponent(image)}`] : [])];
  return parts.length > 0 ? `/?${parts.join('&')}` : '/';
}

function partsOf(place: Place): string[] {
  const page = 'page' in place && place.page > 1 ? [`page=${place.page}`] : [];
  if (place.name === 'random')
    return place.categories.length > 0
      ? [`categories=${place.categories.map(encodeURIComponent).join(',')}`]
      : [];
  if (place.name !== 'search') return [`${place.name}=${encodeURIComponent(place.id)}`, ...page];
  const search = place.search ? [`search=${encodeURIComponent(place.search)}`] : [];
  return [`in=${place.kind}`, ...search, ...page];
}
