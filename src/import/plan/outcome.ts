/** The result of planning a record: a row to save, or nothing to do. Pure. */

export type Outcome<Row> =
  | { outcome: 'added'; row: Row }
  /** `formerIdentities` identified the record before the update. */
  | { outcome: 'updated'; row: Row; formerIdentities: string[] }
  | { outcome: 'unchanged' };

/** The id and creation time of new records that do not give their own. */
export interface NewRecordDefaults {
  now: string;
  newId: () => string;
}
