PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE shelf (
     number integer primary key,
     kind text not null,
     id text not null,
     name text not null,
     category text unique,
     size integer not null default 0,
     position integer not null default 0,
     created_at text not null default '',
     document text not null default '', cover integer,
     unique (kind, id)
   ) strict;
INSERT INTO shelf VALUES(1,'catalogue','all','all',NULL,3,0,'','',4);
INSERT INTO shelf VALUES(2,'rating','sfw','sfw',NULL,0,0,'','',4);
INSERT INTO shelf VALUES(3,'rating','questionable','questionable',NULL,2,0,'','',NULL);
INSERT INTO shelf VALUES(4,'rating','nsfw','nsfw',NULL,1,0,'','',NULL);
INSERT INTO shelf VALUES(5,'orientation','landscape','landscape',NULL,0,0,'','',NULL);
INSERT INTO shelf VALUES(6,'orientation','portrait','portrait',NULL,0,0,'','',NULL);
INSERT INTO shelf VALUES(7,'orientation','square','square',NULL,3,0,'','',4);
INSERT INTO shelf VALUES(8,'category','10000000-0000-4000-8000-000000000002','Yukata','yukata',1,0,'2025-03-02T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}',NULL);
INSERT INTO shelf VALUES(9,'category','10000000-0000-4000-8000-000000000001','catgirl','catgirl',2,1,'2025-03-01T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}',NULL);
INSERT INTO shelf VALUES(11,'artist','b5657ad2-a33e-52b7-ae74-d238673dfd08','Unknown',NULL,2,0,'2026-11-16T13:53:56.777Z','{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}',NULL);
INSERT INTO shelf VALUES(12,'artist','20000000-0000-4000-8000-000000000001','Zoë O''Hara',NULL,1,1,'2025-03-01T10:00:00.000Z','{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}',NULL);
INSERT INTO shelf VALUES(13,'character','30000000-0000-4000-8000-000000000001','かえで 😀',NULL,1,0,'2025-03-03T10:00:00.000Z','{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}',NULL);
CREATE TABLE image (
     number integer primary key autoincrement,
     id text not null unique,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null
   ) strict;
INSERT INTO image VALUES(1,'40000000-0000-4000-8000-000000000001','1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf','1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000001","url":"\n40000000-0000-4000-8000-000000000001.png\n1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png\n","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"Mine","url":"https://example.org/1"},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Edited.","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}\n zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI 0','\n',char(10)));
INSERT INTO image VALUES(2,'40000000-0000-4000-8000-000000000002','29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a','29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000002","url":"\n40000000-0000-4000-8000-000000000002.png\n29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI 0','\n',char(10)));
INSERT INTO image VALUES(3,'40000000-0000-4000-8000-000000000003','a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9','a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000003","url":"\n40000000-0000-4000-8000-000000000003.png\na1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n 0vcFPxQletVwiHiHiHiId4iI942I+ogI 0','\n',char(10)));
CREATE TABLE placement (
     shelf integer not null,
     position integer not null,
     image integer not null,
     primary key (shelf, position)
   ) strict, without rowid;
INSERT INTO placement VALUES(1,0,1);
INSERT INTO placement VALUES(3,0,1);
INSERT INTO placement VALUES(7,0,1);
INSERT INTO placement VALUES(8,0,1);
INSERT INTO placement VALUES(9,0,1);
INSERT INTO placement VALUES(12,0,1);
INSERT INTO placement VALUES(13,0,1);
INSERT INTO placement VALUES(1,1,2);
INSERT INTO placement VALUES(3,1,2);
INSERT INTO placement VALUES(7,1,2);
INSERT INTO placement VALUES(9,1,2);
INSERT INTO placement VALUES(11,0,2);
INSERT INTO placement VALUES(1,2,3);
INSERT INTO placement VALUES(4,0,3);
INSERT INTO placement VALUES(7,2,3);
INSERT INTO placement VALUES(11,1,3);
CREATE TABLE perceptual_hash (image integer primary key, hash text not null) strict;
CREATE TABLE edited (image integer primary key, fields text not null) strict;
INSERT INTO edited VALUES(1,'artist categories characters rating source');
INSERT INTO edited VALUES(2,'artist categories characters rating source');
INSERT INTO edited VALUES(3,'artist categories characters rating source');
CREATE TABLE alias (
     kind text not null,
     key text not null,
     name text not null,
     shelf integer not null,
     primary key (kind, key)
   ) strict, without rowid;
INSERT INTO alias VALUES('artist','Idle','Idle',12);
INSERT INTO alias VALUES('category','kimono','Kimono',8);
CREATE TABLE blocked_name (
     kind text not null,
     key text not null,
     name text not null,
     blocked_at text not null,
     primary key (kind, key)
   ) strict, without rowid;
CREATE TABLE removed_file (
     hash text primary key,
     image text not null,
     removed_at text not null,
     reason text not null
   ) strict, without rowid;
INSERT INTO removed_file VALUES('0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad','01a1ebec-607b-74ab-abf2-9334f329dc23','2026-11-17T23:51:46.182Z','');
CREATE TABLE source_file (
     folder text not null,
     path text not null,
     image text not null,
     state text not null,
     fingerprint text not null,
     primary key (folder, path, image)
   ) strict, without rowid;
INSERT INTO source_file VALUES('/home/me/pictures','gone.png','01a1ebec-607b-74ab-abf2-9334f329dc23','first','5c4ab765c8ddad10feeff2ce5b1faa5c20cd84a9ebdf0f64813336a7777a46d8');
CREATE TABLE document_change (
       number integer primary key autoincrement,
       image integer not null unique
     ) strict;
INSERT INTO document_change VALUES(1,4);
INSERT INTO document_change VALUES(2,3);
INSERT INTO document_change VALUES(3,2);
INSERT INTO document_change VALUES(7,1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('image',4);
INSERT INTO sqlite_sequence VALUES('document_change',7);
CREATE INDEX shelf_position on shelf (kind, position);
CREATE INDEX shelf_name on shelf (kind, name);
CREATE INDEX image_etag on image (etag);
CREATE UNIQUE INDEX placement_image on placement (image, shelf);
CREATE INDEX alias_shelf on alias (shelf);
CREATE INDEX removed_file_image on removed_file (image);
CREATE INDEX source_file_image on source_file (image);
CREATE TRIGGER document_changed after update of document on image when new.document <> old.document
     begin
       delete from document_change where image = old.number;
       insert into document_change (image) values (old.number);
     end;
CREATE TRIGGER document_removed after delete on image
     begin
       delete from document_change where image = old.number;
       insert into document_change (image) values (old.number);
     end;
COMMIT;
pragma user_version = 8;
pragma application_id = 2054515566;
