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
     document text not null default '', cover integer, sort_key text not null default '',
     unique (kind, id)
   ) strict;
INSERT INTO shelf VALUES(1,'catalogue','all','all',NULL,3,0,'','',1,'');
INSERT INTO shelf VALUES(2,'rating','sfw','sfw',NULL,0,0,'','',1,'');
INSERT INTO shelf VALUES(3,'rating','questionable','questionable',NULL,2,0,'','',NULL,'');
INSERT INTO shelf VALUES(4,'rating','nsfw','nsfw',NULL,1,0,'','',NULL,'');
INSERT INTO shelf VALUES(5,'orientation','landscape','landscape',NULL,0,0,'','',NULL,'');
INSERT INTO shelf VALUES(6,'orientation','portrait','portrait',NULL,0,0,'','',NULL,'');
INSERT INTO shelf VALUES(7,'orientation','square','square',NULL,3,0,'','',1,'');
INSERT INTO shelf VALUES(8,'animation','animated','animated',NULL,0,0,'','',NULL,'');
INSERT INTO shelf VALUES(9,'category','10000000-0000-4000-8000-000000000001','catgirl','catgirl',2,0,'2025-03-01T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}',NULL,'catgirl');
INSERT INTO shelf VALUES(10,'category','10000000-0000-4000-8000-000000000002','Yukata','yukata',1,2,'2025-03-02T10:00:00.000Z','{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}',NULL,'yukata');
INSERT INTO shelf VALUES(11,'artist','20000000-0000-4000-8000-000000000001','Zoë O''Hara',NULL,1,1,'2025-03-01T10:00:00.000Z','{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}',NULL,'zoë o''hara');
INSERT INTO shelf VALUES(13,'character','30000000-0000-4000-8000-000000000001','かえで 😀',NULL,1,0,'2025-03-03T10:00:00.000Z','{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}',NULL,'かえで 😀');
INSERT INTO shelf VALUES(14,'artist','b5657ad2-a33e-52b7-ae74-d238673dfd08','Unknown',NULL,2,0,'2026-11-19T01:27:09.519Z','{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}',NULL,'unknown');
INSERT INTO shelf VALUES(15,'album','01a1f16a-64c3-71ad-bf75-10b205f9771c','Winter',NULL,2,0,'2026-11-19T01:27:24.028Z','{"id":"01a1f16a-64c3-71ad-bf75-10b205f9771c","name":"Winter","description":"Snow.","createdAt":"2026-11-19T01:27:24.028Z"}',NULL,'winter');
INSERT INTO shelf VALUES(16,'category','01a1f16a-c747-7d47-ac9f-cbe06ac871e6','Fotos für alle','fotos für alle',0,1,'2026-11-19T01:27:48.968Z','{"id":"01a1f16a-c747-7d47-ac9f-cbe06ac871e6","name":"Fotos für alle","description":"","nsfw":false,"createdAt":"2026-11-19T01:27:48.968Z"}',NULL,'fotos für alle');
CREATE TABLE image (
     number integer primary key autoincrement,
     id text not null unique,
     etag text not null,
     key text not null,
     mimetype text not null,
     document text not null
   ) strict;
