/**
 * The PostgreSQL schema as version 1.0.0 made it: the same tables as in SQLite, and the tokens. It is separate from `public`, so
 * other programs can share the database. Never edit it; append a step to store/migrations/migrations.ts.
 *
 * `revision` has one row, whose number every commit sets with `next_revision`: to the time in seconds and 21 random
 * bits, or to more if that is not greater than before. So numbers grow, and a commit that replaces one that a failover or a
 * restored backup lost gets another number, even if the clock was wrong. Every query returns it from its own snapshot, which
 * tells whether cached data is valid and a replica up to date. It is a float8: pg returns that as a number, exact until 2106.
 * `document_change` has the images whose document was changed, or that were removed, so that a cache knows
 * which of its documents are still current. Its number is greater than the revision before the change, and not greater than the one after
 * it. Triggers write it, so no writer can forget one. Images that are added need none. `past_revision` has the latest revisions
 * of this catalogue: another one was restored from a backup, or lost by a failover, and what was cached from it is not used.
 */
import { type Schema, sharedMigrations } from '../../migrations/migrations.ts';

export const SCHEMA = 'zukan';

/** The number of values that the random part of a revision has. */
const RANDOM_VALUES = 2 ** 21;

export const schema: Schema = {
  base: 20,
  creation: `
   create table revision (number float8 not null);
   insert into revision values (1);
   create table past_revision (number float8 primary key);
   insert into past_revision select number from revision;
   create function ${SCHEMA}.record_revision() returns trigger language plpgsql as $$
   begin
     insert into ${SCHEMA}.past_revision values (new.number) on conflict do nothing;
     delete from ${SCHEMA}.past_revision where number <=
       (select number from ${SCHEMA}.past_revision order by number desc offset 1000 limit 1);
     return null;
   end $$;
   create trigger revision_changed after update on revision
     for each row execute function ${SCHEMA}.record_revision();
   create function ${SCHEMA}.next_revision(former float8) returns float8 language sql as $$
     select greatest(former, floor(extract(epoch from clock_timestamp())::float8) * ${RANDOM_VALUES})
       + 1 + floor(random() * ${RANDOM_VALUES})
   $$;

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
     cover int,
     sort_key text collate "C" not null default '',
     unique (kind, id)
   );
   create index shelf_position on shelf (kind, position);
   create index shelf_name on shelf (kind, name);
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
     skips int not null default 0,
     primary key (kind, key)
   );

   create table image (
     number int primary key,
     id text collate "C" not null unique,
     etag text collate "C" not null,
     key text collate "C" not null,
     mimetype text not null,
     document text not null
   );
   create index image_etag on image (etag);
   create table perceptual_hash (image int primary key, hash text not null);
   create table edited (image int primary key, fields text not null);
   create table title_word (word text collate "C" not null, image int not null, primary key (word, image));

   create table placement (
     shelf int not null,
     position int not null,
     image int not null,
     primary key (shelf, position) include (image)
   );
   create table image_shelves (
     image int primary key,
     shelves int[] not null,
     width int not null default 0,
     height int not null default 0
   );
   create table album_image (
     album integer not null,
     position integer not null,
     image text collate "C" not null,
     primary key (album, position),
     unique (image, album)
   );

   create table document_change (image int primary key, number float8 not null);
   create index document_change_number on document_change (number, image);
   create function ${SCHEMA}.record_changed_documents() returns trigger language plpgsql as $$
   begin
     insert into ${SCHEMA}.document_change (image, number)
       select former.number, revision.number + 1 from ${SCHEMA}.revision, former
       join changed on changed.number = former.number where changed.document <> former.document
       on conflict (image) do update set number = excluded.number;
     return null;
   end $$;
   create trigger document_changed after update on image
     referencing old table as former new table as changed
     for each statement execute function ${SCHEMA}.record_changed_documents();
   create function ${SCHEMA}.record_removed_documents() returns trigger language plpgsql as $$
   begin
     insert into ${SCHEMA}.document_change (image, number)
       select former.number, revision.number + 1 from ${SCHEMA}.revision, former
       on conflict (image) do update set number = excluded.number;
     return null;
   end $$;
   create trigger document_removed after delete on image
     referencing old table as former
     for each statement execute function ${SCHEMA}.record_removed_documents();

   create table removed_file (
     hash text collate "C" primary key,
     image text collate "C" not null,
     removed_at text not null,
     reason text not null
   );
   create index removed_file_image on removed_file (image);
   create table source_file (
     folder text collate "C" not null, path text collate "C" not null, image text collate "C" not null,
     state text not null, fingerprint text not null,
     primary key (folder, path, image)
   );
   create index source_file_image on source_file (image);
   create table source_folder (folder text collate "C" primary key, choice text not null);

   create table change (
     number int primary key,
     at text collate "C" not null,
     origin text not null,
     user_name text not null,
     summary text not null,
     source text,
     added int not null,
     changed int not null,
     removed int not null,
     entries int not null,
     first_image int not null,
     last_image int not null,
     items int not null,
     undoes int,
     state text not null
   );
   create table change_item (
     change int not null,
     kind text collate "C" not null,
     id text collate "C" not null,
     before text,
     after text,
     undone_by int,
     primary key (change, kind, id)
   );
   create index change_item_id on change_item (id, kind, change);
   create table trash (
     change int not null,
     id text collate "C" not null, kind text not null, removed_at text collate "C" not null,
     number int not null, etag text not null, key text collate "C" not null, mimetype text not null,
     document text not null, perceptual_hash text, edited text not null,
     primary key (change, id)
   );
   create index trash_id on trash (id);

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
     ('orientation', 'square', 'square'),
     ('animation', 'animated', 'animated');`,
  steps: sharedMigrations({
    addShelf: (shelf) => `array_append(shelves, ${shelf})`,
    parseShelves: (stored) => stored as number[],
    createBlocks: `
      create table shelf_block (shelf int not null, block int not null, images text not null, primary key (shelf, block));
      create table size_block (block int primary key, sizes text not null);
      alter table size_block alter sizes set storage external;
      update revision set number = next_revision(number) where exists (select from image)`,
    createTexts: `create table text_block
      (term text collate "C" not null, block int not null, images text not null, primary key (term, block))`,
    createSite: 'create table site_text (field text primary key, value text not null)',
  }),
};
