/** What a page of images or entries reads. */
import type { ListFilter } from '../../catalogue/catalogue.ts';
import type { Window } from '../../catalogue/types.ts';

/** The kind and id of the one shelf that a filter names, if it names no other. */
export function findSoleShelf(filter: ListFilter): { kind: string; id: string } | undefined {
  const { artist, nsfw = [], orientation = [] } = filter;
  const named = [
    ...(artist === undefined ? [] : [{ kind: 'artist', id: artist }]),
    ...nsfw.map((id) => ({ kind: 'rating', id })),
    ...orientation.map((id) => ({ kind: 'orientation', id })),
  ];
  return named.length > 1 ? undefined : (named[0] ?? { kind: 'catalogue', id: 'all' });
}

/** A larger position would not fit the column's type. */
const MAX_POSITION = 2 ** 31 - 1;

/** The positions of a page. */
export function listPositions({ offset, limit }: Window): number[] {
  return Array.from({ length: limit }, (_, index) => offset + index).filter(
    (position) => position <= MAX_POSITION,
  );
}

/** The first position of a page, and the one after its last. */
export function pageBounds({ offset, limit }: Window): [from: number, to: number] {
  return [Math.min(offset, MAX_POSITION), Math.min(offset + limit, MAX_POSITION)];
}
