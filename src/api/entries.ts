/** The endpoints of artists, characters and categories: a list and a single entry of each kind. */

import { fromByteString, type SignLink } from '../catalogue/documents/image-document.ts';
import * as schemas from '../catalogue/schemas.ts';
import { PatternError } from '../catalogue/search/reader.ts';
import { SearchTooLong } from '../catalogue/search/scan.ts';
import type { Kind, Page, Window } from '../catalogue/types.ts';
import { ApiError } from '../http/errors.ts';
import { entityTag } from '../http/negotiation.ts';
import * as Type from '../lib/json-schema.ts';
import type { EntryDetails } from '../store/contract/catalogue.ts';
import { type Call, type Endpoint, endpoint, type QueryOf } from './endpoint.ts';
import * as examples from './examples.ts';
import { linkSigner, pageHeaders } from './links.ts';
import { entryInclude, limit, offset, search } from './parameters.ts';

type ListCall = Call<Window & QueryOf<{ include: typeof entryInclude }>>;

/** What differs from kind to kind. */
type Details = Pick<Endpoint, 'name' | 'group' | 'summary' | 'data' | 'example'>;

export const artistList = entryList('artist', {
  name: 'artists',
  group: 'Artists',
  summary: 'List or search artists',
  data: Type.Array(schemas.ListedArtist),
  example: {
    call: ({ artist }) => ({ query: { search: examples.containingPattern(artist.name), limit: '5' } }),
    data: [examples.artist],
  },
});

export const characterList = entryList('character', {
  name: 'characters',
  group: 'Characters',
  summary: 'List or search characters',
  data: Type.Array(schemas.ListedCharacter),
  example: {
    call: ({ character }) => ({ query: { search: examples.startingPattern(character.name) } }),
    data: [examples.character],
  },
});

export const categoryList = entryList('category', {
  name: 'categories',
  group: 'Categories',
  summary: 'List or search categories',
  data: Type.Array(schemas.ListedCategory),
  example: {
    call: ({ category }) => ({ query: { search: examples.outlinePattern(category.name) } }),
    data: [examples.category],
  },
});

function entryList(kind: Kind, details: Details): Endpoint {
  return endpoint({
    ...details,
    description: 'Sorted by name, then by id.',
    access: 'open',
    query: { limit, offset, search, include: entryInclude },
    isPaged: true,
    hasETag: true,
    async handle(call) {
      const { services, query } = call;
      const page =
        query.search === undefined
          ? await services.catalogue.list(kind, query, query.include?.includes('cover'))
          : await searchNames(call, kind, query.search);
      const serialized = query.include ? serializeWith(call, page) : serialize(page);
      return { ...serialized, headers: pageHeaders(call, page.total) };
    },
  });
}

export const singleArtist = singleEntry('artist', {
  name: 'artist',
  group: 'Artists',
  summary: 'Get an artist',
  data: schemas.ArtistWithImages,
  example: { call: ({ artist }) => ({ id: artist.id }), data: { ...examples.artist, images: 7 } },
});

export const singleCharacter = singleEntry('character', {
  name: 'character',
  group: 'Characters',
  summary: 'Get a character',
  data: schemas.CharacterWithImages,
  example: { call: ({ character }) => ({ id: character.id }), data: { ...examples.character, images: 4 } },
});

export const singleCategory = singleEntry('category', {
  name: 'category',
  group: 'Categories',
  summary: 'Get a category',
  data: schemas.CategoryWithImages,
  example: { call: ({ category }) => ({ id: category.id }), data: { ...examples.category, images: 9 } },
});

function singleEntry(kind: Kind, details: Details): Endpoint {
  return endpoint({
    ...details,
    description:
      'Includes the number of images. The id of an entry that was merged redirects to the one it went into.',
    followsMerges: true,
    access: 'open',
    query: { include: entryInclude },
    hasETag: true,
    async handle(call) {
      const { services, id, query } = call;
      const entry = await services.catalogue.one(kind, id, query.include?.includes('cover'));
      if (!entry) throw notFound(kind);
      if (entry.id !== id) return { movedTo: entry.id };
      const data = addParts(entry, true, entry.cover && linkSigner(call));
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
const cache = new WeakMap<Page<EntryDetails>, SerializedPage>();

function serialize(page: Page<EntryDetails>): SerializedPage {
  const cached = cache.get(page);
  if (cached) return cached;
  const data = `[${page.items.map(({ document }) => document).join()}]`;
  const serialized = { data, eTag: entityTag(data) };
  cache.set(page, serialized);
  return serialized;
}

/** With what `include` names. */
function serializeWith(call: ListCall, { items }: Page<EntryDetails>): SerializedPage {
  const hasCount = call.query.include?.includes('count') ?? false;
  const signLink = linkSigner(call);
  const data = `[${items.map((entry) => addParts(entry, hasCount, signLink)).join()}]`;
  return { data, eTag: entityTag(data) };
}

/** The link is needed for a cover only. */
export function addParts(
  { document, images, cover }: EntryDetails,
  hasCount: boolean,
  signLink?: SignLink,
): string {
  const countPart = hasCount ? `,"images":${images}` : '';
  const coverPart = cover && signLink ? `,"cover":${fromByteString(cover.toCover(signLink))}` : '';
  return `${document.slice(0, -1)}${countPart}${coverPart}}`;
}

async function searchNames(call: ListCall, kind: Kind, pattern: string): Promise<Page<EntryDetails>> {
  const { services, query, caller } = call;
  try {
    return await services.catalogue.search(kind, pattern, query, caller, query.include?.includes('cover'));
  } catch (error) {
    if (error instanceof PatternError) throw new ApiError(400, `Invalid search query: ${error.message}.`);
    if (error instanceof SearchTooLong)
      throw new ApiError(503, 'This search takes too long with so many names: use a simpler pattern.', {
        'Retry-After': '60',
      });
    throw error;
  }
}
