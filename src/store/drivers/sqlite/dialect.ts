/**
 * The SQL of SQLite. Lists are bound as JSON. The shelves of an image are stored as text: `,1,2,6,`. So a shelf is found
 * without parsing, and one row for each image takes a fraction of the time and space of an index of placements by image.
 */
import type { Dialect } from '../../session.ts';

export const dialect: Dialect = {
  isOneOf: (parameter) => `in (select value from json_each(${parameter}))`,
  jsonArray: (column, order = column) => `json_group_array(${column} order by ${order})`,
  // Node binds numbers as reals.
  hasShelf: (shelf) => `instr(shelves, ',' || cast(${shelf} as integer) || ',') > 0`,
  belongs: `(select image, cast(value as integer) as shelf from image_shelves,
    json_each('[' || trim(shelves, ',') || ']')) as belongs`,
  rewriteShelf: `insert or replace into placement (shelf, position, image)
    select $1, $2 + row_number() over (order by image) - 1, image
    from (select image from placement
          where shelf = $1 and position >= $2 and image not in (select value from json_each($3))
          union all select value from json_each($4))`,
  formatShelves: (shelves) => `,${shelves.join()},`,
  parseShelves: (stored) => String(stored).split(',').filter(Boolean).map(Number),
};
