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
INSERT INTO token VALUES('433d7582-1807-4f0e-9982-d2265487ea22','cc3bab49dee234f1e67d46f26da8eb6f76623e9874933122491b357951bd8f24','a bot','tests','["image:list"]','zukan','2026-11-17T23:53:30.913Z','2122-09-15T23:53:30.913Z',NULL);
INSERT INTO token VALUES('f35840ec-748d-425b-9fb8-b11cd8fa4b54','54ad596f605594c3ff6c5f033e9e23e8b0cc81d51a98381044557e706765b4a7','x','revoked','[]','zukan','2026-11-17T23:53:32.042Z','2027-11-17T23:53:32.042Z','2026-11-17T23:53:34.272Z');
COMMIT;
pragma user_version = 1;
pragma application_id = 2054515572;