INSERT INTO image VALUES(1,'40000000-0000-4000-8000-000000000001','1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf','1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000001","url":"\n40000000-0000-4000-8000-000000000001.png\n1c/1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf.png\n","artist":"20000000-0000-4000-8000-000000000001","source":{"name":"Mine","url":"https://example.org/1"},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"},{"id":"10000000-0000-4000-8000-000000000002","name":"Yukata","description":"","nsfw":true,"createdAt":"2025-03-02T10:00:00.000Z"}],"characters":[{"id":"30000000-0000-4000-8000-000000000001","name":"かえで 😀","description":"","source":"Winter","gender":"female","ages":[19,20],"birth_date":"May","nationality":"Japanese","occupations":["student"],"createdAt":"2025-03-03T10:00:00.000Z"}],"createdAt":"2025-03-04T10:00:00.000Z","meta":{"eTag":"1c6d55d6d4df9cdc1831722d257bae160e293cc8c65c7b2dfe49efc1c9909fcf","size":138,"mimetype":"image/png","color":"#1f244e","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"20000000-0000-4000-8000-000000000001","name":"Zoë O''Hara","url":"https://example.org/zoe"}\n{"title":"First snow","description":"","takenAt":""}\n"1.png"\n zfcFFwZgeJdwiHiHh3iIeIiI932I+ogI 0','\n',char(10)));
INSERT INTO image VALUES(2,'40000000-0000-4000-8000-000000000002','29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a','29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000002","url":"\n40000000-0000-4000-8000-000000000002.png\n29/29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"10000000-0000-4000-8000-000000000001","name":"catgirl","description":"With ears.","nsfw":false,"createdAt":"2025-03-01T10:00:00.000Z"}],"characters":[],"createdAt":"2025-03-05T10:00:00.000Z","meta":{"eTag":"29304d19017fa425dfa1179db6f11b49b1e8451b7a272e74d70d6651d4a7167a","size":138,"mimetype":"image/png","color":"#11601b","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n{"title":"2","description":"","takenAt":""}\n"2.png"\n 0PcFLwxCebZwiHiHiHiIeIh4942I+ogI 0','\n',char(10)));
INSERT INTO image VALUES(3,'40000000-0000-4000-8000-000000000003','a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9','a1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png','image/png',replace('{"id":"40000000-0000-4000-8000-000000000003","url":"\n40000000-0000-4000-8000-000000000003.png\na1/a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"nsfw","categories":[],"characters":[],"createdAt":"2025-03-06T10:00:00.000Z","meta":{"eTag":"a1a8f76955cc7eaaedf429ad80089d591c6910ee5ed5f61f1e86020c0fb888c9","size":139,"mimetype":"image/png","color":"#12861c","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n{"title":"The title of a picture","description":"","takenAt":""}\n"3.png"\n 0vcFPxQletVwiHiHiHiId4iI942I+ogI 0','\n',char(10)));
CREATE TABLE placement (
     shelf integer not null,
     position integer not null,
     image integer not null,
     primary key (shelf, position)
   ) strict, without rowid;
INSERT INTO placement VALUES(1,0,1);
INSERT INTO placement VALUES(1,1,2);
INSERT INTO placement VALUES(1,2,3);
INSERT INTO placement VALUES(3,0,1);
INSERT INTO placement VALUES(3,1,2);
INSERT INTO placement VALUES(4,0,3);
INSERT INTO placement VALUES(7,0,1);
INSERT INTO placement VALUES(7,1,2);
INSERT INTO placement VALUES(7,2,3);
INSERT INTO placement VALUES(9,0,1);
INSERT INTO placement VALUES(9,1,2);
INSERT INTO placement VALUES(10,0,1);
INSERT INTO placement VALUES(11,0,1);
INSERT INTO placement VALUES(13,0,1);
INSERT INTO placement VALUES(14,0,2);
INSERT INTO placement VALUES(14,1,3);
INSERT INTO placement VALUES(15,0,1);
INSERT INTO placement VALUES(15,1,2);
CREATE TABLE perceptual_hash (image integer primary key, hash text not null) strict;
INSERT INTO perceptual_hash VALUES(1,'');
INSERT INTO perceptual_hash VALUES(2,'');
INSERT INTO perceptual_hash VALUES(3,'');
CREATE TABLE edited (image integer primary key, fields text not null) strict;
INSERT INTO edited VALUES(1,'artist categories characters rating source title by-hand');
INSERT INTO edited VALUES(2,'categories rating');
INSERT INTO edited VALUES(3,'rating title by-hand');
CREATE TABLE alias (
     kind text not null,
     key text not null,
     name text not null,
     shelf integer not null,
     primary key (kind, key)
   ) strict, without rowid;
INSERT INTO alias VALUES('artist','20000000-0000-4000-8000-000000000002','20000000-0000-4000-8000-000000000002',11);
INSERT INTO alias VALUES('artist','Idle','Idle',11);
INSERT INTO alias VALUES('category','kimono','Kimono',10);
CREATE TABLE blocked_name (
     kind text not null,
     key text not null,
     name text not null,
     blocked_at text not null, skips integer not null default 0,
     primary key (kind, key)
   ) strict, without rowid;
INSERT INTO blocked_name VALUES('category','spoiler','spoiler','2026-11-19T01:27:45.237Z',0);
CREATE TABLE removed_file (
     hash text primary key,
     image text not null,
     removed_at text not null,
     reason text not null
   ) strict, without rowid;
INSERT INTO removed_file VALUES('0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad','01a1f16a-c7d9-7aed-9e6f-43f2c39052cf','2026-11-19T01:27:59.895Z','asked');
CREATE TABLE source_file (
     folder text not null,
     path text not null,
     image text not null,
     state text not null,
     fingerprint text not null,
     primary key (folder, path, image)
   ) strict, without rowid;
