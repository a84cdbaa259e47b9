/** Gives a catalogue a random identity, which tells its files, tokens and backups from those of others. */
import { type DataMigration, query } from './data-migration.ts';

export const addIdentity: DataMigration = function* (newId) {
  yield* query('create table if not exists identity (id text not null)');
  yield* query('insert into identity select $1 where not exists (select 1 from identity)', newId());
};
