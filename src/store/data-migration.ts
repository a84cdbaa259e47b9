/**
 * Migrations that SQL alone cannot express. They are generators, because one database answers at once and the other one
 * later: they yield statements, and get their rows.
 */
export type Value = string | number | null | readonly number[];

/** Values are bound to `$1`, `$2` and so on. */
export interface Statement {
  text: string;
  values: Value[];
}

/** Passes on what makes random ids. */
export type DataMigration = (newId: NewId) => Generator<Statement, void, unknown[]>;
export type NewId = () => string;

export function* query<T>(text: string, ...values: Value[]): Generator<Statement, T[], unknown[]> {
  return (yield { text, values }) as T[];
}

/** Undefined if it is damaged. It then stays as it is, for `zukan check` to find. */
export function parse<T>(json: string): T | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
