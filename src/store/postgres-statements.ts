/**
 * What is asked of PostgreSQL for each call. Every statement begins with the revision and gives at least one row, so that
 * the revision is always told; what there is none of is null.
 */
import type { Statement } from './postgres-servers.ts';

/**
 * What is at given positions is looked up for each of them by itself. With `position = any(…)` the planner, which has an
 * average shelf in mind, reads the whole shelf to pick them out: 2.3 instead of 0.1 ms on ten thousand images.
 */
const imageOn = (shelf: string, position: string) =>
  `select image from placement where placement.shelf = ${shelf} and placement.position = ${position} offset 0`;

const imagesAt = (shelf: string, positions: string) =>
  `select drawn.position, image.document from unnest(${positions}::int[]) as drawn (position)
   cross join lateral (${imageOn(shelf, 'drawn.position')}) as place
   cross join lateral (select document from image where image.number = place.image offset 0) as image`;

const entriesAt = `
  select asked.position, entry.document from unnest($2::int[]) as asked (position)
  cross join lateral
    (select document from shelf where shelf.kind = $1 and shelf.position = asked.position offset 0) as entry`;

export const statements = {
  statistics: {
    name: 'statistics',
    text: `select revision.number, sizes.id, sizes.size from revision, (
             select id, size from shelf where kind in ('catalogue', 'rating', 'orientation')
             union all
             select kind, (select coalesce(max(position) + 1, 0) from shelf where shelf.kind = listed.kind)
             from (values ('artist'), ('category'), ('character')) as listed (kind)
           ) as sizes`,
  },
  image: {
    name: 'image',
    text: 'select revision.number, document from revision left join image on id = $1',
  },
  file: {
    name: 'file',
    text: 'select revision.number, key, etag, mimetype from revision left join image on id = $1',
  },
  entry: {
    name: 'entry',
    text: 'select revision.number, document, size from revision left join shelf on kind = $1 and id = $2',
  },
  entries: {
    name: 'entries',
    text: `select revision.number, entry.document from revision
           left join lateral (${entriesAt}) as entry on true order by entry.position`,
  },
  list: {
    name: 'list',
    text: `select revision.number, counted.total, entry.document from revision
           cross join (select coalesce(max(position) + 1, 0) as total from shelf where kind = $1) as counted
           left join lateral (${entriesAt}) as entry on true order by entry.position`,
  },
  names: {
    name: 'names',
    text: `select revision.number, name from revision
           left join shelf on kind = $1 and position >= $2 and position < $3 order by position`,
  },
  page: {
    name: 'page',
    text: `select revision.number, shelf.size, found.document from revision
           left join shelf on kind = $1 and shelf.id = $2
           left join lateral (${imagesAt('shelf.number', '$3')}) as found on true order by found.position`,
  },
  standing: {
    name: 'standing',
    text: `select revision.number, found.position, found.document from revision
           left join lateral (${imagesAt('$1::int', '$2')}) as found on true`,
  },
  // Of the images at these positions, in this order, the first few that stand on all of the other shelves too.
  standingOnAll: {
    name: 'standing on all',
    text: `select revision.number, image.document from revision
           left join lateral (
             select place.image, drawn.turn from unnest($2::int[]) with ordinality as drawn (position, turn)
             cross join lateral (${imageOn('$1', 'drawn.position')}) as place
             where (select count(*) from unnest($3::int[]) as other (shelf) cross join lateral
                      (select from placement where image = place.image and shelf = other.shelf offset 0) as standing
                   ) = cardinality($3::int[])
             order by drawn.turn limit $4
           ) as chosen on true
           left join image on image.number = chosen.image order by chosen.turn`,
  },
  members: {
    name: 'members',
    text: `select revision.number, image from revision
           left join placement on shelf = $1 and position >= $2 and position < $3`,
  },
  documents: {
    name: 'documents',
    text: 'select revision.number, image.number, document from revision left join image on image.number = any($1::int[])',
  },
} satisfies Record<string, Statement>;
