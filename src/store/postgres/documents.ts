/** Image documents by number: from the cache, or from the database. */
import { ImageDocument } from '../../catalogue/image-document.ts';
import type { Document } from '../../catalogue/types.ts';
import { batchPerTick } from '../../event-loop.ts';
import type { Metric } from '../../metrics.ts';
import { DocumentCache } from '../shared/document-cache.ts';
import type { CatalogueVersion } from '../shared/shelves.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';

/** A statement reads no more documents, so that other connections read the rest at the same time. */
const MAX_DOCUMENTS_PER_STATEMENT = 100;

type Version = Pick<CatalogueVersion, 'version'>;

/** Documents by image number, and the revision that they were read from. */
interface VersionedDocuments extends Version {
  documents: Map<number, Document>;
}

interface Load {
  numbers: number[];
  resolve: (read: Promise<VersionedDocuments>) => void;
}

export class Documents {
  readonly #servers: Servers;
  readonly #cache: DocumentCache;
  /** Calls of one tick share a statement. It starts after all of them, so none of them gets an older revision. */
  readonly #enqueue = batchPerTick<Load>((loads) => {
    for (const group of groupLoads(loads)) {
      const reading = this.#query(group.flatMap(({ numbers }) => numbers));
      for (const { resolve } of group) resolve(reading);
    }
  });

  /** `memory` is that of a cache which another part fills (document-filler.ts). */
  constructor(servers: Servers, memory: ArrayBufferLike) {
    this.#servers = servers;
    this.#cache = new DocumentCache(memory);
  }

  /** Returns undefined if the catalogue no longer has this version. */
  read(numbers: number[], of: Version): Promise<ImageDocument[] | undefined> {
    return this.#read(numbers, of, false);
  }

  /** The same for numbers that were read from this version just now: if all are cached, no statement is needed. */
  complete(numbers: number[], of: Version): Promise<ImageDocument[] | undefined> {
    return this.#read(numbers, of, true);
  }

  metrics(): Metric[] {
    return this.#cache.metrics();
  }

  async #read(numbers: number[], { version }: Version, isCurrent: boolean) {
    const cached = this.#cache.get(numbers, version);
    const missing = numbers.filter((_, index) => !cached[index]);
    if (missing.length === 0 && isCurrent) return cached as ImageDocument[];
    const read = await this.#load(missing);
    if (read.version !== version) return undefined;
    return numbers.map(
      (number, index) => cached[index] ?? new ImageDocument(read.documents.get(number) as Document),
    );
  }

  #load(numbers: number[]): Promise<VersionedDocuments> {
    return new Promise((resolve) => this.#enqueue({ numbers, resolve }));
  }

  async #query(numbers: number[]): Promise<VersionedDocuments> {
    if (numbers.length === 0)
      return { ...(await this.#servers.read(statements.revision, [])), documents: new Map() };
    const { version, rows } = await this.#servers.read(statements.documents, [numbers]);
    return { version, documents: new Map(rows.map((row) => row.slice(1) as [number, Document])) };
  }
}

function* groupLoads(loads: Load[]): Generator<Load[], void> {
  let group: Load[] = [];
  let count = 0;
  for (const load of loads) {
    if (group.length > 0 && count + load.numbers.length > MAX_DOCUMENTS_PER_STATEMENT) {
      yield group;
      group = [];
      count = 0;
    }
    group.push(load);
    count += load.numbers.length;
  }
  yield group;
}
