CREATE SCHEMA zukan;
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
CREATE TABLE zukan.placement (
    shelf integer NOT NULL,
    "position" integer NOT NULL,
    image integer NOT NULL
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
    document text DEFAULT ''::text NOT NULL
);
ALTER TABLE zukan.shelf ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME zukan.shelf_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
INSERT INTO zukan.image VALUES (1, '40000000-0000-4000-8000-000000000001', '1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf', '1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000001","url":"
40000000-0000-4000-8000-000000000001.png
1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png
","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"a \"source\":null","url":"https://example.org/1"},"nsfw":"sfw","categories":[{"id":"10000000-0000-4000-8000-000000000002","name":"Kimono","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Quiet.\nLikes \"snow\".","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}');
INSERT INTO zukan.image VALUES (2, '40000000-0000-4000-8000-000000000002', '29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a', '29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000002","url":"
40000000-0000-4000-8000-000000000002.png
29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png
","artist":null,"source":null,"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}');
INSERT INTO zukan.image VALUES (3, '40000000-0000-4000-8000-000000000003', 'a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9', 'a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000003","url":"
40000000-0000-4000-8000-000000000003.png
a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png
","artist":null,"source":null,"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}');
INSERT INTO zukan.migration VALUES (0);
INSERT INTO zukan.placement VALUES (2, 0, 1);
INSERT INTO zukan.placement VALUES (9, 0, 1);
INSERT INTO zukan.placement VALUES (8, 0, 1);
INSERT INTO zukan.placement VALUES (12, 0, 1);
INSERT INTO zukan.placement VALUES (3, 0, 2);
INSERT INTO zukan.placement VALUES (8, 1, 2);
INSERT INTO zukan.placement VALUES (1, 0, 1);
INSERT INTO zukan.placement VALUES (1, 1, 2);
INSERT INTO zukan.placement VALUES (1, 2, 3);
INSERT INTO zukan.placement VALUES (4, 0, 3);
INSERT INTO zukan.placement VALUES (7, 0, 1);
INSERT INTO zukan.placement VALUES (7, 1, 2);
INSERT INTO zukan.placement VALUES (7, 2, 3);
INSERT INTO zukan.placement VALUES (10, 0, 1);
INSERT INTO zukan.revision VALUES (1794837213656);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (5, 'orientation', 'landscape', 'landscape', NULL, 0, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (6, 'orientation', 'portrait', 'portrait', NULL, 0, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (1, 'catalogue', 'all', 'all', NULL, 3, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (4, 'rating', 'nsfw', 'nsfw', NULL, 1, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (11, 'artist', '20000000-0000-4000-8000-000000000002', 'Idle', NULL, 0, 0, '2025-03-01T10:00:00.000Z', '{"id":"20000000-0000-4000-8000-000000000002","name":"Idle","url":""}');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (2, 'rating', 'sfw', 'sfw', NULL, 1, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (3, 'rating', 'questionable', 'questionable', NULL, 1, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (7, 'orientation', 'square', 'square', NULL, 3, 0, '', '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (9, 'category', '10000000-0000-4000-8000-000000000002', 'Kimono', 'kimono', 1, 0, '2025-03-02T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000002","name":"Kimono","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (10, 'artist', '20000000-0000-4000-8000-000000000001', 'Zoë O''Hara', NULL, 1, 1, '2025-03-01T10:00:00.000Z', '{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (12, 'character', '30000000-0000-4000-8000-000000000001', 'かえで 😀', NULL, 1, 0, '2025-03-03T10:00:00.000Z', '{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Quiet.\nLikes \"snow\".","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (8, 'category', '10000000-0000-4000-8000-000000000001', 'catgirl', 'catgirl', 2, 1, '2025-03-01T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}');
INSERT INTO zukan.token VALUES ('e70832bd-aa2c-4fb2-99c0-6ffc927f2fea', 'eb3336cdc04c013c0015f4a1cceb2e73d808736ff5bf902b3d9b4d1bc3d192af', 'a bot', 'tests', '{image:list}', 'zukan', '2026-11-16T13:53:34.370Z', '2122-09-14T13:53:34.370Z', NULL);
INSERT INTO zukan.token VALUES ('f117d526-46b5-4f11-8938-78fbe8ee9f83', 'd8a781cf072321c23b6aa02c2def39db552aa3aa028ea9be46f92516607d6041', 'x', 'revoked', '{}', 'zukan', '2026-11-16T13:53:35.002Z', '2027-11-16T13:53:35.002Z', '2026-11-16T13:53:36.604Z');
SELECT pg_catalog.setval('zukan.shelf_number_seq', 12, true);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_id_key UNIQUE (id);
ALTER TABLE ONLY zukan.image
    ADD CONSTRAINT image_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (step);
ALTER TABLE ONLY zukan.placement
    ADD CONSTRAINT placement_pkey PRIMARY KEY (shelf, "position") INCLUDE (image);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_category_key UNIQUE (category);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_kind_id_key UNIQUE (kind, id);
ALTER TABLE ONLY zukan.shelf
    ADD CONSTRAINT shelf_pkey PRIMARY KEY (number);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_hash_key UNIQUE (hash);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);
CREATE INDEX image_etag ON zukan.image USING btree (etag);
CREATE UNIQUE INDEX placement_image ON zukan.placement USING btree (image, shelf);
CREATE INDEX shelf_name ON zukan.shelf USING btree (kind, name);
CREATE INDEX shelf_position ON zukan.shelf USING btree (kind, "position");
