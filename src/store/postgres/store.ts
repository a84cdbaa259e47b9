/** The store in PostgreSQL: connection pools for the catalogue and the tokens, and one connection that listens. */
import type { Tuning } from '../../tuning.ts';
import type { Store } from '../store.ts';
import { PostgresCatalogue } from './catalogue.ts';
import { connect } from './connection.ts';
import { listen } from './notifications.ts';
import { Servers, type ServersOptions } from './servers.ts';
import { openTokenStore } from './tokens.ts';

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
  const catalogue = new PostgresCatalogue(servers, documents, tuning);
  const listening = listen({
    url: options.url,
    onRevision: (revision) => catalogue.onRevision(revision),
  });
  return {
    catalogue,
    tokens: openTokenStore(servers),
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
