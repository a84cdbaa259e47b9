CREATE SCHEMA zukan;
CREATE FUNCTION zukan.record_changed_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   begin
     insert into zukan.document_change (image, number)
       select former.number, revision.number + 1 from zukan.revision, former
       join changed on changed.number = former.number where changed.document <> former.document
       on conflict (image) do update set number = excluded.number;
     return null;
   end $$;
CREATE FUNCTION zukan.record_removed_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   begin
     insert into zukan.document_change (image, number)
       select former.number, revision.number + 1 from zukan.revision, former
       on conflict (image) do update set number = excluded.number;
     return null;
   end $$;
CREATE FUNCTION zukan.record_revision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   begin
     insert into zukan.past_revision values (new.number) on conflict do nothing;
     delete from zukan.past_revision where number <=
       (select number from zukan.past_revision order by number desc offset 1000 limit 1);
     return null;
   end $$;
CREATE TABLE zukan.alias (
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    shelf integer NOT NULL
);
CREATE TABLE zukan.blocked_name (
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    blocked_at text NOT NULL
);
CREATE TABLE zukan.document_change (
    image integer NOT NULL,
    number double precision NOT NULL
);
CREATE TABLE zukan.edited (
    image integer NOT NULL,
    fields text NOT NULL
);
CREATE TABLE zukan.image (
    number integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    etag text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    mimetype text NOT NULL,
    document text NOT NULL
);
CREATE TABLE zukan.image_shelves (
    image integer NOT NULL,
    shelves integer[] NOT NULL
);
CREATE TABLE zukan.import_change (
    run integer NOT NULL,
    kind text NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    before text,
    after text NOT NULL
);
CREATE TABLE zukan.import_run (
    id integer NOT NULL,
    at text NOT NULL,
    source text NOT NULL,
    origin text NOT NULL,
    added integer NOT NULL,
    changed integer NOT NULL,
    removed integer NOT NULL,
    entries integer NOT NULL,
    first_image integer NOT NULL,
    last_image integer NOT NULL,
    changes integer NOT NULL,
    state text NOT NULL
);
CREATE TABLE zukan.migration (
    step integer NOT NULL
);
CREATE TABLE zukan.past_revision (
    number double precision NOT NULL
);
CREATE TABLE zukan.perceptual_hash (
    image integer NOT NULL,
    hash text NOT NULL
);
CREATE TABLE zukan.placement (
    shelf integer NOT NULL,
    "position" integer NOT NULL,
    image integer NOT NULL
);
CREATE TABLE zukan.removed_file (
    hash text NOT NULL COLLATE pg_catalog."C",
    image text NOT NULL COLLATE pg_catalog."C",
    removed_at text NOT NULL,
    reason text NOT NULL
);
CREATE TABLE zukan.revision (
    number double precision NOT NULL
);
CREATE TABLE zukan.shelf (
    number integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    category text COLLATE pg_catalog."C",
    size integer DEFAULT 0 NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    created_at text DEFAULT ''::text NOT NULL,
    document text DEFAULT ''::text NOT NULL,
    cover integer
);
ALTER TABLE zukan.shelf ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME zukan.shelf_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE zukan.source_file (
    folder text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    image text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    fingerprint text NOT NULL
);
CREATE TABLE zukan.token (
    id text NOT NULL,
    hash text NOT NULL,
    owner text NOT NULL,
    purpose text NOT NULL,
    scopes text[] NOT NULL,
    issued_by text NOT NULL,
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires text NOT NULL,
    revoked_at text
);
INSERT INTO zukan.alias VALUES ('category', 'kimono', 'Kimono', 8);
INSERT INTO zukan.alias VALUES ('artist', 'Idle', 'Idle', 12);
INSERT INTO zukan.document_change VALUES (4, 1794959626672);
INSERT INTO zukan.document_change VALUES (2, 1794959633623);
INSERT INTO zukan.document_change VALUES (3, 1794959633623);
INSERT INTO zukan.document_change VALUES (1, 1794959640656);
INSERT INTO zukan.edited VALUES (1, 'artist categories characters rating source by-hand');
INSERT INTO zukan.edited VALUES (2, 'artist categories characters rating source');
INSERT INTO zukan.edited VALUES (3, 'artist categories characters rating source');
INSERT INTO zukan.image VALUES (2, '40000000-0000-4000-8000-000000000002', '29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a', '29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000002","url":"
40000000-0000-4000-8000-000000000002.png
29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI 0');
INSERT INTO zukan.image VALUES (3, '40000000-0000-4000-8000-000000000003', 'a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9', 'a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000003","url":"
40000000-0000-4000-8000-000000000003.png
a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
 0vcFPxQletVwiHiHiHiId4iI942I+ogI 0');
INSERT INTO zukan.image VALUES (1, '40000000-0000-4000-8000-000000000001', '1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf', '1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000001","url":"
40000000-0000-4000-8000-000000000001.png
1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png
","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"Mine","url":"https://example.org/1"},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}
 zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI 0');
INSERT INTO zukan.image_shelves VALUES (1, '{1,3,7,12,8,9,13}');
INSERT INTO zukan.image_shelves VALUES (2, '{1,3,7,11,9}');
INSERT INTO zukan.image_shelves VALUES (3, '{1,4,7,11}');
INSERT INTO zukan.import_change VALUES (1, 'category', '10000000-0000-4000-8000-000000000002', NULL, 'W0uCG-6K10FYYZ2o');
INSERT INTO zukan.import_change VALUES (1, 'category', '10000000-0000-4000-8000-000000000001', NULL, 'FhF2pSS8IDTxZ_A_');
INSERT INTO zukan.import_change VALUES (1, 'artist', '20000000-0000-4000-8000-000000000002', NULL, 'ayAppa9DY6La4J-7');
INSERT INTO zukan.import_change VALUES (1, 'artist', 'b5657ad2-a33e-52b7-ae74-d238673dfd08', NULL, 'A_efFmtaZEnk3SVl');
INSERT INTO zukan.import_change VALUES (1, 'artist', '20000000-0000-4000-8000-000000000001', NULL, 'blLX3YVFn-WWYX0c');
INSERT INTO zukan.import_change VALUES (1, 'character', '30000000-0000-4000-8000-000000000001', NULL, '9n0AVqqic9fzDJza');
INSERT INTO zukan.import_run VALUES (1, '2026-11-17T23:53:43.486Z', '/home/me/export.ndjson', 'command', 3, 0, 0, 6, 1, 3, 6, 'revertible');
INSERT INTO zukan.import_run VALUES (2, '2026-11-17T23:53:45.928Z', '/home/me/pictures', 'command', 1, 0, 0, 0, 4, 3, 0, 'revertible');
INSERT INTO zukan.migration VALUES (0);
INSERT INTO zukan.migration VALUES (1);
INSERT INTO zukan.migration VALUES (2);
INSERT INTO zukan.migration VALUES (3);
INSERT INTO zukan.migration VALUES (4);
INSERT INTO zukan.migration VALUES (5);
INSERT INTO zukan.migration VALUES (6);
INSERT INTO zukan.migration VALUES (7);
INSERT INTO zukan.migration VALUES (8);
INSERT INTO zukan.past_revision VALUES (1);
INSERT INTO zukan.past_revision VALUES (1794959624144);
INSERT INTO zukan.past_revision VALUES (1794959626671);
INSERT INTO zukan.past_revision VALUES (1794959633622);
INSERT INTO zukan.past_revision VALUES (1794959635079);
INSERT INTO zukan.past_revision VALUES (1794959636431);
INSERT INTO zukan.past_revision VALUES (1794959638710);
INSERT INTO zukan.past_revision VALUES (1794959640655);
INSERT INTO zukan.past_revision VALUES (1794959642994);
INSERT INTO zukan.placement VALUES (1, 0, 1);
INSERT INTO zukan.placement VALUES (1, 1, 2);
INSERT INTO zukan.placement VALUES (1, 2, 3);
INSERT INTO zukan.placement VALUES (4, 0, 3);
INSERT INTO zukan.placement VALUES (7, 0, 1);
INSERT INTO zukan.placement VALUES (7, 1, 2);
INSERT INTO zukan.placement VALUES (7, 2, 3);
INSERT INTO zukan.placement VALUES (8, 0, 1);
INSERT INTO zukan.placement VALUES (9, 0, 1);
INSERT INTO zukan.placement VALUES (9, 1, 2);
INSERT INTO zukan.placement VALUES (11, 0, 2);
INSERT INTO zukan.placement VALUES (11, 1, 3);
INSERT INTO zukan.placement VALUES (12, 0, 1);
INSERT INTO zukan.placement VALUES (13, 0, 1);
INSERT INTO zukan.placement VALUES (3, 0, 1);
INSERT INTO zukan.placement VALUES (3, 1, 2);
INSERT INTO zukan.removed_file VALUES ('0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad', '01a1ebee-4fe7-7c5f-9d1a-51b2b99a2c77', '2026-11-17T23:53:53.057Z', '');
INSERT INTO zukan.revision VALUES (1794959642994);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (5, 'orientation', 'landscape', 'landscape', NULL, 0, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (6, 'orientation', 'portrait', 'portrait', NULL, 0, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (11, 'artist', 'b5657ad2-a33e-52b7-ae74-d238673dfd08', 'Unknown', NULL, 2, 0, '2026-11-16T13:53:56.777Z', '{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (2, 'rating', 'sfw', 'sfw', NULL, 0, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (3, 'rating', 'questionable', 'questionable', NULL, 2, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (13, 'character', '30000000-0000-4000-8000-000000000001', 'かえで 😀', NULL, 1, 0, '2025-03-03T10:00:00.000Z', '{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (1, 'catalogue', 'all', 'all', NULL, 3, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (8, 'category', '10000000-0000-4000-8000-000000000002', 'Yukata', 'yukata', 1, 0, '2025-03-02T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (4, 'rating', 'nsfw', 'nsfw', NULL, 1, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (7, 'orientation', 'square', 'square', NULL, 3, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (12, 'artist', '20000000-0000-4000-8000-000000000001', 'Zoë O''Hara', NULL, 1, 1, '2025-03-01T10:00:00.000Z', '{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (9, 'category', '10000000-0000-4000-8000-000000000001', 'catgirl', 'catgirl', 2, 1, '2025-03-01T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}', NULL);
INSERT INTO zukan.source_file VALUES ('/home/me/pictures', 'gone.png', '01a1ebee-4fe7-7c5f-9d1a-51b2b99a2c77', 'first', '5c4ab765c8ddad10feeff2ce5b1faa5c20cd84a9ebdf0f64813336a7777a46d8');
INSERT INTO zukan.token VALUES ('7282a6f7-b886-45c6-ad25-705ea89685c1', 'aa587456582c82fc2b9d3a4d593beb6d7642f11df507635b3d2bae90c0549d71', 'a bot', 'tests', '{image:list}', 'zukan', '2026-11-17T23:54:04.030Z', '2122-09-15T23:54:04.030Z', NULL);
INSERT INTO zukan.token VALUES ('40f4222d-eed0-48b1-b517-f921bd2ed2af', 'c44d54ce6a70916fa1e40153bd683c09b29ff2d788f23510d91027ae0ca8d368', 'x', 'revoked', '{}', 'zukan', '2026-11-17T23:54:05.099Z', '2027-11-17T23:54:05.099Z', '2026-11-17T23:54:07.893Z');
SELECT pg_catalog.setval('zukan.shelf_number_seq', 13, true);
ALTER TABLE ONLY zukan.alias
    ADD CONSTRAINT alias_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.blocked_name
    ADD CONSTRAINT blocked_name_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.document_change
    ADD CONSTRAINT document_change_pkey PRIMARY KEY (image);
ALTER TABLE ONLY zukan.edited
    ADD CONSTRAINT edited_pkey PRIMARY KEY (image);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_id_key UNIQUE (id);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.image_shelves
    ADD CONSTRAINT image_shelves_pkey PRIMARY KEY (image);
ALTER TABLE ONLY zukan.import_change
    ADD CONSTRAINT import_change_pkey PRIMARY KEY (run, kind, id);
ALTER TABLE ONLY zukan.import_run
    ADD CONSTRAINT import_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY zukan.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (step);
ALTER TABLE ONLY zukan.past_revision
    ADD CONSTRAINT past_revision_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.perceptual_hash
    ADD CONSTRAINT perceptual_hash_pkey PRIMARY KEY (image);
ALTER TABLE ONLY zukan.placement
    ADD CONSTRAINT placement_pkey PRIMARY KEY (shelf, "position") INCLUDE (image);
ALTER TABLE ONLY zukan.removed_file
    ADD CONSTRAINT removed_file_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_category_key UNIQUE (category);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_kind_id_key UNIQUE (kind, id);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.source_file
    ADD CONSTRAINT source_file_pkey PRIMARY KEY (folder, path, image);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_hash_key UNIQUE (hash);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);
CREATE INDEX alias_shelf ON zukan.alias USING btree (shelf);
CREATE INDEX document_change_number ON zukan.document_change USING btree (number, image);
CREATE INDEX image_etag ON zukan.image USING btree (etag);
CREATE INDEX removed_file_image ON zukan.removed_file USING btree (image);
CREATE INDEX shelf_name ON zukan.shelf USING btree (kind, name);
CREATE INDEX shelf_position ON zukan.shelf USING btree (kind, "position");
CREATE INDEX source_file_image ON zukan.source_file USING btree (image);
CREATE TRIGGER document_changed AFTER UPDATE ON zukan.image REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION zukan.record_changed_documents();
CREATE TRIGGER document_removed AFTER DELETE ON zukan.image REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION zukan.record_removed_documents();
CREATE TRIGGER revision_changed AFTER UPDATE ON zukan.revision FOR EACH ROW EXECUTE FUNCTION zukan.record_revision();
