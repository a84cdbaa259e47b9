/**
 * What is asked of PostgreSQL for each call. Every statement begins with the revision and gives at least one row, so that
 * the revision is always told; what there is none of is null.
 */
import type { Statement } from './servers.ts';

/**
 * What is at given positions is looked up for each of them by itself. With `position = any(…)` the planner, which has an
 * average shelf in mind, reads the whole shelf to pick them out: 2.3 instead of 0.1 ms on ten thousand images.
 */
const imageOn = (shelf: string, position: string) =>
  `select image from placement where placement.shelf = ${shelf} and placement.position = ${position} offset 0`;

/** A row where the image of `place` stands on a shelf. */
const standing = (shelf: string) =>
  `select from placement where placement.image = place.image and placement.shelf = ${shelf} offset 0`;

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
  shelf: {
    name: 'shelf',
    text: 'select revision.number, shelf.number, size from revision left join shelf on kind = $1 and id = $2',
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
  // Of the images at these places ($1, $2), in this order, the first few that stand on one shelf of each choice (of which $3
  // says which, $4 the shelves, $5 how many there are) and on none of $6, nor on a shelf that comes before their own in $7.
  qualifying: {
    name: 'qualifying',
    text: `select revision.number, image.document from revision
           left join lateral (
             select place.image, drawn.turn
             from unnest($1::int[], $2::int[]) with ordinality as drawn (shelf, position, turn)
             cross join lateral (${imageOn('drawn.shelf', 'drawn.position')}) as place
             where (select count(distinct choice) from unnest($3::int[], $4::int[]) as other (choice, shelf)
                    cross join lateral (${standing('other.shelf')}) as standing) = $5
               and not exists (select from unnest($6::int[]) as other (shelf)
                               cross join lateral (${standing('other.shelf')}) as standing)
               and not exists (select from unnest($7::int[]) with ordinality as other (shelf, turn)
                               cross join lateral (${standing('other.shelf')}) as standing
                               where other.turn < array_position($7, drawn.shelf))
             order by drawn.turn limit $8
           ) as chosen on true
           left join image on image.number = chosen.image order by chosen.turn`,
  },
  members: {
    name: 'members',
    text: `select revision.number, image from revision
           left join placement on shelf = $1 and position >= $2 and position < $3 order by position`,
  },
  documents: {
    name: 'documents',
    text: `select revision.number, found.number, found.document from revision
           left join lateral (
             select wanted.number, image.document from unnest($1::int[]) as wanted (number)
             cross join lateral (select document from image where image.number = wanted.number offset 0) as image
           ) as found on true`,
  },
} satisfies Record<string, Statement>;
