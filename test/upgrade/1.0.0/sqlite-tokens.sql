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
INSERT INTO token VALUES('50522e88-6cf4-4be9-8fc0-7d83f00ddcb0','22f55c1facd5071343e80e9e43f34316850d9402250d277706517ef77306a9f5','a bot','tests','["image:list"]','zukan','2026-11-19T01:28:15.139Z','2126-10-26T01:28:15.139Z',NULL);
INSERT INTO token VALUES('89df069b-b840-431a-8b2c-977963552db5','ec5e7ff117ca50bd0c3a04104f2629196b6a9b5c7c5fa47430c66642abc7e0db','a bot','revoked','["image:list"]','zukan','2026-11-19T01:28:17.971Z','2126-10-26T01:28:17.971Z','2026-11-19T01:28:22.892Z');
COMMIT;
pragma user_version = 1;
pragma application_id = 2054515572;
