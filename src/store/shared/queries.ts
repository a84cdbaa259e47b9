/** SQL that both stores understand. */

import type { Orientation, Rating } from '../../catalogue/types.ts';
import type { FixedShelves } from '../../catalogue/writer.ts';

export const IMAGE_COLUMNS = 'number, id, etag as "eTag", key, mimetype, document';
export const ENTRY_COLUMNS = 'number as shelf, kind, id, name, created_at as "createdAt", document';

/** What is wrong with the numbers of shelves and lists, a sentence a row. */
export const misnumbered = `
  select 'the shelf of ' || kind || ' "' || name || '" has gaps or a wrong size' as problem
  from shelf left join placement on shelf = number group by number
  having size <> count(image) or (count(image) > 0 and max(placement.position) <> count(image) - 1)
  union all
  select 'the shelf of ' || kind || ' "' || name || '" is out of order'
  from shelf where number in
    (select shelf
     from (select shelf, image, lag(image) over (partition by shelf order by position) as before from placement) as row_of
     where before >= image)
  union all
  select 'a shelf holds an image that does not exist' from placement where image not in (select number from image)
  union all
  select 'the list of ' || kind || 's is out of order'
  from (select kind, position, row_number() over (partition by kind order by name, id) - 1 as due from shelf
        where kind in ('artist', 'category', 'character')) as listed
  where position <> due group by kind`;

/** Gives each artist, character and category its place among its kind: by name, then id, both by code point. */
export const orderEntries = `
  update shelf set position = ordered.position
  from (select number, row_number() over (partition by kind order by name, id) - 1 as position from shelf
        where kind in ('artist', 'category', 'character')) as ordered
  where ordered.number = shelf.number and shelf.position <> ordered.position`;

export const FIXED_SHELVES = `select kind, id, number from shelf where kind in ('catalogue', 'rating', 'orientation')`;

/** The shelves that every catalogue has, from the rows of `FIXED_SHELVES`. */
export function fixedShelvesIn(rows: { kind: string; id: string; number: number }[]): FixedShelves {
  const numbers = new Map(rows.map(({ kind, id, number }) => [`${kind} ${id}`, number]));
  const shelf = (name: string) => numbers.get(name) as number;
  const rating = (name: Rating) => shelf(`rating ${name}`);
  const orientation = (name: Orientation) => shelf(`orientation ${name}`);
  return {
    catalogue: shelf('catalogue all'),
    rating: { sfw: rating('sfw'), questionable: rating('questionable'), nsfw: rating('nsfw') },
    orientation: {
      landscape: orientation('landscape'),
      portrait: orientation('portrait'),
      square: orientation('square'),
    },
  };
}
