/**
 * The statements of the catalogue. The first column of each is the revision, and each returns at least one row, so that
 * the revision is always there; the other columns are null where nothing was found.
 */
import type { Document } from '../../../catalogue/schemas.ts';
import { batchPerTick } from '../../../lib/concurrency.ts';
import { firstTitleWords, SNAPSHOT_QUERY } from '../../view.ts';
import type { Servers, Statement } from './servers.ts';

/**
 * Looks up each position by itself. With `position = any(…)` the planner, which expects a shelf of average size, reads the
 * whole shelf: 2.3 instead of 0.1 ms for ten thousand images.
 */
const imageOn = (shelf: string, position: string) =>
  `select image from placement where placement.shelf = ${shelf} and placement.position = ${position} offset 0`;

/** What a query finds, as an array in one column: pg takes a tenth of the time for it that it takes for rows. */
const arrayOf = (query: string) => `to_json(array(${query}))`;

export const statements = {
  revision: { name: 'revision', text: 'select number from revision' },
  snapshot: {
    name: 'snapshot',
    text: `select revision.number, (select coalesce(max(number), 0) from image), shelves.* from revision, (
             ${SNAPSHOT_QUERY}) as shelves`,
  },
  imageNumber: {
    name: 'image_number',
    text: 'select revision.number, image.number from revision left join image on id = $1',
  },
  hashes: {
    name: 'hashes',
    text: `select revision.number, found.image, found.hash from revision
           left join lateral (
             select image, hash from perceptual_hash where image > $1 order by image limit $2
           ) as found on true order by found.image`,
  },
  file: {
    name: 'file',
    text: 'select revision.number, key, etag, mimetype from revision left join image on id = $1',
  },
  entry: {
    name: 'entry',
    text: `select revision.number, found.number, found.id, document, size, cover from revision
           left join shelf as found on found.number = coalesce(
             (select shelf.number from shelf where shelf.kind = $1 and shelf.id = $2),
             (select alias.shelf from alias where alias.kind = $1 and alias.key = $2))`,
  },
  entryShelves: {
    name: 'entry_shelves',
    text: `select revision.number, found.number, found.size from revision
           cross join unnest($2::text[]) with ordinality as requested (id, turn)
           left join lateral (
             select number, size from shelf where number = coalesce(
               (select shelf.number from shelf where shelf.kind = $1 and shelf.id = requested.id),
               (select alias.shelf from alias where alias.kind = $1 and alias.key = requested.id)) offset 0
           ) as found on true order by requested.turn`,
  },
  entries: {
    name: 'entries',
    text: `select revision.number, entry.number, entry.id, entry.document, entry.size, entry.cover from revision
           left join lateral (
             select requested.turn, found.* from unnest($2::int[]) with ordinality as requested (position, turn)
             cross join lateral
               (select number, id, document, size, cover from shelf
                where shelf.kind = $1 and shelf.position = requested.position offset 0) as found
           ) as entry on true order by entry.turn`,
  },
  names: {
    name: 'names',
    text: `select revision.number, ${arrayOf(
      'select name from shelf where kind = $1 and position >= $2 and position < $3 order by position',
    )} from revision`,
  },
  aliases: {
    name: 'aliases',
    text: `select revision.number, ${arrayOf(
      `select json_build_array(key, alias.name, position) from alias join shelf on shelf.number = alias.shelf
       where alias.kind = $1 and key > $2 order by key limit $3`,
    )} from revision`,
  },
  sizes: {
    name: 'sizes',
    text: `select revision.number, ${arrayOf(
      'select size from shelf where kind = $1 and position >= $2 and position < $3 order by position',
    )} from revision`,
  },
  albumImages: {
    name: 'album_images',
    text: `select revision.number, ${arrayOf(
      `select image.number from album_image join image on image.id = album_image.image
       where album = $1 order by position limit $3 offset $2`,
    )} from revision`,
  },
  titleWords: {
    name: 'title_words',
    text: `select revision.number, ${arrayOf(firstTitleWords('$1::text', '$2::text', '$3'))} from revision`,
  },
  titleCounts: {
    name: 'title_counts',
    text: `select revision.number, ${arrayOf(
      `select (select count(*) from (select from title_word where title_word.word = wanted.word limit $2) as counted)
       from unnest($1::text[]) with ordinality as wanted (word, turn) order by wanted.turn`,
    )} from revision`,
  },
  // The newest $5 of the images whose titles have one of the words $1 (of each, the newest $2 are looked at), all of $3 and
  // one of $4, if there are any. `offset 0` keeps the order of the tests: the first word that is missing is the last look-up.
  titled: {
    name: 'titled',
    text: `select revision.number, ${arrayOf(
      `select candidate.image from (
         select distinct newest.image from unnest($1::text[]) as wanted (word)
         cross join lateral (
           select image from title_word where title_word.word = wanted.word order by image desc limit $2
         ) as newest order by newest.image desc limit $2
       ) as candidate
       where not exists (
         select from unnest($3::text[]) as needed (word) where not exists (
           select from title_word where title_word.word = needed.word and title_word.image = candidate.image offset 0
         ) offset 0
       ) and (cardinality($4::text[]) = 0 or exists (
         select from title_word where title_word.word = any($4::text[]) and title_word.image = candidate.image offset 0
       ))
       order by candidate.image desc limit $5`,
    )} from revision`,
  },
  imagesAt: {
    name: 'images_at',
    text: `select revision.number, ${arrayOf(
      `select placed.image from unnest($1::int[], $2::int[]) with ordinality as drawn (shelf, position, turn)
       cross join lateral (${imageOn('drawn.shelf', 'drawn.position')}) as placed order by drawn.turn`,
    )} from revision`,
  },
  // The newest $4 images of the shelf $1, which has $2 images: all of them, or those below the number $3. `bound` is a binary
  // search for the end of their positions; its last row has `low` = `high`. The second column says whether there are more.
  newest: {
    name: 'newest',
    text: `with recursive bound (low, high) as (
             select case when $3::int is null then $2::int else 0 end, $2::int
             union all
             select case when placed.image < $3 then middle + 1 else low end,
                    case when placed.image < $3 then high else middle end
             from bound cross join lateral (select (low + high) / 2 as middle) as halved
             cross join lateral (${imageOn('$1::int', 'halved.middle')}) as placed
             where low < high
           )
           select revision.number, ended.low - $4::int > 0, ${arrayOf(
             `select image from placement where placement.shelf = $1
              and placement.position >= ended.low - $4::int and placement.position < ended.low
              order by placement.position desc`,
           )} from revision, (select low from bound where low = high) as ended`,
  },
  dimensions: {
    name: 'dimensions',
    text: `select revision.number, ${arrayOf(
      `select array[image, width, height] from image_shelves where image > $1 order by image limit $2`,
    )} from revision`,
  },
  placements: {
    name: 'placements',
    text: `select revision.number, ${arrayOf(
      `select json_build_object('image', image, 'shelves', shelves, 'width', width, 'height', height)
       from unnest($1::int[]) as requested (number)
       cross join lateral (select image, shelves, width, height from image_shelves
                           where image_shelves.image = requested.number offset 0) as found`,
    )} from revision`,
  },
  imagesOn: {
    name: 'images_on',
    text: `select revision.number, ${arrayOf(
      'select image from placement where shelf = $1 and position >= $2 and position < $3 order by position',
    )} from revision`,
  },
  documents: {
    name: 'documents',
    text: `select revision.number, found.number, found.document from revision
           left join lateral (
             select requested.number, image.document from unnest($1::int[]) as requested (number)
             cross join lateral (select document from image where image.number = requested.number offset 0) as image
           ) as found on true`,
  },
  // Images whose document was changed, or that were removed: $4 of them, after the change $2 of the image $3. The second
  // column says whether the catalogue had the revision $1.
  documentChanges: {
    name: 'document_changes',
    text: `select revision.number,
             exists (select from past_revision where past_revision.number = $1),
             change.number, change.image from revision
           left join lateral (
             select number, image from document_change where (number, image) > ($2::float8, $3::int)
             order by number, image limit $4
           ) as change on true order by change.number, change.image`,
  },
} satisfies Record<string, Statement>;

