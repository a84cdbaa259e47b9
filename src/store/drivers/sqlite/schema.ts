/**
 * The schemas of the embedded store, as version 1.0.0 made them. Never edit them; append a step to store/migrations/migrations.ts.
 *
 * `shelf` has one row for the whole catalogue, one for animations, and one for each rating, orientation, file type, artist,
 * category and character. The last three kinds also have their public JSON, their position in the list of their kind, and the number of the image
 * that is their cover: the newest one rated sfw, or null. `sort_key` is the name without case. `category` is the folded
 * name of a category and null for other kinds: a partial index would do as well, but then SQLite prepares every statement
 * that binds `kind` again for each call (measured: 9.4 instead of 1.9 microseconds for a look-up by name).
 *
 * `image_shelves`, `perceptual_hash` and `edited` are tables of their own because they are read at once, without the documents. `edited`
 * has the fields of images that an operator decided. The `key` of an alias or blocked name is the name, folded for
 * categories.
 *
 * `title_word` has the folded words of the titles of images, by which they are found. It has no index by image: who removes a
 * title knows its words.
 *
 * `album_image` has the order of the images of albums, by shelf number and id. An image in the trash keeps its position.
 *
 * `document_change` numbers the changes to documents, so that a cache knows which of its documents are still current: the
 * latest change of each image that was changed or removed. Triggers add the rows, so no writer can forget one. Images that
 * are added need none; an import of new images is not slowed down.
 */
import { sharedMigrations } from '../../migrations/migrations.ts';
import type { Dialect } from '../../session.ts';
import type { FileSchema } from './database.ts';

export const catalogueSchema: FileSchema = {
  // "zukn"
  application: 0x7a756b6e,
  base: 19,
  creation: `
   create table shelf (
     number integer primary key,
     kind text not null,
     id text not null,
     name text not null,
     category text unique,
     size integer not null default 0,
     position integer not null default 0,
     created_at text not null default '',
     document text not null default '',
     cover integer,
     sort_key text not null default '',
     unique (kind, id)
   ) strict;
   create index shelf_position on shelf (kind, position);
   create index shelf_name on shelf (kind, name);
   create table alias (
     kind text not null,
     key text not null,
     name text not null,
     shelf integer not null,
     primary key (kind, key)
   ) strict, without rowid;
   create index alias_shelf on alias (shelf);
   create table blocked_name (
     kind text not null,
     key text not null,
     name text not null,
     blocked_at text not null,
     skips integer not null default 0,
     primary key (kind, key)
   ) strict, without rowid;

   create table image (
     number integer primary key autoincrement,
     id text not null unique,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null
   ) strict;
   create index image_etag on image (etag);
   create table perceptual_hash (image integer primary key, hash text not null) strict;
   create table edited (image integer primary key, fields text not null) strict;
   create table title_word (
     word text not null,
     image integer not null,
     primary key (word, image)
   ) strict, without rowid;

   create table placement (
     shelf integer not null,
     position integer not null,
     image integer not null,
     primary key (shelf, position)
   ) strict, without rowid;
   -- See store/session.ts.
   create table image_shelves (
     image integer primary key,
     shelves text not null,
     width int not null default 0,
     height int not null default 0
   ) strict;
   create table album_image (
     album integer not null,
     position integer not null,
     image text not null,
     primary key (album, position),
     unique (image, album)
   ) strict, without rowid;

   create table document_change (
     number integer primary key autoincrement,
     image integer not null unique
   ) strict;
   create trigger document_changed after update of document on image when new.document <> old.document
   begin
     delete from document_change where image = old.number;
     insert into document_change (image) values (old.number);
   end;
   create trigger document_removed after delete on image
   begin
     delete from document_change where image = old.number;
     insert into document_change (image) values (old.number);
   end;

   create table removed_file (
     hash text primary key,
     image text not null,
     removed_at text not null,
     reason text not null
   ) strict, without rowid;
   create index removed_file_image on removed_file (image);
   create table source_file (
     folder text not null,
     path text not null,
     image text not null,
     state text not null,
     fingerprint text not null,
     primary key (folder, path, image)
   ) strict, without rowid;
   create index source_file_image on source_file (image);
   create table source_folder (folder text primary key, choice text not null) strict, without rowid;

   create table change (
     number integer primary key,
     at text not null,
     origin text not null,
     user_name text not null,
     summary text not null,
     source text,
     added integer not null,
     changed integer not null,
     removed integer not null,
     entries integer not null,
     first_image integer not null,
     last_image integer not null,
     items integer not null,
     undoes integer,
     state text not null
   ) strict;
   create table change_item (
     change integer not null,
     kind text not null,
     id text not null,
     before text,
     after text,
     undone_by integer,
     primary key (change, kind, id)
   ) strict, without rowid;
   create index change_item_id on change_item (id, kind, change);
   create table trash (
     change integer not null,
     id text not null,
     kind text not null,
     removed_at text not null,
     number integer not null,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null,
     perceptual_hash text,
     edited text not null,
     primary key (change, id)
   ) strict, without rowid;
   create index trash_id on trash (id);

   insert into shelf (kind, id, name) values
     ('catalogue', 'all', 'all'),
     ('rating', 'sfw', 'sfw'),
     ('rating', 'questionable', 'questionable'),
     ('rating', 'nsfw', 'nsfw'),
     ('orientation', 'landscape', 'landscape'),
     ('orientation', 'portrait', 'portrait'),
     ('orientation', 'square', 'square'),
     ('animation', 'animated', 'animated');`,
  steps: sharedMigrations({
    addShelf: (shelf) => `shelves || ${shelf} || ','`,
    parseShelves: (stored) => dialect.parseShelves(stored as string),
    createBlocks: `
      create table shelf_block (shelf integer not null, block integer not null, images text not null, primary key (shelf, block)) strict;
      create table size_block (block integer primary key, sizes text not null) strict`,
    createTexts: `create table text_block
      (term text not null, block integer not null, images text not null, primary key (term, block))
      strict, without rowid`,
    createSite: 'create table site_text (field text primary key, value text not null) strict, without rowid',
  }),
};

/** Tokens have their own file: an import locks the catalogue while it runs, and revoking a token cannot wait. */
export const tokenSchema: FileSchema = {
  // "zukt"
  application: 0x7a756b74,
  base: 1,
  creation: `create table token (
     id text primary key,
     hash text not null unique,
     owner text not null,
     purpose text not null,
     scopes text not null,
     issued_by text not null,
     created_at text not null,
     expires text not null,
     revoked_at text
   ) strict, without rowid;`,
  steps: [
    // That of their catalogue.
    'create table identity (id text not null) strict',
  ],
};

// The SQL of SQLite. Lists are bound as JSON. The shelves of an image are stored as text: `,1,2,6,`. So a shelf is found
// without parsing, and one row for each image takes a fraction of the time and space of an index of placements by image.

export const dialect: Dialect = {
  isOneOf: (parameter) => `in (select value from json_each(${parameter}))`,
  jsonArray: (column, order = column) => `json_group_array(${column} order by ${order})`,
  // Node binds numbers as reals.
  hasShelf: (shelf) => `instr(shelves, ',' || cast(${shelf} as integer) || ',') > 0`,
  belongs: `(select image, cast(value as integer) as shelf from image_shelves,
    json_each('[' || trim(shelves, ',') || ']')) as belongs`,
  formatShelves: (shelves) => `,${shelves.join()},`,
  parseShelves: (stored) => String(stored).split(',').filter(Boolean).map(Number),
};
