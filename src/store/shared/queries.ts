/** SQL that both stores understand. */
import type { Orientation, Rating } from '../../catalogue/types.ts';
import type { FixedShelves } from '../../catalogue/writer.ts';

export const IMAGE_COLUMNS = `number, id, etag as "eTag", key, mimetype, document,
  (select hash from perceptual_hash where perceptual_hash.image = image.number) as "perceptualHash",
  coalesce((select fields from edited where edited.image = image.number), '') as edited`;
export const REMOVED_COLUMNS = 'hash, image, removed_at as "removedAt", reason';
export const BLOCKED_COLUMNS = 'kind, name, blocked_at as "blockedAt"';
export const EDITED_IMAGES = 'select image from edited order by image desc';

export const ENTRY_COLUMNS = 'number as shelf, kind, id, name, created_at as "createdAt", document';
export const ALIASES_OF_SHELF = 'from alias where alias.shelf = shelf.number';

/** Documents rewritten at a time when an entry has changed. */
export const REWRITE_BATCH_SIZE = 1000;
/** Images of a shelf that are read at a time. */
export const SHELF_BATCH_SIZE = 500;

/** The ids of images on a shelf that meet all conditions on `listed.image`. */
export function imageIdsQuery(shelf: string, conditions: string[]): string {
  return `select image.id from placement as listed join image on image.number = listed.image
    where ${[`listed.shelf = ${shelf}`, ...conditions].join(' and ')} order by listed.position`;
}
export const IS_EDITED = 'exists (select 1 from edited where edited.image = listed.image)';
/** `run` is a parameter that is used twice. */
export const isOfImportRun = (run: string): string =>
  `(exists (select 1 from import_run where import_run.id = ${run}
      and listed.image between import_run.first_image and import_run.last_image)
    or exists (select 1 from import_change where import_change.run = ${run}
      and import_change.kind = 'image' and import_change.id = image.id))`;
export const IMPORT_RUNS = `select id, at, source, origin, added, changed, removed, entries, first_image as "firstImage",
  last_image as "lastImage", changes, state from import_run order by id desc`;
export const IMAGE_COUNTS = 'select id, size from shelf where kind =';

/** Rows that refer to something that does not exist. */
export const DANGLING = [
  ...['placement', 'image_shelves', 'perceptual_hash', 'edited'].map(
    (table) => `${table} where image not in (select number from image)`,
  ),
  `alias where shelf not in (select number from shelf where shelf.kind = alias.kind)`,
];

/** The kinds of shelves that belong to an entry, as SQL. */
export const ENTRY_KINDS = `('artist', 'category', 'character')`;

/** Numbers the artists, characters and categories within their kind: by name, then id, both by code point. */
export const NUMBER_ENTRIES = `
  update shelf set position = ordered.position
  from (select number, row_number() over (partition by kind order by name, id) - 1 as position from shelf
        where kind in ${ENTRY_KINDS}) as ordered
  where ordered.number = shelf.number and shelf.position <> ordered.position`;

export const FIXED_SHELVES = `select kind, id, number from shelf where kind in ('catalogue', 'rating', 'orientation')`;

/** From the rows of `FIXED_SHELVES`. */
export function readFixedShelves(rows: { kind: string; id: string; number: number }[]): FixedShelves {
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

/** Files of folders together with their images, for a `where` clause. Those whose image was removed are left out. */
export const KNOWN_FILES = `select folder, path, source_file.image as image, state, fingerprint, image.etag as "eTag"
  from source_file join image on image.id = source_file.image`;

/** Files of folders whose pictures an operator removed, for a `where` clause that goes on. */
export const REMOVED_SOURCES = `select path, state, fingerprint, hash, removed_file.image as image,
    removed_at as "removedAt", reason
  from source_file join removed_file on removed_file.image = source_file.image
  where not exists (select 1 from image where image.etag = removed_file.hash or image.id = removed_file.image)`;
