/**
 * What both drivers read with the same SQL. Parameters are `$1`, `$2` and so on. The drivers add what differs: PostgreSQL
 * reads a list as one column, looks up many things in one statement, and adds the revision.
 */
import type { ListName } from './view.ts';

const onShelf = (column: string) =>
  `select ${column} from shelf where kind = $1 and position >= $2 order by position limit $3`;

/** Lists. `join` makes one column of several, if the driver needs that. */
export const listReads = (join: (columns: string) => string): Record<ListName, string> => ({
  shelfBlocks: `select ${join('block, images')} from shelf_block where shelf = $1 and block > $2 order by block limit $3`,
  sizeBlocks: `select ${join('block, sizes')} from size_block where block > $1 order by block limit $2`,
  albumImages: `select image.number from album_image join image on image.id = album_image.image
    where album = $1 order by position limit $3 offset $2`,
  names: onShelf('name'),
  shelves: onShelf(join('number, size')),
  aliases: `select ${join('key, alias.name, position')} from alias join shelf on shelf.number = alias.shelf
    where alias.kind = $1 and key > $2 order by key limit $3`,
  hashes: `select ${join('image, hash')} from perceptual_hash where image > $1 order by image limit $2`,
  termBlocks: `select ${join('term, block, images')} from text_block
    where (term, block) > ($1, $2) and term <= $3 order by term, block limit $4`,
  terms: firstTerms(),
  newestChange: `select ${join(CHANGE)} from change order by number desc limit 1`,
  changesFrom: `select ${join(CHANGE)} from change where number >= $1 order by number limit 2`,
  changedItems: `select ${join('kind, change_item.id, image.number, before, after')} from change_item
    left join image on kind = 'image' and image.id = change_item.id
    where change = $1 and (kind, change_item.id) >= ($2, $3) and (kind in ('image', 'taken-down')
      or kind in ('artist', 'category', 'character') and before is not null and after is not null)
    order by kind, change_item.id limit $4`,
  imagesBetween: 'select number from image where number > $1 and number <= $2 order by number limit $3',
});

/** Pictures that are added in the studio continue the change of the one before. */
const CHANGE = `number, at, first_image, last_image, state,
  case when origin = 'studio' and source is not null then 1 else 0 end`;

/** The terms from one to another, each once: looks up one after the other. */
function firstTerms(): string {
  const next = (condition: string) =>
    `(select text_block.term from text_block where ${condition} and text_block.term <= $2 order by text_block.term limit 1)`;
  return `with recursive found (term) as (
      select ${next('text_block.term >= $1')}
      union all
      select ${next('text_block.term > found.term')} from found where found.term is not null
    ) select term from found where term is not null limit $3`;
}

/** The number of the shelf of an entry with this id, or else of the one that an entry with this id was merged into. */
const entryNumber = (kind: string, id: string) =>
  `coalesce((select number from shelf where kind = ${kind} and id = ${id}),
    (select shelf from alias where kind = ${kind} and key = ${id}))`;

const ENTRY = 'select number, id, document, size, cover from shelf';

/** One row or none. Arguments are parameters, or columns of a table with what is looked up. */
export const lookUps = {
  imageNumber: (id: string) => `select number from image where id = ${id}`,
  document: (image: string) => `select document from image where number = ${image}`,
  imageSize: (image: string) => `select width, height from image_shelves where image = ${image}`,
  entry: (kind: string, id: string) => `${ENTRY} where number = ${entryNumber(kind, id)}`,
  entryAt: (kind: string, position: string) => `${ENTRY} where kind = ${kind} and position = ${position}`,
  entryShelf: (kind: string, id: string) =>
    `select number, size from shelf where number = ${entryNumber(kind, id)}`,
};
