PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE token (
     id text primary key,
     hash text not null unique,
     owner text not null,
     purpose text not null,
     scopes text not null,
     issued_by text not null,
     created_at text not null,
     expires text not null,
     revoked_at text
   ) strict, without rowid;
INSERT INTO token VALUES('b1cd02c9-33f9-494a-a07e-2f19c3c42779','4b59090cd3cd917a20941b4e18c5448cff7237ae776ab2f7fa334b0e59866ad1','x','revoked','[]','zukan','2026-11-17T23:51:59.060Z','2027-11-17T23:51:59.060Z','2026-11-17T23:52:02.143Z');
INSERT INTO token VALUES('f4615f9d-a9eb-4928-b26b-e43195029287','491e85169b35ca9befdd5a180a3ecf8cd2d550b2a187f7173f01dd03e395c766','a bot','tests','["image:list"]','zukan','2026-11-17T23:51:57.400Z','2122-09-15T23:51:57.400Z',NULL);
COMMIT;
pragma user_version = 1;
pragma application_id = 2054515572;
