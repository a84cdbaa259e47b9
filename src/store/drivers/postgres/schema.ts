/**
 * The PostgreSQL schema as version 1.0.0 made it: the tables that both databases have, revisions, and the tokens. It is separate
 * from `public`, so other programs can share the database. Never edit it; append a step to store/migrations/migrations.ts.
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
import { createTables } from '../../migrations/tables.ts';

export const SCHEMA = 'zukan';

/** The number of values that the random part of a revision has. */
const RANDOM_VALUES = 2 ** 21;

const syntax = {
  ...{ int: 'int', key: 'text collate "C"', shelves: 'int[]' },
  ...{ shelfNumber: 'int generated always as identity primary key', imageNumber: 'int primary key' },
  ...{ end: '', endOfIndex: '', included: ' include (image)' },
};

export const schema: Schema = {
  base: 20,
  creation: `${createTables(syntax)}
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
   );`,
  steps: sharedMigrations({
    addShelf: (shelf) => `array_append(shelves, ${shelf})`,
    parseShelves: (stored) => stored as number[],
    syntax,
    afterBlocks: [
      'alter table size_block alter sizes set storage external',
      'update revision set number = next_revision(number) where exists (select from image)',
    ],
  }),
};
