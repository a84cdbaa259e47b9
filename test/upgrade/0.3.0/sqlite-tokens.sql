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
INSERT INTO token VALUES('5520e18a-60e0-4746-8814-914cf7f4500e','6ddac7ca8d0c0af8f0a62f3eaadcac679ce9aeb5c32847fba1bdb7c567257ae8','a bot','tests','["image:list"]','zukan','2026-11-16T13:53:59.410Z','2122-09-14T13:53:59.410Z',NULL);
INSERT INTO token VALUES('da1ba1aa-2f1a-4abd-b05b-a4ed1f0f3ec1','7bc58ff3a64b18f23a3d530f829ebd5dee01a7d60cda8b8a27f72af05f6b1704','x','revoked','[]','zukan','2026-11-16T13:54:00.655Z','2027-11-16T13:54:00.655Z','2026-11-16T13:54:02.969Z');
COMMIT;
pragma user_version = 1;
pragma application_id = 2054515572;
