CREATE SCHEMA zukan;
CREATE FUNCTION zukan.next_revision(former double precision) RETURNS double precision
    LANGUAGE sql
    AS $$
     select greatest(former, floor(extract(epoch from clock_timestamp())::float8) * 2097152)
       + 1 + floor(random() * 2097152)
   $$;
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
CREATE TABLE zukan.album_image (
    album integer NOT NULL,
    "position" integer NOT NULL,
    image text NOT NULL COLLATE pg_catalog."C"
);
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
    blocked_at text NOT NULL,
    skips integer DEFAULT 0 NOT NULL
);
CREATE TABLE zukan.change (
    number integer NOT NULL,
    at text NOT NULL COLLATE pg_catalog."C",
    origin text NOT NULL,
    user_name text NOT NULL,
    summary text NOT NULL,
    source text,
    added integer NOT NULL,
    changed integer NOT NULL,
    removed integer NOT NULL,
    entries integer NOT NULL,
    first_image integer NOT NULL,
    last_image integer NOT NULL,
    items integer NOT NULL,
    undoes integer,
    state text NOT NULL
);
CREATE TABLE zukan.change_item (
    change integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    before text,
    after text,
    undone_by integer
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
    shelves integer[] NOT NULL,
    width integer DEFAULT 0 NOT NULL,
    height integer DEFAULT 0 NOT NULL
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
    cover integer,
    sort_key text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE zukan.source_folder (
    folder text NOT NULL COLLATE pg_catalog."C",
    choice text NOT NULL
);
CREATE TABLE zukan.title_word (
    word text NOT NULL COLLATE pg_catalog."C",
    image integer NOT NULL
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
CREATE TABLE zukan.trash (
    change integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    removed_at text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    etag text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    mimetype text NOT NULL,
    document text NOT NULL,
    perceptual_hash text,
    edited text NOT NULL
);
INSERT INTO zukan.album_image VALUES (15, 0, '40000000-0000-4000-8000-000000000001');
INSERT INTO zukan.album_image VALUES (15, 1, '40000000-0000-4000-8000-000000000002');
INSERT INTO zukan.alias VALUES ('category', 'kimono', 'Kimono', 10);
INSERT INTO zukan.alias VALUES ('artist', '20000000-0000-4000-8000-000000000002', '20000000-0000-4000-8000-000000000002', 11);
INSERT INTO zukan.alias VALUES ('artist', 'Idle', 'Idle', 11);
INSERT INTO zukan.blocked_name VALUES ('category', 'spoiler', 'spoiler', '2026-11-19T01:29:25.052Z', 0);
INSERT INTO zukan.change VALUES (1, '2026-11-19T01:28:50.341Z', 'import', 'root', 'import: 3 images added, 6 entries changed', '/srv/pictures/catalogue.ndjson', 3, 0, 0, 6, 1, 3, 6, NULL, 'done');
INSERT INTO zukan.change VALUES (2, '2026-11-19T01:28:56.447Z', 'shell', 'root', 'rate questionable: 1 image', NULL, 0, 1, 0, 0, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (3, '2026-11-19T01:29:01.547Z', 'shell', 'root', 'title The title of a picture: 1 image', NULL, 0, 1, 0, 0, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (4, '2026-11-19T01:29:08.508Z', 'shell', 'root', 'add to Winter: 2 images', NULL, 0, 0, 0, 1, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (5, '2026-11-19T01:29:13.670Z', 'shell', 'root', 'album "Winter": description: (none) → Snow.', NULL, 0, 0, 0, 1, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (6, '2026-11-19T01:29:16.399Z', 'shell', 'root', 'category "Kimono": name: Kimono → Yukata; aliases: (none) → Kimono', NULL, 0, 0, 0, 1, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (8, '2026-11-19T01:29:22.149Z', 'shell', 'root', 'merged the artist "Idle" into "Zoë O''Hara" (0 images)', NULL, 0, 0, 0, 2, 4, 3, 2, NULL, 'done');
INSERT INTO zukan.change VALUES (9, '2026-11-19T01:29:25.146Z', 'shell', 'root', 'blocked the name "spoiler"', NULL, 0, 0, 0, 0, 4, 3, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (10, '2026-11-19T01:29:28.767Z', 'import', 'root', 'import: 2 images added, 1 entry changed', '/srv/pictures/lib', 2, 0, 0, 1, 4, 5, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (11, '2026-11-19T01:29:42.059Z', 'shell', 'root', 'take down 1 image', NULL, 0, 0, 1, 0, 6, 5, 1, NULL, 'final');
INSERT INTO zukan.change VALUES (12, '2026-11-19T01:29:46.880Z', 'import', 'root', 'import: 1 image removed', '/srv/pictures/lib', 0, 0, 1, 0, 6, 5, 1, NULL, 'done');
INSERT INTO zukan.change VALUES (7, '2026-11-19T01:29:19.399Z', 'shell', 'root', 'character "かえで 😀": description: (none) → Edited.', NULL, 0, 0, 0, 1, 4, 3, 1, NULL, 'undone');
INSERT INTO zukan.change VALUES (13, '2026-11-19T01:29:57.904Z', 'shell', 'root', 'undo 7: character "かえで 😀": description: (none) → Edited.', NULL, 0, 0, 0, 1, 6, 5, 1, 7, 'done');
INSERT INTO zukan.change_item VALUES (1, 'category', '10000000-0000-4000-8000-000000000001', NULL, '{"name":"catgirl","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000001\",\"name\":\"catgirl\",\"description\":\"With ears.\",\"nsfw\":false,\"createdAt\":\"2025-03-01T10:00:00.000Z\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (1, 'category', '10000000-0000-4000-8000-000000000002', NULL, '{"name":"Kimono","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Kimono\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (1, 'artist', '20000000-0000-4000-8000-000000000001', NULL, '{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (1, 'artist', '20000000-0000-4000-8000-000000000002', NULL, '{"name":"Idle","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000002\",\"name\":\"Idle\",\"url\":\"\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (1, 'character', '30000000-0000-4000-8000-000000000001', NULL, '{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (1, 'artist', 'b5657ad2-a33e-52b7-ae74-d238673dfd08', NULL, '{"name":"Unknown","createdAt":"2026-11-19T01:28:50.015Z","document":"{\"id\":\"b5657ad2-a33e-52b7-ae74-d238673dfd08\",\"name\":\"Unknown\",\"url\":\"\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (2, 'image', '40000000-0000-4000-8000-000000000001', '{"rating":"sfw","edited":"artist categories characters rating source title"}', '{"rating":"questionable","edited":"artist categories characters rating source title by-hand"}', NULL);
INSERT INTO zukan.change_item VALUES (3, 'image', '40000000-0000-4000-8000-000000000003', '{"title":"3","edited":"rating"}', '{"title":"The title of a picture","edited":"rating title by-hand"}', NULL);
INSERT INTO zukan.change_item VALUES (4, 'album', '01a1f16b-fdc6-7123-a0f4-e4966139e988', NULL, '{"name":"Winter","createdAt":"2026-11-19T01:29:08.056Z","document":"{\"id\":\"01a1f16b-fdc6-7123-a0f4-e4966139e988\",\"name\":\"Winter\",\"description\":\"\",\"createdAt\":\"2026-11-19T01:29:08.056Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}', NULL);
INSERT INTO zukan.change_item VALUES (5, 'album', '01a1f16b-fdc6-7123-a0f4-e4966139e988', '{"name":"Winter","createdAt":"2026-11-19T01:29:08.056Z","document":"{\"id\":\"01a1f16b-fdc6-7123-a0f4-e4966139e988\",\"name\":\"Winter\",\"description\":\"\",\"createdAt\":\"2026-11-19T01:29:08.056Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}', '{"name":"Winter","createdAt":"2026-11-19T01:29:08.056Z","document":"{\"id\":\"01a1f16b-fdc6-7123-a0f4-e4966139e988\",\"name\":\"Winter\",\"description\":\"Snow.\",\"createdAt\":\"2026-11-19T01:29:08.056Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}', NULL);
INSERT INTO zukan.change_item VALUES (6, 'category', '10000000-0000-4000-8000-000000000002', '{"name":"Kimono","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Kimono\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":[]}', '{"name":"Yukata","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Yukata\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":["Kimono"]}', NULL);
INSERT INTO zukan.change_item VALUES (8, 'artist', '20000000-0000-4000-8000-000000000002', '{"name":"Idle","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000002\",\"name\":\"Idle\",\"url\":\"\"}","aliases":[]}', NULL, NULL);
INSERT INTO zukan.change_item VALUES (8, 'artist', '20000000-0000-4000-8000-000000000001', '{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":[]}', '{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":["20000000-0000-4000-8000-000000000002","Idle"]}', NULL);
INSERT INTO zukan.change_item VALUES (9, 'blocked', '["category","spoiler"]', NULL, '{"kind":"category","name":"spoiler","blockedAt":"2026-11-19T01:29:25.052Z"}', NULL);
INSERT INTO zukan.change_item VALUES (10, 'category', '01a1f16c-4bf7-7571-b843-ed5ec43b3fe0', NULL, '{"name":"Fotos für alle","createdAt":"2026-11-19T01:29:28.523Z","document":"{\"id\":\"01a1f16c-4bf7-7571-b843-ed5ec43b3fe0\",\"name\":\"Fotos für alle\",\"description\":\"\",\"nsfw\":false,\"createdAt\":\"2026-11-19T01:29:28.523Z\"}","aliases":[]}', NULL);
INSERT INTO zukan.change_item VALUES (11, 'taken-down', '01a1f16c-4c11-773c-ad91-88761b984744', NULL, '{"hash":"0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad"}', NULL);
INSERT INTO zukan.change_item VALUES (12, 'image', '01a1f16c-4c12-7bdf-9942-9d816950c955', '{}', NULL, NULL);
INSERT INTO zukan.change_item VALUES (7, 'character', '30000000-0000-4000-8000-000000000001', '{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}', '{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"Edited.\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}', 13);
INSERT INTO zukan.change_item VALUES (13, 'character', '30000000-0000-4000-8000-000000000001', '{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"Edited.\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}', '{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}', NULL);
INSERT INTO zukan.document_change VALUES (3, 3.764496338451233e+15);
INSERT INTO zukan.document_change VALUES (4, 3.764496406608229e+15);
INSERT INTO zukan.document_change VALUES (5, 3.764496436604241e+15);
INSERT INTO zukan.document_change VALUES (1, 3.764496445864319e+15);
INSERT INTO zukan.edited VALUES (3, 'rating title by-hand');
INSERT INTO zukan.edited VALUES (2, 'categories rating');
INSERT INTO zukan.edited VALUES (1, 'artist categories characters rating source title by-hand');
INSERT INTO zukan.image VALUES (2, '40000000-0000-4000-8000-000000000002', '29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a', '29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000002","url":"
40000000-0000-4000-8000-000000000002.png
29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
{"title":"2","description":"","takenAt":""}
"2.png"
 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI 0');
INSERT INTO zukan.image VALUES (3, '40000000-0000-4000-8000-000000000003', 'a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9', 'a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000003","url":"
40000000-0000-4000-8000-000000000003.png
a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
{"title":"The title of a picture","description":"","takenAt":""}
"3.png"
 0vcFPxQletVwiHiHiHiId4iI942I+ogI 0');
INSERT INTO zukan.image VALUES (1, '40000000-0000-4000-8000-000000000001', '1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf', '1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png', 'image/png', '{"id":"40000000-0000-4000-8000-000000000001","url":"
40000000-0000-4000-8000-000000000001.png
1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png
","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"Mine","url":"https://example.org/1"},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}
{"title":"First snow","description":"","takenAt":""}
"1.png"
 zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI 0');
INSERT INTO zukan.image_shelves VALUES (3, '{1,4,7,14}', 4, 4);
INSERT INTO zukan.image_shelves VALUES (1, '{1,3,7,11,9,10,13,15}', 4, 4);
INSERT INTO zukan.image_shelves VALUES (2, '{1,3,7,14,9,15}', 4, 4);
INSERT INTO zukan.migration VALUES (0);
INSERT INTO zukan.migration VALUES (1);
INSERT INTO zukan.migration VALUES (2);
INSERT INTO zukan.migration VALUES (3);
INSERT INTO zukan.migration VALUES (4);
INSERT INTO zukan.migration VALUES (5);
INSERT INTO zukan.migration VALUES (6);
INSERT INTO zukan.migration VALUES (7);
INSERT INTO zukan.migration VALUES (8);
INSERT INTO zukan.migration VALUES (9);
INSERT INTO zukan.migration VALUES (10);
INSERT INTO zukan.migration VALUES (11);
INSERT INTO zukan.migration VALUES (12);
INSERT INTO zukan.migration VALUES (13);
INSERT INTO zukan.migration VALUES (14);
INSERT INTO zukan.migration VALUES (15);
INSERT INTO zukan.migration VALUES (16);
INSERT INTO zukan.migration VALUES (17);
INSERT INTO zukan.migration VALUES (18);
INSERT INTO zukan.migration VALUES (19);
INSERT INTO zukan.past_revision VALUES (1);
INSERT INTO zukan.past_revision VALUES (3.764496325927968e+15);
INSERT INTO zukan.past_revision VALUES (3.764496338451232e+15);
INSERT INTO zukan.past_revision VALUES (3.764496349669592e+15);
INSERT INTO zukan.past_revision VALUES (3.764496365175428e+15);
INSERT INTO zukan.past_revision VALUES (3.764496375632368e+15);
INSERT INTO zukan.past_revision VALUES (3.764496382087066e+15);
INSERT INTO zukan.past_revision VALUES (3.76449638793361e+15);
INSERT INTO zukan.past_revision VALUES (3.764496393714101e+15);
INSERT INTO zukan.past_revision VALUES (3.764496400482566e+15);
INSERT INTO zukan.past_revision VALUES (3.764496406608228e+15);
INSERT INTO zukan.past_revision VALUES (3.76449643660424e+15);
INSERT INTO zukan.past_revision VALUES (3.764496445864318e+15);
INSERT INTO zukan.past_revision VALUES (3.764496468943445e+15);
INSERT INTO zukan.perceptual_hash VALUES (3, '');
INSERT INTO zukan.perceptual_hash VALUES (2, '');
INSERT INTO zukan.perceptual_hash VALUES (1, '');
INSERT INTO zukan.placement VALUES (1, 0, 1);
INSERT INTO zukan.placement VALUES (1, 1, 2);
INSERT INTO zukan.placement VALUES (1, 2, 3);
INSERT INTO zukan.placement VALUES (15, 0, 1);
INSERT INTO zukan.placement VALUES (15, 1, 2);
INSERT INTO zukan.placement VALUES (4, 0, 3);
INSERT INTO zukan.placement VALUES (7, 0, 1);
INSERT INTO zukan.placement VALUES (7, 1, 2);
INSERT INTO zukan.placement VALUES (7, 2, 3);
INSERT INTO zukan.placement VALUES (9, 0, 1);
INSERT INTO zukan.placement VALUES (9, 1, 2);
INSERT INTO zukan.placement VALUES (10, 0, 1);
INSERT INTO zukan.placement VALUES (11, 0, 1);
INSERT INTO zukan.placement VALUES (13, 0, 1);
INSERT INTO zukan.placement VALUES (14, 0, 2);
INSERT INTO zukan.placement VALUES (14, 1, 3);
INSERT INTO zukan.placement VALUES (3, 0, 1);
INSERT INTO zukan.placement VALUES (3, 1, 2);
INSERT INTO zukan.removed_file VALUES ('0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad', '01a1f16c-4c11-773c-ad91-88761b984744', '2026-11-19T01:29:41.877Z', 'asked');
INSERT INTO zukan.revision VALUES (3.764496468943445e+15);
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (2, 'rating', 'sfw', 'sfw', NULL, 0, 0, '', '', 1, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (13, 'character', '30000000-0000-4000-8000-000000000001', 'かえで 😀', NULL, 1, 0, '2025-03-03T10:00:00.000Z', '{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}', NULL, 'かえで 😀');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (9, 'category', '10000000-0000-4000-8000-000000000001', 'catgirl', 'catgirl', 2, 0, '2025-03-01T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}', NULL, 'catgirl');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (5, 'orientation', 'landscape', 'landscape', NULL, 0, 0, '', '', NULL, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (6, 'orientation', 'portrait', 'portrait', NULL, 0, 0, '', '', NULL, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (11, 'artist', '20000000-0000-4000-8000-000000000001', 'Zoë O''Hara', NULL, 1, 1, '2025-03-01T10:00:00.000Z', '{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}', NULL, 'zoë o''hara');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (8, 'animation', 'animated', 'animated', NULL, 0, 0, '', '', NULL, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (1, 'catalogue', 'all', 'all', NULL, 3, 0, '', '', 1, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (15, 'album', '01a1f16b-fdc6-7123-a0f4-e4966139e988', 'Winter', NULL, 2, 0, '2026-11-19T01:29:08.056Z', '{"id":"01a1f16b-fdc6-7123-a0f4-e4966139e988","name":"Winter","description":"Snow.","createdAt":"2026-11-19T01:29:08.056Z"}', NULL, 'winter');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (3, 'rating', 'questionable', 'questionable', NULL, 2, 0, '', '', NULL, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (7, 'orientation', 'square', 'square', NULL, 3, 0, '', '', 1, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (4, 'rating', 'nsfw', 'nsfw', NULL, 1, 0, '', '', NULL, '');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (14, 'artist', 'b5657ad2-a33e-52b7-ae74-d238673dfd08', 'Unknown', NULL, 2, 0, '2026-11-19T01:28:50.015Z', '{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}', NULL, 'unknown');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (10, 'category', '10000000-0000-4000-8000-000000000002', 'Yukata', 'yukata', 1, 2, '2025-03-02T10:00:00.000Z', '{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}', NULL, 'yukata');
INSERT INTO zukan.shelf OVERRIDING SYSTEM VALUE VALUES (16, 'category', '01a1f16c-4bf7-7571-b843-ed5ec43b3fe0', 'Fotos für alle', 'fotos für alle', 0, 1, '2026-11-19T01:29:28.523Z', '{"id":"01a1f16c-4bf7-7571-b843-ed5ec43b3fe0","name":"Fotos für alle","description":"","nsfw":false,"createdAt":"2026-11-19T01:29:28.523Z"}', NULL, 'fotos für alle');
INSERT INTO zukan.source_file VALUES ('/srv/pictures/lib', 'Fotos für alle/removed.png', '01a1f16c-4c11-773c-ad91-88761b984744', 'first', 'd8d0c6f94638a161f7b97e85e788b89c8482edf4d9fda222adb02b9ca31d5ac3');
INSERT INTO zukan.source_folder VALUES ('/srv/pictures/lib', '{"folderCategories":"all","defaultRating":"questionable"}');
INSERT INTO zukan.title_word VALUES ('first', 1);
INSERT INTO zukan.title_word VALUES ('snow', 1);
INSERT INTO zukan.title_word VALUES ('2', 2);
INSERT INTO zukan.title_word VALUES ('the', 3);
INSERT INTO zukan.title_word VALUES ('title', 3);
INSERT INTO zukan.title_word VALUES ('of', 3);
INSERT INTO zukan.title_word VALUES ('a', 3);
INSERT INTO zukan.title_word VALUES ('picture', 3);
INSERT INTO zukan.token VALUES ('5b9e89b9-4095-4c3a-9874-69fd51ae5f8d', 'e0d6c5b3cd8173e5f5035c3894d387717f7f0776725e25fecb63d270a67bc566', 'a bot', 'tests', '{image:list}', 'zukan', '2026-11-19T01:30:03.002Z', '2126-10-26T01:30:03.002Z', NULL);
INSERT INTO zukan.token VALUES ('3ddedce8-0fee-40d5-abd0-d0a3d0dc947e', '21584005fb040e78b2e136a29174b9da495663603c4ab6278c6d501f0c83d66a', 'a bot', 'revoked', '{image:list}', 'zukan', '2026-11-19T01:30:07.679Z', '2126-10-26T01:30:07.679Z', '2026-11-19T01:30:16.550Z');
INSERT INTO zukan.trash VALUES (12, '01a1f16c-4c12-7bdf-9942-9d816950c955', 'image', '2026-11-19T01:29:46.880Z', 5, '1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec', '1d/1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec.png', 'image/png', '{"id":"01a1f16c-4c12-7bdf-9942-9d816950c955","url":"
01a1f16c-4c12-7bdf-9942-9d816950c955.png
1d/1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec.png
","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"01a1f16c-4bf7-7571-b843-ed5ec43b3fe0","name":"Fotos für alle","description":"","nsfw":false,"createdAt":"2026-11-19T01:29:28.523Z"}],"characters":[],"createdAt":"2026-11-19T01:29:28.523Z","meta":{"eTag":"1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec","size":94,"mimetype":"image/png","color":"#a03050","expires":"
","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}
{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}
{"title":"trashed","description":"","takenAt":""}
"trashed.png"
 mNgCBwBoVC+Mh4iGeEiIWIiPgvVYB3YA 0', '', '');
ALTER TABLE ONLY zukan.album_image
    ADD CONSTRAINT album_image_image_album_key UNIQUE (image, album);
ALTER TABLE ONLY zukan.album_image
    ADD CONSTRAINT album_image_pkey PRIMARY KEY (album, "position");
ALTER TABLE ONLY zukan.alias
    ADD CONSTRAINT alias_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.blocked_name
    ADD CONSTRAINT blocked_name_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY zukan.change_item
    ADD CONSTRAINT change_item_pkey PRIMARY KEY (change, kind, id);
ALTER TABLE ONLY zukan.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (number);
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
ALTER TABLE ONLY zukan.source_folder
    ADD CONSTRAINT source_folder_pkey PRIMARY KEY (folder);
ALTER TABLE ONLY zukan.title_word
    ADD CONSTRAINT title_word_pkey PRIMARY KEY (word, image);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_hash_key UNIQUE (hash);
ALTER TABLE ONLY zukan.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY zukan.trash
    ADD CONSTRAINT trash_pkey PRIMARY KEY (change, id);
SELECT pg_catalog.setval('zukan.shelf_number_seq', (SELECT max(number) FROM zukan.shelf), true);
CREATE INDEX alias_shelf ON zukan.alias USING btree (shelf);
CREATE INDEX change_item_id ON zukan.change_item USING btree (id, kind, change);
CREATE INDEX document_change_number ON zukan.document_change USING btree (number, image);
CREATE INDEX image_etag ON zukan.image USING btree (etag);
CREATE INDEX removed_file_image ON zukan.removed_file USING btree (image);
CREATE INDEX shelf_name ON zukan.shelf USING btree (kind, name);
CREATE INDEX shelf_position ON zukan.shelf USING btree (kind, "position");
CREATE INDEX source_file_image ON zukan.source_file USING btree (image);
CREATE INDEX trash_id ON zukan.trash USING btree (id);
CREATE TRIGGER document_changed AFTER UPDATE ON zukan.image REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION zukan.record_changed_documents();
CREATE TRIGGER document_removed AFTER DELETE ON zukan.image REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION zukan.record_removed_documents();
CREATE TRIGGER revision_changed AFTER UPDATE ON zukan.revision FOR EACH ROW EXECUTE FUNCTION zukan.record_revision();
