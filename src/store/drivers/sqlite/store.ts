/** The embedded store: the catalogue and the tokens, one file each. */
import { statSync } from 'node:fs';
import { defaultTuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-filler.ts';
import type { NewId } from '../../migrations/migrations.ts';
import { StoredCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../store.ts';
import { closeDatabase, migrateDatabase, openDatabase } from './database.ts';
import { SqliteDriver } from './driver.ts';
import { readLastBackup, recordBackup } from './last-backup.ts';
import { isOnReadOnlyDisk, openForReading } from './read-only.ts';
import { catalogueSchema, tokenSchema } from './schema.ts';
import { blame, openTokenStore } from './tokens.ts';
import { DamagedError } from './verification.ts';

/** How often the document filler looks for changes. */
const POLL_MS = 200;

export function createCatalogue(path: string, newId: NewId): void {
  closeDatabase(openDatabase(path, catalogueSchema, newId), path);
}

export function migrateCatalogue(path: string, tokensPath: string, onStart: () => void): void {
  if (isOnReadOnlyDisk(path)) return;
  migrateDatabase(path, catalogueSchema, onStart);
  blame(tokensPath, () => migrateDatabase(tokensPath, tokenSchema, onStart));
}

export function openDriver(path: string, tuning = defaultTuning): SqliteDriver {
  return new SqliteDriver(openForReading(path, catalogueSchema), tuning);
}

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export function openStore(
  path: string,
  tokensPath: string,
  documents?: ArrayBufferLike,
  tuning = defaultTuning,
): Store {
  const driver = openDriver(path, tuning);
  const file = fileOf(path);
  const catalogue = new StoredCatalogue(driver, documents, tuning);
  const tokens = openTokenStore(tokensPath, path, tuning);
  return {
    catalogue,
    tokens,
    lastBackup: async () => readLastBackup(tokensPath),
    recordBackup: async (backup) => recordBackup(tokensPath, backup),
    metrics: () => catalogue.metrics(),
    degradedReason: () => undefined,
    async verify() {
      if (fileOf(path) !== file)
        throw new DamagedError(`${path} was removed, emptied or replaced; restart the server`);
      await driver.verify();
    },
    async [Symbol.asyncDispose]() {
      driver[Symbol.dispose]();
      tokens[Symbol.dispose]();
    },
  };
}

/** What identifies the file under this name, unless it is empty. The connection keeps one that was removed. */
function fileOf(path: string): number | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.size ? facts.ino : undefined;
}

export function fillDocumentCache(
  path: string,
  memory: ArrayBufferLike,
  documentsPerSlice?: number,
): AsyncDisposable {
  const driver = openDriver(path);
  const filler = new DocumentFiller(driver, memory, documentsPerSlice);
  void filler.run(POLL_MS);
  return {
    async [Symbol.asyncDispose]() {
      filler[Symbol.dispose]();
      driver[Symbol.dispose]();
    },
  };
}
