/** Schema migrations of a database file. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type DataMigration,
  missingSteps,
  type NewId,
  newestStep,
  type Schema,
} from '../../migrations/migrations.ts';
import { OutdatedCatalogue } from '../../session.ts';

/** The file's `user_version` counts the steps applied. */
export interface FileSchema extends Schema {
  /** Stored in the file, so that another program's database is never migrated by mistake. */
  application: number;
}

/** Documents of 1 to 2 kB waste a sixth of pages of 4 kB, SQLite's default: importing them takes a quarter more CPU time. */
const PAGE_SIZE = 8192;

/** Creates the schema in a new file. Throws if the file has an older one. */
export function requireSchema(database: DatabaseSync, schema: FileSchema, newId: NewId): void {
  // Takes no lock, so that commands can start while an import runs.
  if (pragma(database, 'user_version') === 0 && !isCurrent(database, schema))
    migrate(database, schema, newId);
  else requireCurrent(database, schema);
}

export function requireCurrent(database: DatabaseSync, schema: FileSchema): void {
  if (!isCurrent(database, schema)) throw new OutdatedCatalogue();
}

/** Applies the missing steps under the write lock, so that several processes may start at once. */
export function migrate(database: DatabaseSync, schema: FileSchema, newId: NewId): void {
  // Of a new file only.
  database.exec(`pragma page_size = ${PAGE_SIZE}; pragma journal_mode = wal`);
  database.exec('begin immediate');
  try {
    for (const step of missingSteps(schema, pragma(database, 'user_version')))
      if (typeof step === 'string') database.exec(step);
      else migrateData(database, step(newId));
    database.exec(`pragma application_id = ${schema.application}`);
    database.exec(`pragma user_version = ${newestStep(schema)}`);
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

function migrateData(database: DatabaseSync, statements: ReturnType<DataMigration>): void {
  const prepared = new Map<string, StatementSync>();
  let next = statements.next();
  while (!next.done) {
    const { text, values } = next.value;
    const statement = prepared.get(text) ?? database.prepare(text.replaceAll('$', '?'));
    prepared.set(text, statement);
    next = statements.next(statement.all(...(values as SQLInputValue[])));
  }
}

/** Whether no step is missing. Throws if this version cannot migrate the file. */
export function isCurrent(database: DatabaseSync, schema: FileSchema): boolean {
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as {
    tables: number;
  };
  if (tables > 0 && pragma(database, 'application_id') !== schema.application)
    throw new Error('the database file belongs to another program; name another file in DATABASE_URL');
  return missingSteps(schema, pragma(database, 'user_version')).length === 0;
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}
