/** What iterators over several pages need. */
import { checkId } from './check-options.ts';
import type { SearchOptions, SimilarOptions } from './options.ts';
import type * as types from './types.ts';

/** The lists that can be iterated over. */
export interface Lists {
  images: { item: types.Image; options: Omit<SimilarOptions, 'limit'> };
  artists: { item: types.ListedArtist; options: SearchOptions };
  characters: { item: types.ListedCharacter; options: SearchOptions };
  categories: { item: types.ListedCategory; options: SearchOptions };
  albums: { item: types.ListedAlbum; options: SearchOptions };
}
export type ListName = keyof Lists;

export const paths: Record<ListName, string> = {
  images: '/image',
  artists: '/artist',
  characters: '/character',
  categories: '/category',
  albums: '/album',
};

export function imagesPath(list: 'artists' | 'albums', id: string): string {
  return `${paths[list]}/${checkId(id)}/images`;
}

export async function* followCursor(
  getPage: (cursor: string | undefined) => Promise<types.CursorPage>,
): AsyncGenerator<types.Image, void> {
  let cursor: string | undefined;
  do {
    const page = await getPage(cursor);
    yield* page.data;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** It need not be secret, and not every runtime has `crypto`. */
export function generateSeed(): string {
  return Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32)).join('-');
}
