/** The handlers of artists, characters and categories, which differ only in kind. */
import type { Kind } from '../model.ts';
import type { Answer, Call } from './call.ts';
import { ApiError } from './errors.ts';
import { pageHeaders } from './pages.ts';
import { searchPage } from './search.ts';

interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
}

const titles: Record<Kind, string> = { artist: 'Artist', character: 'Character', category: 'Category' };

export const oneOf = (kind: Kind) => {
  return async ({ services, id }: Call<unknown>): Promise<Answer> => {
    const entry = await services.catalogue.one(kind, id);
    if (!entry) throw new ApiError(404, `${titles[kind]} not found.`);
    return { data: `${entry.document.slice(0, -1)},"images":${entry.images}}` };
  };
};

export const listOf = (kind: Kind) => {
  return async (call: Call<ListQuery>): Promise<Answer> => {
    const { search } = call.query;
    const { total, documents } =
      search === undefined
        ? await call.services.catalogue.list(kind, call.query)
        : await searchPage(call.services.catalogue, kind, search, call.query);
    return { data: `[${documents.join(',')}]`, headers: pageHeaders(call, total) };
  };
};
