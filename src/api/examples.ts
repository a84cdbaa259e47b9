/**
 * The examples of the reference: records that exist in the demo catalogue, and calls made of records of the catalogue that is
 * served, so that they work on it.
 */

import type { TokenInformation } from '../access/tokens.ts';
import type {
  Album,
  Artist,
  ArtistImage,
  Category,
  Character,
  Image,
  Kind,
  SearchResult,
  Statistics,
} from '../catalogue/schemas.ts';
import type * as Type from '../lib/json-schema.ts';

export const artist: Artist = {
  id: '4934822e-e84c-5aa0-bf12-3a85eb9a3b57',
  name: 'Hoshino Ink',
  url: 'https://example.org/artists/hoshino-ink',
};

export const category: Category = {
  id: '5aa3f293-70bd-5c12-aad4-4e6a47390266',
  name: 'duo',
  description: 'Two characters in one picture.',
  nsfw: false,
  createdAt: '2025-01-01T11:00:00.000Z',
};

export const album: Album = {
  id: 'ceb2f0f3-1caa-5616-9dcf-1daba29f343f',
  name: 'Autumn',
  description: 'Leaves, rain, and a good book.',
  createdAt: '2025-01-03T17:00:00.000Z',
};

export const character: Character = {
  id: '4af9a9b0-a60b-5b67-8311-a04c970aaf61',
  name: 'Koharu Inagi',
  description: 'Carries letters over the mountain, nine parcels at a time.',
  source: 'Nine Tails Post',
  gender: 'female',
  ages: [22, 24],
  birth_date: '2002-10-03',
  nationality: 'Japanese',
  occupations: ['courier'],
  createdAt: '2025-01-03T00:00:00.000Z',
};

const id = 'acf33ea2-7f98-5b67-a500-77e562ea8d82';

export const image: Image = {
  id,
  url: `https://example.org/files/${id}.webp?expires=1767229200&signature=Zm94ZXMgY2FycnkgbGV0dGVycw`,
  artist: artist.id,
  source: { name: 'Nine Tails Post', url: 'https://example.org/works/0046' },
  nsfw: 'sfw',
  categories: [category],
  characters: [character],
  createdAt: '2025-08-22T04:30:00.000Z',
  meta: {
    eTag: '5d41c9a2b0e1f3',
    size: 41_236,
    mimetype: 'image/webp',
    color: '#e8a860',
    expires: '2026-01-01T01:00:00.000Z',
    dimens: { width: 1080, height: 720, aspectRatio: '3:2', orientation: 'landscape' },
  },
};

export const artistImage: Type.Static<typeof ArtistImage> = {
  ...image,
  meta: { ...image.meta, dimens: { width: 1080, height: 720, orientation: 'landscape' } },
};

export const statistics: Statistics = {
  images: {
    count: 68,
    nsfw: { nsfw: 5, questionable: 6, sfw: 57 },
    orientation: { landscape: 21, portrait: 30, square: 17 },
  },
  artists: { count: 10 },
  characters: { count: 18 },
  categories: { count: 28 },
};

export const found: Type.Static<typeof SearchResult> = {
  artists: [{ ...artist, images: 7 }],
  characters: [],
  categories: [],
  albums: [],
  images: [],
  total: 0,
  words: [
    { text: 'artist:"Hoshino Ink"', as: 'artist', kinds: ['artist'], excluded: false, found: true },
    { text: 'rating:sfw', as: 'rating', kinds: [], excluded: false, found: true },
  ],
  filters: { artist: [artist.id], nsfw: ['sfw'] },
  suggestions: [],
};

export const token: TokenInformation = {
  owner: 'me',
  purpose: 'tour',
  scopes: ['image:list', 'image:custom-expiry:86400'],
  issuedBy: 'zukan',
  createdAt: '2026-01-01T00:00:00.000Z',
  expires: '2027-01-01T00:00:00.000Z',
};

export interface Named {
  id: string;
  name: string;
}

/** The records that the calls are about. */
export interface ExampleRecords extends Record<Kind, Named> {
  image: { id: string };
  /** The names of categories that one image has all of. */
  categories: readonly string[];
}

export interface ExampleCall {
  /** Stands for `{id}` in the path. */
  id?: string;
  query?: Record<string, string>;
}

export const demoRecords: ExampleRecords = {
  image,
  artist,
  character,
  category,
  album,
  categories: ['foxgirl', 'kimono'],
};

/** No filter if there are no names. */
export function inCategories(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { categories: names.join() } : {};
}

/** Names this artist by the words of the name, and a rating: `artist:"Hoshino Ink" rating:sfw`. */
export function searchForArtist(name: string): string {
  const words = name.match(/[\p{L}\p{N}]{1,20}/gu)?.slice(0, 3) ?? [];
  return words.length > 0 ? `artist:"${words.join(' ')}" rating:sfw` : 'rating:sfw';
}

/** Matches names that contain the last word of this one: `%ink%`. Letters and digits stand for themselves. */
export function containingPattern(name: string): string {
  const words = name.match(/[\p{L}\p{N}]{2,20}/gu) ?? [];
  return words.length > 0 ? `%${lower(words.at(-1) as string)}%` : '%';
}

/** Matches names that start with the first letters of this one: `ko%`. */
export function startingPattern(name: string): string {
  return `${lower(/^[\p{L}\p{N}]{1,2}/u.exec(name)?.[0] ?? '')}%`;
}

/** Matches names of the same length and first letter: `d__`. */
export function outlinePattern(name: string): string {
  return /^[a-z0-9][a-z0-9 -]{1,19}$/i.test(name)
    ? lower(name.slice(0, 1)) + '_'.repeat(name.length - 1)
    : startingPattern(name);
}

/** To show that case does not matter. In other alphabets, lower case may have more letters. */
function lower(text: string): string {
  return /^[A-Z0-9]*$/i.test(text) ? text.toLowerCase() : text;
}
