/**
 * The PostgreSQL schema: the same tables as in SQLite, and the tokens. It is separate from `public`, so other programs
 * can share the database. Never edit a released migration: append a new one.
 *
 * `revision` has one row, whose number every commit sets to the time in milliseconds since 1970. No number is used
 * twice, even after a backup was restored. Every query returns it from its own snapshot, which tells whether cached data
 * is still valid and whether a replica is up to date. It is a float8 because pg returns that as a number, exact for
 * integers of this size.
 *
 * The primary key of `placement` includes the image, so reading the images at given positions is an index-only scan.
 */
import { FIND_FIRST_COVERS } from '../shared/cover-migration.ts';
import { giveEveryImageAnArtist } from '../shared/unknown-artist-migration.ts';

export const SCHEMA = 'zukan';

/** Makes instances skip a replica that has not caught up with the migration. */
const NEXT_REVISION = `
   update revision set number = greatest(number + 1, floor(extract(epoch from clock_timestamp()) * 1000))
   where exists (select from image);`;

export const migrations = [
  `create table revision (number float8 not null);
   insert into revision values (1);

   create table shelf (
     number int generated always as identity primary key,
     kind text collate "C" not null,
     id text collate "C" not null,
     name text collate "C" not null,
     category text collate "C" unique,
     size int not null default 0,
     position int not null default 0,
     created_at text not null default '',
     document text not null default '',
     unique (kind, id)
   );
   create index shelf_position on shelf (kind, position);
   create index shelf_name on shelf (kind, name);

   create table image (
     number int primary key,
     id text collate "C" not null unique,
     etag text collate "C" not null,
     key text collate "C" not null,
     mimetype text not null,
     document text not null
   );
   create index image_etag on image (etag);

   create table placement (
     shelf int not null,
     position int not null,
     image int not null,
     primary key (shelf, position) include (image)
   );
   create unique index placement_image on placement (image, shelf);

   create table token (
     id text primary key,
     hash text not null unique,
     owner text not null,
     purpose text not null,
     scopes text[] not null,
     issued_by text not null,
     created_at text collate "C" not null,
     expires text not null,
     revoked_at text
   );

   insert into shelf (kind, id, name) values
     ('catalogue', 'all', 'all'),
     ('rating', 'sfw', 'sfw'),
     ('rating', 'questionable', 'questionable'),
     ('rating', 'nsfw', 'nsfw'),
     ('orientation', 'landscape', 'landscape'),
     ('orientation', 'portrait', 'portrait'),
     ('orientation', 'square', 'square');`,
  `${giveEveryImageAnArtist({
    lineFeed: 'chr(10)',
    find: (part, text) => `strpos(${text}, ${part})`,
    now: `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  })}${NEXT_REVISION}`,
  'create table perceptual_hash (image int primary key, hash text not null)',
  `create table edited (image int primary key, fields text not null);
   create table alias (
     kind text collate "C" not null,
     key text collate "C" not null,
     name text collate "C" not null,
     shelf int not null,
     primary key (kind, key)
   );
   create index alias_shelf on alias (shelf);
   create table blocked_name (
     kind text collate "C" not null,
     key text collate "C" not null,
     name text not null,
     blocked_at text not null,
     primary key (kind, key)
   );
   create table removed_file (
     hash text collate "C" primary key,
     image text collate "C" not null,
     removed_at text not null,
     reason text not null
   );
   create index removed_file_image on removed_file (image);`,
  `create table source_file (
     folder text collate "C" not null,
     path text collate "C" not null,
     image text collate "C" not null,
     state text not null,
     fingerprint text not null,
     primary key (folder, path, image)
   );
   create index source_file_image on source_file (image);`,
  `alter table shelf add column cover int; ${FIND_FIRST_COVERS};${NEXT_REVISION}`,
  `create table image_shelves (image int primary key, shelves int[] not null);
   insert into image_shelves select image, array_agg(shelf) from placement group by image;
   drop index placement_image;${NEXT_REVISION}`,
];
