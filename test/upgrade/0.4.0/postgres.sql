CREATE SCHEMA zukan;
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
CREATE TABLE zukan.migration (
    step integer NOT NULL
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
INSERT INTO zukan.edited VALUES (1, 'artist categories characters rating source');
INSERT INTO zukan.edited VALUES (3, 'artist categories characters rating source');
INSERT INTO zukan.edited VALUES (2, 'artist categories characters rating source');
INSERT INTO zukan.image VALUES (3, '40000000-0000-4000-8000-000000000003', 'a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9', 'a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000003","url":"
40000000-0000-4000-8000-000000000003.png
a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
 0vcFPxQletVwiHiHiHiId4iI942I+ogI 0');
INSERT INTO zukan.image VALUES (2, '40000000-0000-4000-8000-000000000002', '29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a', '29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000002","url":"
40000000-0000-4000-8000-000000000002.png
29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI 0');
INSERT INTO zukan.image VALUES (1, '40000000-0000-4000-8000-000000000001', '1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf', '1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000001","url":"
40000000-0000-4000-8000-000000000001.png
1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png
","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"Mine","url":"https://example.org/1"},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}
 zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI 0');
INSERT INTO zukan.migration VALUES (0);
INSERT INTO zukan.migration VALUES (1);
INSERT INTO zukan.migration VALUES (2);
INSERT INTO zukan.migration VALUES (3);
INSERT INTO zukan.migration VALUES (4);
INSERT INTO zukan.migration VALUES (5);
INSERT INTO zukan.placement VALUES (3, 0, 1);
INSERT INTO zukan.placement VALUES (3, 1, 2);
INSERT INTO zukan.placement VALUES (12, 0, 1);
INSERT INTO zukan.placement VALUES (8, 0, 1);
INSERT INTO zukan.placement VALUES (9, 0, 1);
INSERT INTO zukan.placement VALUES (13, 0, 1);
INSERT INTO zukan.placement VALUES (9, 1, 2);
INSERT INTO zukan.placement VALUES (4, 0, 3);
INSERT INTO zukan.placement VALUES (1, 0, 1);
INSERT INTO zukan.placement VALUES (1, 1, 2);
INSERT INTO zukan.placement VALUES (1, 2, 3);
INSERT INTO zukan.placement VALUES (7, 0, 1);
INSERT INTO zukan.placement VALUES (7, 1, 2);
INSERT INTO zukan.placement VALUES (7, 2, 3);
INSERT INTO zukan.placement VALUES (11, 0, 2);
INSERT INTO zukan.placement VALUES (11, 1, 3);
INSERT INTO zukan.removed_file VALUES ('0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad', '01a1ebed-0116-7fdb-866e-1aaab432d07b', '2026-11-17T23:52:33.501Z', '');
INSERT INTO zukan.revision VALUES (1794959569169);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (5, 'orientation', 'landscape', 'landscape', NULL, 0, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (6, 'orientation', 'portrait', 'portrait', NULL, 0, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (11, 'artist', 'b5657ad2-a33e-52b7-ae74-d238673dfd08', 'Unknown', NULL, 2, 0, '2026-11-16T13:53:56.777Z', '{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (8, 'category', '10000000-0000-4000-8000-000000000002', 'Yukata', 'yukata', 1, 0, '2025-03-02T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (12, 'artist', '20000000-0000-4000-8000-000000000001', 'Zoë O''Hara', NULL, 1, 1, '2025-03-01T10:00:00.000Z', '{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (1, 'catalogue', 'all', 'all', NULL, 3, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (3, 'rating', 'questionable', 'questionable', NULL, 2, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (7, 'orientation', 'square', 'square', NULL, 3, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (13, 'character', '30000000-0000-4000-8000-000000000001', 'かえで 😀', NULL, 1, 0, '2025-03-03T10:00:00.000Z', '{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (4, 'rating', 'nsfw', 'nsfw', NULL, 1, 0, '', '', NULL);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (2, 'rating', 'sfw', 'sfw', NULL, 0, 0, '', '', 4);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (9, 'category', '10000000-0000-4000-8000-000000000001', 'catgirl', 'catgirl', 2, 1, '2025-03-01T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}', NULL);
INSERT INTO zukan.source_file VALUES ('/home/me/pictures', 'gone.png', '01a1ebed-0116-7fdb-866e-1aaab432d07b', 'first', '5c4ab765c8ddad10feeff2ce5b1faa5c20cd84a9ebdf0f64813336a7777a46d8');
INSERT INTO zukan.token VALUES ('7fe539f8-31d2-4ec7-92ee-a6a0dedc2947', '1660b111bac12f599392d34b81b756ad57b1d8e5777e615b6b6091fe4a69c7bf', 'a bot', 'tests', '{image:list}', 'zukan', '2026-11-17T23:52:50.078Z', '2122-09-15T23:52:50.078Z', NULL);
INSERT INTO zukan.token VALUES ('f368a5e7-703b-4ae0-91ab-5c2adbb98180', '5d3f7e6333b743ae2a6b161e1f57a4106f02463a1e85f02ed0e9633ce87857fc', 'x', 'revoked', '{}', 'zukan', '2026-11-17T23:52:51.827Z', '2027-11-17T23:52:51.827Z', '2026-11-17T23:52:54.803Z');
SELECT pg_catalog.setval('zukan.shelf_number_seq', 13, true);
ALTER TABLE ONLY zukan.alias
    ADD CONSTRAINT alias_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.blocked_name
    ADD CONSTRAINT blocked_name_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.edited
    ADD CONSTRAINT edited_pkey PRIMARY KEY (image);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_id_key UNIQUE (id);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (step);
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
CREATE INDEX image_etag ON zukan.image USING btree (etag);
CREATE UNIQUE INDEX placement_image ON zukan.placement USING btree (image, shelf);
CREATE INDEX removed_file_image ON zukan.removed_file USING btree (image);
CREATE INDEX shelf_name ON zukan.shelf USING btree (kind, name);
CREATE INDEX shelf_position ON zukan.shelf USING btree (kind, "position");
CREATE INDEX source_file_image ON zukan.source_file USING btree (image);
