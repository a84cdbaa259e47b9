/**
 * The schema in PostgreSQL: the tables of schema.ts, with tokens among them, in a schema of their own so that other
 * programs may use the same database. A step that was released is never edited: a change is a new step at the end.
 *
 * `revision` is one row whose number grows with every change: the moment of the change in milliseconds since 1970, so that
 * even after a backup was restored no number comes twice. Each answer carries it, from the same snapshot as the rest: so a
 * process knows whether what it keeps in memory is still true, and which replica is up to date. (It is a float8 because
 * that arrives as a number; whole numbers of this size are exact.) The index of positions includes the image, so that
 * finding the images at positions never touches the table itself.
 */
export const SCHEMA = 'zukan';

export const steps = [
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
];
