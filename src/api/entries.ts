/** The endpoints of artists, characters, categories and albums: a list and a single entry of each kind. */

import type { EntryDetails } from '../catalogue/catalogue.ts';
import type { SignLink } from '../catalogue/documents/image-document.ts';
import { withoutRights } from '../catalogue/rights.ts';
import type { Kind, Page } from '../catalogue/schemas.ts';
import * as schemas from '../catalogue/schemas.ts';
import { PatternError } from '../catalogue/search/pattern.ts';
import { ApiError } from '../http/exchange.ts';
import { type ByteString, toList } from '../lib/byte-string.ts';
import * as Type from '../lib/json-schema.ts';
import {
  type Call,
  type Endpoint,
  endpoint,
  keepAnswer,
  linkSigner,
  makeAnswer,
  pageHeaders,
  type QueryOf,
} from './endpoint.ts';
import * as examples from './examples.ts';
import { entryInclude, limit, offset, search, sort } from './parameters.ts';

const listParameters = { limit, offset, search, sort, include: entryInclude };

type ListCall = Call<QueryOf<typeof listParameters>>;

/** What differs from kind to kind. */
interface Details extends Pick<Endpoint, 'group'> {
  /** The name of the list. */
  plural: string;
  listed: Type.TSchema;
  single: Type.TSchema;
  example: object;
  /** Of the example. */
  images: number;
  /** A pattern that matches a name. */
  toPattern: (name: string) => string;
  query?: Record<string, string>;
}

const kinds: Record<Kind, Details> = {
  artist: {
    ...{ plural: 'artists', group: 'Artists', example: examples.artist, images: 7 },
    ...{ listed: schemas.ListedArtist, single: schemas.ArtistWithImages },
    ...{ toPattern: examples.containingPattern, query: { limit: '5' } },
  },
  character: {
    ...{ plural: 'characters', group: 'Characters', example: examples.character, images: 4 },
    ...{ listed: schemas.ListedCharacter, single: schemas.CharacterWithImages },
    toPattern: examples.startingPattern,
  },
  category: {
    ...{ plural: 'categories', group: 'Categories', example: examples.category, images: 9 },
    ...{ listed: schemas.ListedCategory, single: schemas.CategoryWithImages },
    toPattern: examples.outlinePattern,
  },
  album: {
    ...{ plural: 'albums', group: 'Albums', example: examples.album, images: 8 },
    ...{ listed: schemas.ListedAlbum, single: schemas.AlbumWithImages },
    toPattern: examples.startingPattern,
  },
};

export function entryList(kind: Kind): Endpoint {
  const { plural, group, listed, example, toPattern, query } = kinds[kind];
  return endpoint({
    name: plural,
    group,
    summary: `List or search ${plural}`,
    data: Type.Array(listed),
    example: {
      call: (records) => ({ query: { search: toPattern(records[kind].name), ...query } }),
      data: [example],
    },
    description: 'Sorted by name, then by id, or as `sort` says.',
    access: 'open',
    query: listParameters,
    isPaged: true,
    hasETag: true,
    async handle(call) {
      const { services, query } = call;
      const page =
        query.search === undefined && query.sort === 'name'
          ? await services.catalogue.list(kind, query, query.include?.includes('cover'))
          : await searchNames(call, kind);
      const headers = pageHeaders(call, page.total);
      const { include } = query;
      if (include === undefined)
        return { answer: keepAnswer(page, () => writeList(page, writeEntry)), headers };
      const hasCount = include.includes('count');
      const signLink = linkSigner(call);
      return {
        answer: makeAnswer(writeList(page, (entry) => writeEntry(entry, hasCount, signLink))),
        headers,
      };
    },
  });
}

export function singleEntry(kind: Kind): Endpoint {
  const { group, single, example, images } = kinds[kind];
  return endpoint({
    name: kind,
    group,
    summary: `Get ${/^a/.test(kind) ? 'an' : 'a'} ${kind}`,
    data: single,
    example: { call: (records) => ({ id: records[kind].id }), data: { ...example, images } },
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
      if (entry.cover) return { answer: makeAnswer(writeEntry(entry, true, linkSigner(call))) };
      return { answer: keepAnswer(entry, () => writeEntry(entry, true)) };
    },
  });
}

export function notFound(kind: Kind | 'image'): ApiError {
  return new ApiError(404, `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} not found.`);
}

function writeList({ items }: Page<EntryDetails>, write: (entry: EntryDetails) => ByteString): ByteString {
  return toList(items.map((entry) => write(entry)));
}

/** The link is needed for a cover only. */
export function writeEntry(
  { json: stored, images, cover }: EntryDetails,
  hasCount = false,
  signLink?: SignLink,
): ByteString {
  const json = withoutRights(stored);
  if (!hasCount && !cover) return json;
  const countPart = hasCount ? `,"images":${images}` : '';
  const coverPart = cover && signLink ? `,"cover":${cover.toCover(signLink)}` : '';
  return `${json.slice(0, -1)}${countPart}${coverPart}}`;
}

/** Those whose names match, in the order of the call. */
export async function searchNames(
  call: Pick<ListCall, 'services' | 'query' | 'caller'>,
  kind: Kind,
): Promise<Page<EntryDetails>> {
  const { services, query, caller } = call;
  const hasCovers = query.include?.includes('cover');
  try {
    return await services.catalogue.search(kind, query.search, query, caller, hasCovers);
  } catch (error) {
    if (error instanceof PatternError) throw new ApiError(400, `Invalid search query: ${error.message}.`);
    throw error;
  }
}
