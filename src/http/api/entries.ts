/** The handlers of artists, characters and categories, which differ only in kind. */

import { PatternTooExpensive } from '../../catalogue/search/positions.ts';
import { PatternError } from '../../catalogue/search/reader.ts';
import type { Kind, Page } from '../../catalogue/types.ts';
import { entityTag } from '../server/conditional.ts';
import { ApiError } from '../server/errors.ts';
import type { Answer, Call } from './call.ts';
import { pageHeaders } from './pagination.ts';

interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
}

export const titles: Record<Kind, string> = {
  artist: 'Artist',
  character: 'Character',
  category: 'Category',
};

/** The text of pages. A store gives the same page again as long as it is true, so its text need not be made again. */
const texts = new WeakMap<Page, { data: string; eTag: string }>();

function textOf(page: Page): { data: string; eTag: string } {
  const known = texts.get(page);
  if (known) return known;
  const data = `[${page.items.join()}]`;
  const text = { data, eTag: entityTag(data) };
  texts.set(page, text);
  return text;
}

export const oneOf = (kind: Kind) => {
  return async ({ services, id }: Call<unknown>): Promise<Answer> => {
    const entry = await services.catalogue.one(kind, id);
    if (!entry) throw new ApiError(404, `${titles[kind]} not found.`);
    const data = `${entry.document.slice(0, -1)},"images":${entry.images}}`;
    return { data, eTag: entityTag(data) };
  };
};

export const listOf = (kind: Kind) => {
  return async (call: Call<ListQuery>): Promise<Answer> => {
    const { search } = call.query;
    const page =
      search === undefined
        ? await call.services.catalogue.list(kind, call.query)
        : await searchNames(call, kind, search);
    return { ...textOf(page), headers: pageHeaders(call, page.total) };
  };
};

/** A malformed or too expensive pattern is the client's mistake. */
async function searchNames({ services, query }: Call<ListQuery>, kind: Kind, pattern: string): Promise<Page> {
  try {
    return await services.catalogue.search(kind, pattern, query);
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
