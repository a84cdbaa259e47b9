/** The store in PostgreSQL: connection pools for the catalogue and the tokens, and one connection that listens. */
import type { Store } from '../store.ts';
import { PostgresCatalogue } from './catalogue.ts';
import { connect } from './connection.ts';
import { listen } from './notifications.ts';
import { Servers, type ServersOptions } from './servers.ts';
import { openTokenStore } from './tokens.ts';

export async function openStore(options: ServersOptions): Promise<Store> {
  // Migrates the schema, and fails early if the database cannot be used.
  await (await connect(options.url)).end();
  const servers = new Servers(options);
  const catalogue = new PostgresCatalogue(servers);
  const listening = listen({
    url: options.url,
    onRevision: (revision) => catalogue.onRevision(revision),
  });
  return {
    catalogue,
    tokens: openTokenStore(servers),
    metrics: () => servers.metrics(),
    degradedReason: () => servers.degradedReason(),
    // PostgreSQL has checksums of its own.
    verify: async () => {},
    async [Symbol.asyncDispose]() {
      await listening.close();
      await servers.close();
    },
  };
}