// Documents by number. The calls of one tick share statements, and with them the check of the revision.

/** A statement reads no more documents, so that other connections read the rest at the same time. */
const MAX_DOCUMENTS_PER_STATEMENT = 100;

/** Documents by image number, and the revision that they were read from. */
interface VersionedDocuments {
  version: number;
  documents: Map<number, Document>;
}

interface Load {
  images: number[];
  resolve: (read: Promise<VersionedDocuments>) => void;
}

export class DocumentLoads {
  readonly #servers: Servers;
  /** The statement starts after all calls of the tick, so none of them gets an older revision. */
  readonly #enqueue = batchPerTick<Load>((loads) => {
    for (const group of groupLoads(loads)) {
      const reading = this.#query(group.flatMap(({ images }) => images));
      for (const { resolve } of group) resolve(reading);
    }
  });

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Reads documents or, without images, the revision only. */
  read(images: number[]): Promise<VersionedDocuments> {
    return new Promise((resolve) => this.#enqueue({ images, resolve }));
  }

  async #query(images: number[]): Promise<VersionedDocuments> {
    if (images.length === 0)
      return { ...(await this.#servers.read(statements.revision, [])), documents: new Map() };
    const { version, rows } = await this.#servers.read(statements.documents, [images]);
    return {
      version,
      documents: new Map(rows.map(([, image, document]) => [image as number, document as string])),
    };
  }
}

function* groupLoads(loads: Load[]): Generator<Load[], void> {
  let group: Load[] = [];
  let count = 0;
  for (const load of loads) {
    if (group.length > 0 && count + load.images.length > MAX_DOCUMENTS_PER_STATEMENT) {
      yield group;
      group = [];
      count = 0;
    }
    group.push(load);
    count += load.images.length;
  }
  yield group;
}
