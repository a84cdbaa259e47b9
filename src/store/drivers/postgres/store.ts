/** The store in PostgreSQL: connection pools for the catalogue and the tokens, and one connection that listens. */
import { defaultTuning, type Tuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-cache/filler.ts';
import { openCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../session.ts';
import {
  buildSnapshot,
  type Call,
  cacheVersion,
  type Driver,
  retryOnChange,
  type ShelfSnapshot,
  type SliceSizes,
  type SnapshotRow,
  type View,
} from '../../view.ts';
import { connectToRead, listen } from './connection.ts';
import { Servers, type ServersOptions } from './servers.ts';
import { openTokenStore, readLastBackup, recordBackup } from './tokens.ts';
import { documentLoader, type LoadDocuments, PostgresView, statements } from './view.ts';

/** How often the document filler looks for changes whose notification was lost. */
const POLL_MS = 1000;

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export async function openStore(
  options: ServersOptions,
  documents?: ArrayBufferLike,
  tuning?: Tuning,
): Promise<Store> {
  // Fails early if the database cannot be used.
  const { client } = await connectToRead(options.url, options.readUrls);
  const { rows } = await client.query('select number from revision');
  await client.end();
  const servers = new Servers(options);
  // A replica that has not caught up with a migration is out of date.
  servers.noteRevision(rows[0]?.number);
  const driver = new PostgresDriver(servers, tuning);
  const catalogue = openCatalogue(driver, documents, tuning);
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

// Reads the catalogue in PostgreSQL. The snapshot of shelves is cached until the revision changes, so most calls take one
// statement or none of their own. A call ends with a statement that shows that its view is current, or starts again.

/** A slice takes the server about 3 ms, and a round trip takes longer than reading 5000 names. */
const SLICE_SIZES: SliceSizes = {
  ...{ shelfBlocks: 1000, sizeBlocks: 50, termBlocks: 1000 },
  ...{ names: 5000, shelves: 5000, aliases: 5000, hashes: 5000 },
};

export class PostgresDriver implements Driver {
  readonly sliceSizes = SLICE_SIZES;
  readonly #servers: Servers;
  readonly #loadDocuments: LoadDocuments;
  readonly #snapshot: () => Promise<ShelfSnapshot>;

  constructor(servers: Servers, tuning = defaultTuning) {
    this.#servers = servers;
    this.#loadDocuments = documentLoader(servers);
    this.#snapshot = cacheVersion(
      () => this.#readSnapshot(),
      () => servers.revision,
      tuning,
    );
  }

  run<T>(call: (view: View) => Call<T>): Promise<T> {
    return retryOnChange(async () => {
      const view = new PostgresView(this.#servers, this.#loadDocuments, await this.#snapshot());
      const steps = call(view);
      let step = steps.next();
      while (!step.done) step = steps.next(await step.value);
      await view.confirm();
      return step.value;
    });
  }

  currentVersion(): number {
    return this.#servers.revision;
  }

  /** A commit announced this revision. Reads the snapshot before the next call needs it. */
  onRevision(revision: number): void {
    this.#servers.noteRevision(revision);
    this.#snapshot().catch(() => {});
  }

  async #readSnapshot(): Promise<ShelfSnapshot> {
    const { version, rows } = await this.#servers.read(statements.snapshot, []);
    const shelves = rows.map((row) => row.slice(2)) as SnapshotRow[];
    const lastImage = rows[0]?.[1] as number;
    return buildSnapshot({ version, lastImage, documentRevision: version }, shelves);
  }
}