INSERT INTO source_file VALUES('/srv/pictures/lib','Fotos für alle/removed.png','01a1f16a-c7d9-7aed-9e6f-43f2c39052cf','first','f5cf70a0bc002c39ce0fca5b0a96fc3c6a3c3d0706106899f4c31b9e4759b553');
CREATE TABLE document_change (
       number integer primary key autoincrement,
       image integer not null unique
     ) strict;
INSERT INTO document_change VALUES(2,3);
INSERT INTO document_change VALUES(5,4);
INSERT INTO document_change VALUES(6,5);
INSERT INTO document_change VALUES(7,1);
CREATE TABLE image_shelves (image integer primary key, shelves text not null, width int not null default 0, height int not null default 0) strict;
INSERT INTO image_shelves VALUES(1,',1,3,7,11,9,10,13,15,',4,4);
INSERT INTO image_shelves VALUES(2,',1,3,7,14,9,15,',4,4);
INSERT INTO image_shelves VALUES(3,',1,4,7,14,',4,4);
CREATE TABLE change (
       number integer primary key,
       at text not null,
       origin text not null,
       user_name text not null,
       summary text not null,
       source text,
       added integer not null,
       changed integer not null,
       removed integer not null,
       entries integer not null,
       first_image integer not null,
       last_image integer not null,
       items integer not null,
       undoes integer,
       state text not null
     ) strict;
INSERT INTO change VALUES(1,'2026-11-19T01:27:09.957Z','import','root','import: 3 images added, 6 entries changed','/srv/pictures/catalogue.ndjson',3,0,0,6,1,3,6,NULL,'done');
INSERT INTO change VALUES(2,'2026-11-19T01:27:14.722Z','shell','root','rate questionable: 1 image',NULL,0,1,0,0,4,3,1,NULL,'done');
INSERT INTO change VALUES(3,'2026-11-19T01:27:19.646Z','shell','root','title The title of a picture: 1 image',NULL,0,1,0,0,4,3,1,NULL,'done');
INSERT INTO change VALUES(4,'2026-11-19T01:27:24.028Z','shell','root','add to Winter: 2 images',NULL,0,0,0,1,4,3,1,NULL,'done');
INSERT INTO change VALUES(5,'2026-11-19T01:27:28.591Z','shell','root','album "Winter": description: (none) → Snow.',NULL,0,0,0,1,4,3,1,NULL,'done');
INSERT INTO change VALUES(6,'2026-11-19T01:27:33.562Z','shell','root','category "Kimono": name: Kimono → Yukata; aliases: (none) → Kimono',NULL,0,0,0,1,4,3,1,NULL,'done');
INSERT INTO change VALUES(7,'2026-11-19T01:27:36.677Z','shell','root','character "かえで 😀": description: (none) → Edited.',NULL,0,0,0,1,4,3,1,NULL,'undone');
INSERT INTO change VALUES(8,'2026-11-19T01:27:41.126Z','shell','root','merged the artist "Idle" into "Zoë O''Hara" (0 images)',NULL,0,0,0,2,4,3,2,NULL,'done');
INSERT INTO change VALUES(9,'2026-11-19T01:27:45.258Z','shell','root','blocked the name "spoiler"',NULL,0,0,0,0,4,3,1,NULL,'done');
INSERT INTO change VALUES(10,'2026-11-19T01:27:49.291Z','import','root','import: 2 images added, 1 entry changed','/srv/pictures/lib',2,0,0,1,4,5,1,NULL,'done');
INSERT INTO change VALUES(11,'2026-11-19T01:27:59.941Z','shell','root','take down 1 image',NULL,0,0,1,0,6,5,1,NULL,'final');
INSERT INTO change VALUES(12,'2026-11-19T01:28:04.346Z','import','root','import: 1 image removed','/srv/pictures/lib',0,0,1,0,6,5,1,NULL,'done');
INSERT INTO change VALUES(13,'2026-11-19T01:28:11.717Z','shell','root','undo 7: character "かえで 😀": description: (none) → Edited.',NULL,0,0,0,1,6,5,1,7,'done');
CREATE TABLE change_item (
       change integer not null,
       kind text not null,
       id text not null,
       before text,
       after text,
       undone_by integer,
       primary key (change, kind, id)
     ) strict, without rowid;
