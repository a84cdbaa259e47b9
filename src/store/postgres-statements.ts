/**
 * What is asked of PostgreSQL for each call. Every statement begins with the revision and gives at least one row, so that
 * the revision is always told; what there is none of is null.
 */
import type { Statement } from './postgres-servers.ts';

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
    text: `select revision.number, document from revision
           left join shelf on kind = $1 and position = any($2::int[]) order by position`,
  },
  list: {
    name: 'list',
    text: `select revision.number, counted.total, document from revision
           cross join (select coalesce(max(position) + 1, 0) as total from shelf where kind = $1) as counted
           left join shelf on kind = $1 and position = any($2::int[]) order by position`,
  },
  names: {
    name: 'names',
    text: `select revision.number, name from revision
           left join shelf on kind = $1 and position >= $2 and position < $3 order by position`,
  },
  page: {
    name: 'page',
    text: `select revision.number, shelf.size, image.document from revision
           left join shelf on kind = $1 and shelf.id = $2
           left join placement on placement.shelf = shelf.number and placement.position = any($3::int[])
           left join image on image.number = placement.image order by placement.position`,
  },
  standing: {
    name: 'standing',
    text: `select revision.number, placement.position, image.document from revision
           left join placement on shelf = $1 and position = any($2::int[])
           left join image on image.number = placement.image`,
  },
  // Of the images at these positions, in this order, the first few that stand on all of the other shelves too.
  standingOnAll: {
    name: 'standing on all',
    text: `select revision.number, image.document from revision
           left join lateral (
             select placement.image, drawn.place
             from unnest($2::int[]) with ordinality as drawn (position, place)
             join placement on placement.shelf = $1 and placement.position = drawn.position
             where (select count(*) from placement as other
                    where other.image = placement.image and other.shelf = any($3::int[])) = cardinality($3::int[])
             order by drawn.place limit $4
           ) as chosen on true
           left join image on image.number = chosen.image order by chosen.place`,
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
