/** SQL about the shelves of each image (`image_shelves`), which the databases store in different ways. */
import { ENTRY_KINDS } from './queries.ts';

interface Dialect {
  /** Whether a row of `image_shelves` has the shelf. */
  hasShelf: (shelf: string) => string;
  /** A subquery with a row for each shelf of each image, called `belongs`: its `image` and `shelf`. */
  belongs: string;
}

export function createShelfQueries({ hasShelf, belongs }: Dialect) {
  /** `listed.image` is an image. */
  const isOn = (shelf: string, image = 'listed.image') =>
    `exists (select 1 from image_shelves where image_shelves.image = ${image} and ${hasShelf(shelf)})`;
  /** The newest image rated sfw on a shelf. Looks at no image that is older. */
  const findCover = (shelf: string) => `
    (select placed.image from placement as placed
     where placed.shelf = ${shelf} and ${isOn(SFW_SHELF, 'placed.image')}
     order by placed.position desc limit 1)`;
  return {
    isOn,
    /** `kinds` is a condition on the kind of a shelf. */
    isOnNo: (kinds: string): string =>
      `not exists (select 1 from ${belongs} join shelf on shelf.number = belongs.shelf
        where belongs.image = listed.image and shelf.kind ${kinds})`,
    /** Sets covers from what is on the shelves, for a condition. */
    FIND_COVERS: `update shelf set cover = ${findCover('shelf.number')} where kind in ${ENTRY_KINDS}`,
    /** Places all images, when there are no placements. */
    PLACE_ALL: `insert into placement (shelf, position, image)
      select shelf, row_number() over (partition by shelf order by image) - 1, image from ${belongs}`,
    /** Problems with the numbering of shelves and lists, and with covers, one sentence per row. */
    MISNUMBERED: `
      select 'the shelf of ' || kind || ' "' || name || '" has gaps or a wrong size' as problem
      from shelf left join placement on shelf = number group by number
      having size <> count(image) or (count(image) > 0 and max(placement.position) <> count(image) - 1)
      union all
      select 'the shelf of ' || kind || ' "' || name || '" is out of order'
      from shelf where number in
        (select shelf
         from (select shelf, image, lag(image) over (partition by shelf order by position) as previous from placement) as row_of
         where previous >= image)
      union all
      select 'the shelf of ' || kind || ' "' || name || '" has other images than those that belong on it'
      from shelf where number in
        (select shelf from (select shelf, image from placement except select shelf, image from ${belongs}) as superfluous
         union select shelf from (select shelf, image from ${belongs} except select shelf, image from placement) as missing)
      union all
      select 'a shelf holds an image that does not exist' from placement where image not in (select number from image)
      union all
      select 'the ' || kind || ' with the alias "' || name || '" does not exist'
      from alias where shelf not in (select number from shelf where shelf.kind = alias.kind)
      union all
      select 'fields of an image that does not exist are marked as edited' from edited
      where image not in (select number from image)
      union all
      select 'the list of ' || kind || 's is out of order'
      from (select kind, position, row_number() over (partition by kind order by name, id) - 1 as expected from shelf
            where kind in ${ENTRY_KINDS}) as listed
      where position <> expected group by kind
      union all
      select 'the cover of ' || kind || ' "' || name || '" is not its newest sfw image' from shelf
      where kind in ${ENTRY_KINDS} and coalesce(cover, 0) <> coalesce(${findCover('shelf.number')}, 0)`,
  };
}

const SFW_SHELF = `(select sfw.number from shelf as sfw where sfw.kind = 'rating' and sfw.id = 'sfw')`;