INSERT INTO change_item VALUES(1,'artist','20000000-0000-4000-8000-000000000001',NULL,'{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(1,'artist','20000000-0000-4000-8000-000000000002',NULL,'{"name":"Idle","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000002\",\"name\":\"Idle\",\"url\":\"\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(1,'artist','b5657ad2-a33e-52b7-ae74-d238673dfd08',NULL,'{"name":"Unknown","createdAt":"2026-11-19T01:27:09.519Z","document":"{\"id\":\"b5657ad2-a33e-52b7-ae74-d238673dfd08\",\"name\":\"Unknown\",\"url\":\"\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(1,'category','10000000-0000-4000-8000-000000000001',NULL,'{"name":"catgirl","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000001\",\"name\":\"catgirl\",\"description\":\"With ears.\",\"nsfw\":false,\"createdAt\":\"2025-03-01T10:00:00.000Z\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(1,'category','10000000-0000-4000-8000-000000000002',NULL,'{"name":"Kimono","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Kimono\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(1,'character','30000000-0000-4000-8000-000000000001',NULL,'{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(2,'image','40000000-0000-4000-8000-000000000001','{"rating":"sfw","edited":"artist categories characters rating source title"}','{"rating":"questionable","edited":"artist categories characters rating source title by-hand"}',NULL);
INSERT INTO change_item VALUES(3,'image','40000000-0000-4000-8000-000000000003','{"title":"3","edited":"rating"}','{"title":"The title of a picture","edited":"rating title by-hand"}',NULL);
INSERT INTO change_item VALUES(4,'album','01a1f16a-64c3-71ad-bf75-10b205f9771c',NULL,'{"name":"Winter","createdAt":"2026-11-19T01:27:24.028Z","document":"{\"id\":\"01a1f16a-64c3-71ad-bf75-10b205f9771c\",\"name\":\"Winter\",\"description\":\"\",\"createdAt\":\"2026-11-19T01:27:24.028Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}',NULL);
INSERT INTO change_item VALUES(5,'album','01a1f16a-64c3-71ad-bf75-10b205f9771c','{"name":"Winter","createdAt":"2026-11-19T01:27:24.028Z","document":"{\"id\":\"01a1f16a-64c3-71ad-bf75-10b205f9771c\",\"name\":\"Winter\",\"description\":\"\",\"createdAt\":\"2026-11-19T01:27:24.028Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}','{"name":"Winter","createdAt":"2026-11-19T01:27:24.028Z","document":"{\"id\":\"01a1f16a-64c3-71ad-bf75-10b205f9771c\",\"name\":\"Winter\",\"description\":\"Snow.\",\"createdAt\":\"2026-11-19T01:27:24.028Z\"}","aliases":[],"images":["40000000-0000-4000-8000-000000000001","40000000-0000-4000-8000-000000000002"]}',NULL);
INSERT INTO change_item VALUES(6,'category','10000000-0000-4000-8000-000000000002','{"name":"Kimono","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Kimono\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":[]}','{"name":"Yukata","createdAt":"2025-03-02T10:00:00.000Z","document":"{\"id\":\"10000000-0000-4000-8000-000000000002\",\"name\":\"Yukata\",\"description\":\"\",\"nsfw\":true,\"createdAt\":\"2025-03-02T10:00:00.000Z\"}","aliases":["Kimono"]}',NULL);
INSERT INTO change_item VALUES(7,'character','30000000-0000-4000-8000-000000000001','{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}','{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"Edited.\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}',13);
INSERT INTO change_item VALUES(8,'artist','20000000-0000-4000-8000-000000000001','{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":[]}','{"name":"Zoë O''Hara","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000001\",\"name\":\"Zoë O''Hara\",\"url\":\"https://example.org/zoe\"}","aliases":["20000000-0000-4000-8000-000000000002","Idle"]}',NULL);
INSERT INTO change_item VALUES(8,'artist','20000000-0000-4000-8000-000000000002','{"name":"Idle","createdAt":"2025-03-01T10:00:00.000Z","document":"{\"id\":\"20000000-0000-4000-8000-000000000002\",\"name\":\"Idle\",\"url\":\"\"}","aliases":[]}',NULL,NULL);
INSERT INTO change_item VALUES(9,'blocked','["category","spoiler"]',NULL,'{"kind":"category","name":"spoiler","blockedAt":"2026-11-19T01:27:45.237Z"}',NULL);
INSERT INTO change_item VALUES(10,'category','01a1f16a-c747-7d47-ac9f-cbe06ac871e6',NULL,'{"name":"Fotos für alle","createdAt":"2026-11-19T01:27:48.968Z","document":"{\"id\":\"01a1f16a-c747-7d47-ac9f-cbe06ac871e6\",\"name\":\"Fotos für alle\",\"description\":\"\",\"nsfw\":false,\"createdAt\":\"2026-11-19T01:27:48.968Z\"}","aliases":[]}',NULL);
INSERT INTO change_item VALUES(11,'taken-down','01a1f16a-c7d9-7aed-9e6f-43f2c39052cf',NULL,'{"hash":"0bab0d1d21b7c9503ea42cbece760122e02621fd4573d872d60c1542169353ad"}',NULL);
INSERT INTO change_item VALUES(12,'image','01a1f16a-c7de-7745-bd23-5e8e3f318727','{}',NULL,NULL);
INSERT INTO change_item VALUES(13,'character','30000000-0000-4000-8000-000000000001','{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"Edited.\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}','{"name":"かえで 😀","createdAt":"2025-03-03T10:00:00.000Z","document":"{\"id\":\"30000000-0000-4000-8000-000000000001\",\"name\":\"かえで 😀\",\"description\":\"\",\"source\":\"Winter\",\"gender\":\"female\",\"ages\":[19,20],\"birth_date\":\"May\",\"nationality\":\"Japanese\",\"occupations\":[\"student\"],\"createdAt\":\"2025-03-03T10:00:00.000Z\"}","aliases":[]}',NULL);
CREATE TABLE trash (
       change integer not null,
       id text not null,
       kind text not null,
       removed_at text not null,
       number integer not null,
       etag text not null,
       key text not null,
       mimetype text not null,
       document text not null,
       perceptual_hash text,
       edited text not null,
       primary key (change, id)
     ) strict, without rowid;
INSERT INTO trash VALUES(12,'01a1f16a-c7de-7745-bd23-5e8e3f318727','image','2026-11-19T01:28:04.346Z',5,'1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec','1d/1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec.png','image/png',replace('{"id":"01a1f16a-c7de-7745-bd23-5e8e3f318727","url":"\n01a1f16a-c7de-7745-bd23-5e8e3f318727.png\n1d/1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec.png\n","artist":"b5657ad2-a33e-52b7-ae74-d238673dfd08","source":{"name":"","url":""},"nsfw":"questionable","categories":[{"id":"01a1f16a-c747-7d47-ac9f-cbe06ac871e6","name":"Fotos für alle","description":"","nsfw":false,"createdAt":"2026-11-19T01:27:48.968Z"}],"characters":[],"createdAt":"2026-11-19T01:27:48.968Z","meta":{"eTag":"1d6c82a8b30ad93b7934c825ba3a51a612115a899bfe619b1602a0c8efd7c6ec","size":94,"mimetype":"image/png","color":"#a03050","expires":"\n","dimens":{"width":4,"height":4,"aspectRatio":"1:1","orientation":"square"}}}\n{"id":"b5657ad2-a33e-52b7-ae74-d238673dfd08","name":"Unknown","url":""}\n{"title":"trashed","description":"","takenAt":""}\n"trashed.png"\n mNgCBwBoVC+Mh4iGeEiIWIiPgvVYB3YA 0','\n',char(10)),'','');
CREATE TABLE source_folder (folder text primary key, choice text not null) strict, without rowid;
INSERT INTO source_folder VALUES('/srv/pictures/lib','{"folderCategories":"all","defaultRating":"questionable"}');
CREATE TABLE title_word (
       word text not null,
       image integer not null,
       primary key (word, image)
     ) strict, without rowid;
INSERT INTO title_word VALUES('2',2);
INSERT INTO title_word VALUES('a',3);
INSERT INTO title_word VALUES('first',1);
INSERT INTO title_word VALUES('of',3);
INSERT INTO title_word VALUES('picture',3);
INSERT INTO title_word VALUES('snow',1);
INSERT INTO title_word VALUES('the',3);
INSERT INTO title_word VALUES('title',3);
CREATE TABLE album_image (
  album integer not null, position integer not null, image text not null,
  primary key (album, position), unique (image, album)) strict, without rowid;
INSERT INTO album_image VALUES(15,0,'40000000-0000-4000-8000-000000000001');
INSERT INTO album_image VALUES(15,1,'40000000-0000-4000-8000-000000000002');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('image',5);
INSERT INTO sqlite_sequence VALUES('document_change',7);
CREATE INDEX shelf_position on shelf (kind, position);
CREATE INDEX shelf_name on shelf (kind, name);
CREATE INDEX image_etag on image (etag);
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
CREATE INDEX change_item_id on change_item (id, kind, change);
CREATE INDEX trash_id on trash (id);
COMMIT;
pragma user_version = 19;
pragma application_id = 2054515566;
