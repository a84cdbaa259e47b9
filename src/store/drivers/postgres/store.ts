/** The store in PostgreSQL: connection pools for the catalogue and the tokens, and one connection that listens. */
import type { Document, Kind } from '../../../catalogue/schemas.ts';
import { toByteString } from '../../../lib/byte-string.ts';
import { batchPerTick } from '../../../lib/concurrency.ts';
import { defaultTuning, type Tuning } from '../../../lib/tuning.ts';
import { DocumentFiller } from '../../document-cache/filler.ts';
import { openCatalogue } from '../../read/catalogue.ts';
import type { Store } from '../../session.ts';
import {
  buildSnapshot,
  type Call,
  cacheVersion,
  type DocumentChanges,
  type Driver,
  type EntryRow,
  expectVersion,
  type ListName,
  type Lists,
  listReads,
  lookUps,
  retryOnChange,
  type Shelf,
  type ShelfSnapshot,
  type SliceSizes,
  SNAPSHOT_QUERY,
  type SnapshotRow,
  type StoredEntry,
  toEntry,
  type View,
} from '../../view.ts';
import { connectToRead, listen } from './connection.ts';
import { Servers, type ServersOptions, type Statement } from './servers.ts';
import { openTokenStore, readLastBackup, recordBackup } from './tokens.ts';

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

// One version of the catalogue in PostgreSQL, and the statements that read it.

// The statements of the catalogue. The first column of each is the revision, and each returns at least one row, so that
// the revision is always there; the other columns are null where nothing was found.

/** What a query finds, as an array in one column: pg takes a tenth of the time for it that it takes for rows. */
const arrayOf = (query: string) => `to_json(array(${query}))`;
const list = (name: string, query: string) => ({
  name,
  text: `select revision.number, ${arrayOf(query)} from revision`,
});
const texts = listReads((columns) => `json_build_array(${columns})`);
const lists = Object.fromEntries(
  Object.entries(texts).map(([name, query]) => [name, list(name, query)]),
) as Record<ListName, Statement>;

const rows = (name: string, query: string, order = '') => ({
  name,
  text: `select revision.number, found.* from revision left join lateral (${query}) as found on true ${order}`,
});
/**
 * Looks up each by itself, as `offset 0` demands. With `position = any(…)` the planner, which expects a shelf of average
 * size, reads the whole shelf: 2.3 instead of 0.1 ms for ten thousand images.
 */
const each = (lookUp: string) => `lateral (${lookUp} offset 0) as found`;

export const statements = {
  revision: { name: 'revision', text: 'select number from revision' },
  snapshot: {
    name: 'snapshot',
    text: `select revision.number, (select coalesce(max(number), 0) from image), shelves.* from revision, (
             ${SNAPSHOT_QUERY}) as shelves`,
  },
  imageNumber: rows('image_number', lookUps.imageNumber('$1')),
  entry: rows('entry', lookUps.entry('$1', '$2')),
  entryShelves: {
    name: 'entry_shelves',
    text: `select revision.number, found.* from revision
           cross join unnest($2::text[]) with ordinality as requested (id, turn)
           left join ${each(lookUps.entryShelf('$1', 'requested.id'))} on true order by requested.turn`,
  },
  entries: rows(
    'entries',
    `select found.*, requested.turn from unnest($2::int[]) with ordinality as requested (position, turn)
     cross join ${each(lookUps.entryAt('$1', 'requested.position'))}`,
    'order by found.turn',
  ),
  documents: rows(
    'documents',
    `select requested.number, found.document from unnest($1::int[]) as requested (number)
     cross join ${each(lookUps.document('requested.number'))}`,
  ),
  imageSizes: list(
    'image_sizes',
    `select json_build_array(requested.number, found.width, found.height)
     from unnest($1::int[]) with ordinality as requested (number, turn)
     cross join ${each(lookUps.imageSize('requested.number'))} order by requested.turn`,
  ),
  // Images whose document was changed, or that were removed: $4 of them, after the change $2 of the image $3. The second
  // column says whether the catalogue had the revision $1.
  documentChanges: {
    name: 'document_changes',
    text: `select revision.number,
             exists (select from past_revision where past_revision.number = $1),
             change.number, change.image from revision
           left join lateral (
             select number, image from document_change where (number, image) > ($2::float8, $3::int)
             order by number, image limit $4
           ) as change on true order by change.number, change.image`,
  },
} satisfies Record<string, Statement>;

// Documents by number. The calls of one tick share statements, and with them the check of the revision.

/** A statement reads no more documents, so that other connections read the rest at the same time. */
const MAX_DOCUMENTS_PER_STATEMENT = 100;

/** Documents by image number, and the revision that they were read from. */
interface VersionedDocuments {
  version: number;
  documents: Map<number, Document>;
}

interface Load {
  images: number[];
  resolve: (read: Promise<VersionedDocuments>) => void;
}

/** Reads documents or, without images, the revision only. */
export type LoadDocuments = (images: number[]) => Promise<VersionedDocuments>;

