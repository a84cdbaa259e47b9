/** The store in PostgreSQL: connection pools for the catalogue and the tokens, and one connection that listens. */
import type { Tuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-filler.ts';
import { StoredCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../store.ts';
import { connect } from './connection.ts';
import { PostgresDriver } from './driver.ts';
import { readLastBackup, recordBackup } from './last-backup.ts';
import { listen } from './notifications.ts';
import { Servers, type ServersOptions } from './servers.ts';
import { openTokenStore } from './tokens.ts';

/** How often the document filler looks for changes whose notification was lost. */
const POLL_MS = 1000;

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export async function openStore(
  options: ServersOptions,
  documents?: ArrayBufferLike,
  tuning?: Tuning,
): Promise<Store> {
  // Migrates the schema, and fails early if the database cannot be used.
  const client = await connect(options.url);
  const { rows } = await client.query('select number from revision');
  await client.end();
  const servers = new Servers(options);
  // A replica that has not caught up with a migration is out of date.
  servers.noteRevision(rows[0]?.number);
  const driver = new PostgresDriver(servers, tuning);
  const catalogue = new StoredCatalogue(driver, documents, tuning);
  const listening = listen({
    url: options.url,
    onRevision: (revision) => driver.onRevision(revision),
  });
  return {
    catalogue,
    tokens: openTokenStore(servers),
    lastBackup: () => readLastBackup(servers),
    recordBackup: (backup) => recordBackup(servers, backup),
    metrics: () => [...servers.metrics(), ...catalogue.metrics()],
    degradedReason: () => servers.degradedReason(),
    // PostgreSQL has checksums of its own.
    verify: async () => {},
    async [Symbol.asyncDispose]() {
      await listening.close();
      await servers.close();
    },
  };
}

export async function fillDocumentCache(
  options: ServersOptions,
  memory: ArrayBufferLike,
  documentsPerSlice?: number,
): Promise<AsyncDisposable> {
  const servers = new Servers({ ...options, connections: 1 });
  const driver = new PostgresDriver(servers);
  const filler = new DocumentFiller(driver, memory, documentsPerSlice);
  const listening = listen({
    url: options.url,
    onRevision(revision) {
      driver.onRevision(revision);
      filler.wake();
    },
  });
  void filler.run(POLL_MS);
  return {
    async [Symbol.asyncDispose]() {
      filler[Symbol.dispose]();
      await Promise.all([listening.close(), servers.close()]);
    },
  };
}
