/** The latest migrations, which both databases run as they are. Never edit a released one; append a new one. */
import type { DataMigration } from './data-migration.ts';
import { addIdentity } from './identity-migration.ts';
import { normalisePaths } from './path-migration.ts';
import { removeTitles } from './title-summary-migration.ts';

/** The last time that was noted (contract/clock.ts). */
const ADD_CLOCK = `
  create table clock (at text not null, since text not null);
  insert into clock values (coalesce((select at from change order by number desc limit 1), ''), '')`;

export const sharedMigrations: (string | DataMigration)[] = [
  normalisePaths,
  removeTitles,
  ADD_CLOCK,
  addIdentity,
  'create index if not exists trash_etag on trash (etag)',
];
