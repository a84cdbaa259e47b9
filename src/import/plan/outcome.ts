import type { Rating } from '../../catalogue/types.ts';

/** The result of planning a record: a row to save, or nothing to do. */

export type Outcome<Row> =
  | { outcome: 'added'; row: Row }
  /** `formerIdentities` identified the record before the update. */
  | { outcome: 'updated'; row: Row; formerIdentities: string[] }
  | { outcome: 'unchanged' };

/** What new records get that do not give their own. The rating is for pictures of folders. */
export interface NewRecordDefaults {
  now: string;
  newId: () => string;
  rating: Rating;
}
