/** SQL about the shelves of each image, which PostgreSQL stores as an array. */
import { createShelfQueries } from '../shared/shelf-queries.ts';

export const { FIND_COVERS, MISNUMBERED, PLACE_ALL, isOn, isOnNo } = createShelfQueries({
  hasShelf: (shelf) => `${shelf} = any(shelves)`,
  belongs: '(select image, shelf from image_shelves cross join lateral unnest(shelves) as shelf) as belongs',
});

/** The position of the first image ($2) on a shelf ($1) that is not older, or the size of the shelf. A binary search. */
export const POSITION_OF = `
  with recursive search (low, high) as (
    select 0, (select coalesce(max(position) + 1, 0) from placement where shelf = $1)
    union all
    select case when image < $2 then middle + 1 else low end, case when image < $2 then high else middle end
    from (
      select low, high, (low + high) / 2 as middle,
        (select image from placement where shelf = $1 and position = (low + high) / 2) as image
      from search where low < high
    ) as step
  ) select low as position from search where low = high`;
