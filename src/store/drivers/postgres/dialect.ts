/** The SQL of PostgreSQL. Lists, and the shelves of an image, are arrays. */
import type { Dialect } from '../../session.ts';

export const dialect: Dialect = {
  isOneOf: (parameter, type) => `= any(${parameter}::${type}[])`,
  jsonArray: (column, order = column) => `json_agg(${column} order by ${order})::text`,
  hasShelf: (shelf) => `${shelf} = any(shelves)`,
  belongs: '(select image, shelf from image_shelves cross join lateral unnest(shelves) as shelf) as belongs',
  // Sorting reads all deleted rows before the first insert, so that no new row meets the one that it replaces. `on conflict do
  // update` takes twice the time.
  rewriteShelf: `with deleted as (delete from placement where shelf = $1 and position >= $2 returning image)
    insert into placement (shelf, position, image)
    select $1, $2 + row_number() over (order by image) - 1, image
    from (select image from deleted
          where not exists (select from unnest($3::int[]) as gone (image) where gone.image = deleted.image)
          union all select unnest($4::int[])) as kept`,
  formatShelves: (shelves) => shelves,
  parseShelves: (stored) => stored as number[],
};
