/**
 * The schemas of the embedded store. Never edit a released step; append a new one.
 *
 * `shelf` has one row for the whole catalogue and one for each rating, orientation, artist, category and character. The
 * last three kinds also have their public JSON and their position in the list of their kind. `category` is the folded
 * name of a category and null for other kinds: a partial index would do as well, but then SQLite prepares every statement
 * that binds `kind` again for each call (measured: 9.4 instead of 1.9 microseconds for a look-up by name).
 *
 * `perceptual_hash` is a table of its own because all hashes are read at once, without the documents.
 *
 * `document_change` numbers the changes to documents, so that a cache knows which of its documents are still current: the
 * latest change of each image that was changed or removed. Triggers add the rows, so no writer can forget one. Images that
 * are added need none; an import of new images is not slowed down.
 */
import { giveEveryImageAnArtist } from '../shared/unknown-artist-migration.ts';
import type { Schema } from './migrations.ts';

export const catalogueSchema: Schema = {
  // "zukn"
  application: 0x7a756b6e,
  steps: [
    `create table shelf (
     number integer primary key,
     kind text not null,
     id text not null,
     name text not null,
     category text unique,
     size integer not null default 0,
     position integer not null default 0,
     created_at text not null default '',
     document text not null default '',
     unique (kind, id)
   ) strict;
   create index shelf_position on shelf (kind, position);
   create index shelf_name on shelf (kind, name);

   create table image (
     number integer primary key autoincrement,
     id text not null unique,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null
   ) strict;
   create index image_etag on image (etag);

   create table placement (
     shelf integer not null,
     position integer not null,
     image integer not null,
     primary key (shelf, position)
   ) strict, without rowid;
   create unique index placement_image on placement (image, shelf);

   insert into shelf (kind, id, name) values
     ('catalogue', 'all', 'all'),
     ('rating', 'sfw', 'sfw'),
     ('rating', 'questionable', 'questionable'),
     ('rating', 'nsfw', 'nsfw'),
     ('orientation', 'landscape', 'landscape'),
     ('orientation', 'portrait', 'portrait'),
     ('orientation', 'square', 'square');`,
    // Adds the storage key next to the file name in every document (see catalogue/document.ts).
    `update image set document = replace(document, char(10) || '","artist"', char(10) || key || char(10) || '","artist"')`,
    giveEveryImageAnArtist({
      lineFeed: 'char(10)',
      find: (part, text) => `instr(${text}, ${part})`,
      now: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
    }),
    'create table perceptual_hash (image integer primary key, hash text not null) strict',
    `create table document_change (
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
     end;`,
  ],
};

/** Tokens have their own file: an import locks the catalogue while it runs, and revoking a token cannot wait. */
export const tokenSchema: Schema = {
  // "zukt"
  application: 0x7a756b74,
  steps: [
    `create table token (
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
  ],
};
