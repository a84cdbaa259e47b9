/** The endpoints of artists, characters and categories: a list and a single entry of each kind. */

import { PatternTooExpensive } from '../../catalogue/search/positions.ts';
import { PatternError } from '../../catalogue/search/reader.ts';
import type { Kind, Page, Window } from '../../catalogue/types.ts';
import * as Type from '../../json-schema.ts';
import * as schemas from '../../schemas.ts';
import { entityTag } from '../server/conditional.ts';
import { ApiError } from '../server/errors.ts';
import { type Call, type Endpoint, endpoint } from './endpoint.ts';
import { containingPattern, outlinePattern, startingPattern } from './example-calls.ts';
import * as samples from './examples.ts';
import { pageHeaders } from './pagination.ts';
import { limit, offset, search } from './parameters.ts';

/** What differs from kind to kind. */
type Details = Pick<Endpoint, 'name' | 'group' | 'summary' | 'data' | 'example'>;

export const artistList = entryList('artist', {
  name: 'artists',
  group: 'Artists',
  summary: 'List or search artists',
  data: Type.Array(schemas.Artist),
  example: {
    call: ({ artist }) => ({ query: { search: containingPattern(artist.name), limit: '5' } }),
    data: [samples.artist],
  },
});

export const characterList = entryList('character', {
  name: 'characters',
  group: 'Characters',
  summary: 'List or search characters',
  data: Type.Array(schemas.Character),
  example: {
    call: ({ character }) => ({ query: { search: startingPattern(character.name) } }),
    data: [samples.character],
  },
});

export const categoryList = entryList('category', {
  name: 'categories',
  group: 'Categories',
  summary: 'List or search categories',
  data: Type.Array(schemas.Category),
  example: {
    call: ({ category }) => ({ query: { search: outlinePattern(category.name) } }),
    data: [samples.category],
  },
});

function entryList(kind: Kind, details: Details): Endpoint {
  return endpoint({
    ...details,
    description: 'Sorted by name, then by id.',
    access: 'open',
    query: { limit, offset, search },
    isPaged: true,
    hasETag: true,
    async handle(call) {
      const { services, query } = call;
      const page =
        query.search === undefined
          ? await services.catalogue.list(kind, query)
          : await searchNames(call, kind, query.search);
      return { ...serialize(page), headers: pageHeaders(call, page.total) };
    },
  });
}

export const singleArtist = singleEntry('artist', {
  name: 'artist',
  group: 'Artists',
  summary: 'Get an artist',
  data: schemas.ArtistWithImages,
  example: { call: ({ artist }) => ({ id: artist.id }), data: { ...samples.artist, images: 7 } },
});

export const singleCharacter = singleEntry('character', {
  name: 'character',
  group: 'Characters',
  summary: 'Get a character',
  data: schemas.CharacterWithImages,
  example: { call: ({ character }) => ({ id: character.id }), data: { ...samples.character, images: 4 } },
});

export const singleCategory = singleEntry('category', {
  name: 'category',
  group: 'Categories',
  summary: 'Get a category',
  data: schemas.CategoryWithImages,
  example: { call: ({ category }) => ({ id: category.id }), data: { ...samples.category, images: 9 } },
});

function singleEntry(kind: Kind, details: Details): Endpoint {
  return endpoint({
    ...details,
    description: 'Includes the number of images.',
    access: 'open',
    hasETag: true,
    async handle({ services, id }) {
      const entry = await services.catalogue.one(kind, id);
      if (!entry) throw notFound(kind);
      const data = `${entry.document.slice(0, -1)},"images":${entry.images}}`;
      return { data, eTag: entityTag(data) };
    },
  });
}

export function notFound(kind: Kind | 'image'): ApiError {
  const titles = { artist: 'Artist', character: 'Character', category: 'Category', image: 'Image' };
  return new ApiError(404, `${titles[kind]} not found.`);
}

interface SerializedPage {
  data: string;
  eTag: string;
}

/** The stores return the same page object until the catalogue changes. */
const cache = new WeakMap<Page, SerializedPage>();

function serialize(page: Page): SerializedPage {
  const cached = cache.get(page);
  if (cached) return cached;
  const data = `[${page.items.join()}]`;
  const serialized = { data, eTag: entityTag(data) };
  cache.set(page, serialized);
  return serialized;
}

async function searchNames(call: Call<Window>, kind: Kind, pattern: string): Promise<Page> {
  try {
    return await call.services.catalogue.search(kind, pattern, call.query, call.caller);
  } catch (error) {
    if (error instanceof PatternError) throw new ApiError(400, `Invalid search query: ${error.message}.`);
    if (error instanceof PatternTooExpensive)
      throw new ApiError(
        400,
        'Invalid search query: the pattern is too expensive; use fewer or smaller repetitions.',
      );
    throw error;
  }
}
