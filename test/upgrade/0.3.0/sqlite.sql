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
     document text not null default '',
     unique (kind, id)
   ) strict;
INSERT INTO shelf VALUES(1,'catalogue','all','all',NULL,3,0,'','');
INSERT INTO shelf VALUES(2,'rating','sfw','sfw',NULL,1,0,'','');
INSERT INTO shelf VALUES(3,'rating','questionable','questionable',NULL,1,0,'','');
INSERT INTO shelf VALUES(4,'rating','nsfw','nsfw',NULL,1,0,'','');
INSERT INTO shelf VALUES(5,'orientation','landscape','landscape',NULL,0,0,'','');
INSERT INTO shelf VALUES(6,'orientation','portrait','portrait',NULL,0,0,'','');
INSERT INTO shelf VALUES(7,'orientation','square','square',NULL,3,0,'','');
INSERT INTO shelf VALUES(8,'category','10000000-0000-4000-8000-000000000001','catgirl','catgirl',2,1,'2025-03-01T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}');
INSERT INTO shelf VALUES(9,'category','10000000-0000-4000-8000-000000000002','Kimono','kimono',1,0,'2025-03-02T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000002","name":"Kimono","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}');
INSERT INTO shelf VALUES(10,'artist','20000000-0000-4000-8000-000000000001','Zoë O''Hara',NULL,1,2,'2025-03-01T10:00:00.000Z','{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}');
INSERT INTO shelf VALUES(11,'artist','20000000-0000-4000-8000-000000000002','Idle',NULL,0,0,'2025-03-01T10:00:00.000Z','{"id":"20000000-0000-4000-8000-000000000002","name":"Idle","url":""}');
INSERT INTO shelf VALUES(12,'character','30000000-0000-4000-8000-000000000001','かえで 😀',NULL,1,0,'2025-03-03T10:00:00.000Z','{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Quiet.\nLikes \"snow\".","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}');
INSERT INTO shelf VALUES(13,'artist','b5657ad2-a33e-52b7-ae74-d238673dfd08','Unknown',NULL,2,1,'2026-11-16T13:53:56.777Z','{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}');
CREATE TABLE image (
     number integer primary key autoincrement,
     id text not null unique,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null
   ) strict;
INSERT INTO image VALUES(1,'40000000-0000-4000-8000-000000000001','1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf','1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000001","url":"\01240000000-0000-4000-8000-000000000001.png\0121c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png\012","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"a \"source\":null","url":"https://example.org/1"},"nsfw":"sfw","categories":[{"id":"10000000-0000-4000-8000-000000000002","name":"Kimono","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"Quiet.\nLikes \"snow\".","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"\012","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\012{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}\012 zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI','\012',char(10)));
INSERT INTO image VALUES(2,'40000000-0000-4000-8000-000000000002','29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a','29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000002","url":"\n40000000-0000-4000-8000-000000000002.png\n29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI','\n',char(10)));
INSERT INTO image VALUES(3,'40000000-0000-4000-8000-000000000003','a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9','a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000003","url":"\n40000000-0000-4000-8000-000000000003.png\na1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n 0vcFPxQletVwiHiHiHiId4iI942I+ogI','\n',char(10)));
CREATE TABLE placement (
     shelf integer not null,
     position integer not null,
     image integer not null,
     primary key (shelf, position)
   ) strict, without rowid;
INSERT INTO placement VALUES(1,0,1);
INSERT INTO placement VALUES(2,0,1);
INSERT INTO placement VALUES(7,0,1);
INSERT INTO placement VALUES(8,0,1);
INSERT INTO placement VALUES(9,0,1);
INSERT INTO placement VALUES(10,0,1);
INSERT INTO placement VALUES(12,0,1);
INSERT INTO placement VALUES(1,1,2);
INSERT INTO placement VALUES(3,0,2);
INSERT INTO placement VALUES(7,1,2);
INSERT INTO placement VALUES(8,1,2);
INSERT INTO placement VALUES(13,0,2);
INSERT INTO placement VALUES(1,2,3);
INSERT INTO placement VALUES(4,0,3);
INSERT INTO placement VALUES(7,2,3);
INSERT INTO placement VALUES(13,1,3);
CREATE TABLE perceptual_hash (image integer primary key, hash text not null) strict;
INSERT INTO perceptual_hash VALUES(1,'');
INSERT INTO perceptual_hash VALUES(2,'');
INSERT INTO perceptual_hash VALUES(3,'');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('image',4);
CREATE INDEX shelf_position on shelf (kind, position);
CREATE INDEX shelf_name on shelf (kind, name);
CREATE INDEX image_etag on image (etag);
CREATE UNIQUE INDEX placement_image on placement (image, shelf);
COMMIT;
pragma user_version = 4;
pragma application_id = 2054515566;