export function documentLoader(servers: Servers): LoadDocuments {
  const query = async (images: number[]): Promise<VersionedDocuments> => {
    if (images.length === 0)
      return { ...(await servers.read(statements.revision, [])), documents: new Map() };
    const { version, rows } = await servers.read(statements.documents, [images]);
    return {
      version,
      documents: new Map(rows.map(([, image, document]) => [image as number, document as string])),
    };
  };
  /** The statement starts after all calls of the tick, so none of them gets an older revision. */
  const enqueue = batchPerTick<Load>((loads) => {
    for (const group of groupLoads(loads)) {
      const reading = query(group.flatMap(({ images }) => images));
      for (const { resolve } of group) resolve(reading);
    }
  });
  return (images) => new Promise((resolve) => enqueue({ images, resolve }));
}

function* groupLoads(loads: Load[]): Generator<Load[], void> {
  let group: Load[] = [];
  let count = 0;
  for (const load of loads) {
    if (group.length > 0 && count + load.images.length > MAX_DOCUMENTS_PER_STATEMENT) {
      yield group;
      group = [];
      count = 0;
    }
    group.push(load);
    count += load.images.length;
  }
  yield group;
}

// One version of the catalogue in PostgreSQL. Every statement reports the revision that it read; if that is not the
// view's, the catalogue has changed.

const MAX_INT = 2 ** 31 - 1;

/** Columns after the revision. Where nothing was found, the first of them is null. */
type Columns<Row extends unknown[]> = Row | [null, ...unknown[]];

export class PostgresView implements View {
  readonly snapshot: ShelfSnapshot;
  readonly #servers: Servers;
  readonly #loadDocuments: LoadDocuments;
  /** Whether a statement has shown that the view was current after it was opened. */
  #isConfirmed = false;

  constructor(servers: Servers, loadDocuments: LoadDocuments, snapshot: ShelfSnapshot) {
    this.#servers = servers;
    this.#loadDocuments = loadDocuments;
    this.snapshot = snapshot;
  }

  /** The snapshot may be older than the call, so a call without any statement needs one. */
  async confirm(): Promise<void> {
    if (!this.#isConfirmed) await this.#load([]);
  }

  async imageNumber(id: string): Promise<number | undefined> {
    const [[number]] = await this.#query<[number]>(statements.imageNumber, id);
    return number ?? undefined;
  }

  async entry(kind: Kind, id: string): Promise<StoredEntry | undefined> {
    const rows = await this.#query<EntryRow<string>>(statements.entry, kind, id);
    return rows.flatMap(readEntry)[0];
  }

  async entryShelves(kind: Kind, ids: string[]): Promise<(Shelf | undefined)[]> {
    const rows = await this.#query<[number, number]>(statements.entryShelves, kind, ids);
    return rows.map(([number, size]) => (number === null ? undefined : { number, size: size as number }));
  }

  async entriesAt(kind: Kind, positions: number[]): Promise<StoredEntry[]> {
    const rows = await this.#query<EntryRow<string>>(statements.entries, kind, positions);
    return rows.flatMap(readEntry);
  }

  async documents(images: number[]): Promise<Document[]> {
    const documents = await this.#load(images);
    return images.map((image) => documents.get(image) as Document);
  }

  async wholeDocuments(images: number[]): Promise<[image: number, document: Document][]> {
    return [...(await this.#load(images))];
  }

  async documentChanges(
    since: number,
    after: DocumentChanges['next'] = [since, MAX_INT],
    limit: number,
  ): Promise<DocumentChanges> {
    const rows = await this.#query<[boolean, number | null, number]>(
      statements.documentChanges,
      since,
      ...after,
      limit,
    );
    const changes = rows.flatMap(([, revision, image]): [number, number][] =>
      revision === null ? [] : [[revision as number, image as number]],
    );
    return {
      isSuccessor: rows[0]?.[0] === true,
      images: changes.map(([, image]) => image),
      next: changes.length < limit ? undefined : changes.at(-1),
    };
  }

  imageSizes(images: number[]): Promise<[image: number, width: number, height: number][]> {
    return this.#list(statements.imageSizes, images);
  }

  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Promise<Lists[Name][1][]> {
    return this.#list(lists[name], ...parameters);
  }

  /** The rows of a statement, at least one, without the revision. */
  async #query<Row extends unknown[]>(statement: Statement, ...values: unknown[]) {
    const { version, rows } = await this.#servers.read(statement, values);
    this.#confirm(version);
    return rows.map((row) => row.slice(1)) as [Columns<Row>, ...Columns<Row>[]];
  }

  /** For statements whose second column is an array. */
  async #list<T>(statement: Statement, ...values: unknown[]): Promise<T[]> {
    const { version, rows } = await this.#servers.read(statement, values);
    this.#confirm(version);
    return rows[0]?.[1] as T[];
  }

  async #load(images: number[]): Promise<Map<number, Document>> {
    const { version, documents } = await this.#loadDocuments(images);
    this.#confirm(version);
    return documents;
  }

  #confirm(version: number): void {
    expectVersion(version, this.snapshot.version);
    this.#isConfirmed = true;
  }
}

const readEntry = (row: Columns<EntryRow<string>>): StoredEntry[] =>
  row[0] === null ? [] : [toEntry(row as EntryRow<string>, toByteString(row[2] as string))];
