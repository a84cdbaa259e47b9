/**
 * The schemas of the embedded store, as version 1.0.0 made them. Never edit them; append a step to store/migrations/migrations.ts.
 *
 * `document_change` numbers the changes to documents, so that a cache knows which of its documents are still current: the
 * latest change of each image that was changed or removed. Triggers add the rows, so no writer can forget one. Images that
 * are added need none; an import of new images is not slowed down.
 */
import { sharedMigrations } from '../../migrations/migrations.ts';
import { createTables } from '../../migrations/tables.ts';
import type { Dialect } from '../../session.ts';
import type { FileSchema } from './database.ts';

const syntax = {
  ...{ int: 'integer', key: 'text', shelves: 'text' },
  ...{ shelfNumber: 'integer primary key', imageNumber: 'integer primary key autoincrement' },
  ...{ end: ' strict', endOfIndex: ' strict, without rowid', included: '' },
};

export const catalogueSchema: FileSchema = {
  // "zukn"
  application: 0x7a756b6e,
  base: 19,
  creation: `${createTables(syntax)}
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
   end;`,
  steps: sharedMigrations({
    addShelf: (shelf) => `shelves || ${shelf} || ','`,
    parseShelves: (stored) => dialect.parseShelves(stored as string),
    syntax,
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

// The SQL of SQLite. The shelves of an image are stored as text: `,1,2,6,`. So a shelf is found without parsing, and one row
// for each image takes a fraction of the time and space of an index of placements by image.

export const dialect: Dialect = {
  jsonArray: (column, order = column) => `json_group_array(${column} order by ${order})`,
  // Node binds numbers as reals.
  hasShelf: (shelf) => `instr(shelves, ',' || cast(${shelf} as integer) || ',') > 0`,
  belongs: `(select image, cast(value as integer) as shelf from image_shelves,
    json_each('[' || trim(shelves, ',') || ']')) as belongs`,
  formatShelves: (shelves) => `,${shelves.join()},`,
  parseShelves: (stored) => String(stored).split(',').filter(Boolean).map(Number),
};
