/** The handlers of artists, characters and categories, which differ only in kind. */

import type { Kind, Page } from '../../catalogue/types.ts';
import { entityTag } from '../server/conditional.ts';
import { ApiError } from '../server/errors.ts';
import type { Answer, Call } from './call.ts';
import { pageHeaders } from './pagination.ts';
import { searchPage } from './search.ts';

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
        : await searchPage(call.services.catalogue, kind, search, call.query);
    return { ...textOf(page), headers: pageHeaders(call, page.total) };
  };
};
