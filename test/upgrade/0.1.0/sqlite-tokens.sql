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
INSERT INTO token VALUES('7de29e4b-27c5-4e08-98ba-06570633a524','5990d8b6050ae0517d72c97948607ec7ad6a9396ae558379f70fefb12df87bb5','a bot','tests','["image:list"]','zukan','2026-11-16T13:53:28.986Z','2122-09-14T13:53:28.986Z',NULL);
INSERT INTO token VALUES('e8ae7490-d098-4154-a008-7cb8f9057b26','56ab611933504aeaa85e0fbb514081ade148728e1acf2d51f0d83727234365b8','x','revoked','[]','zukan','2026-11-16T13:53:29.527Z','2027-11-16T13:53:29.527Z','2026-11-16T13:53:30.602Z');
COMMIT;
pragma user_version = 1;
pragma application_id = 2054515572;
