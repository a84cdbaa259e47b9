/** Documents by number. The calls of one tick share statements, and with them the check of the revision. */
import type { Document } from '../../../catalogue/types.ts';
import { batchPerTick } from '../../../lib/event-loop.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';

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

export class DocumentLoads {
  readonly #servers: Servers;
  /** The statement starts after all calls of the tick, so none of them gets an older revision. */
  readonly #enqueue = batchPerTick<Load>((loads) => {
    for (const group of groupLoads(loads)) {
      const reading = this.#query(group.flatMap(({ images }) => images));
      for (const { resolve } of group) resolve(reading);
    }
  });

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Reads documents or, without images, the revision only. */
  read(images: number[]): Promise<VersionedDocuments> {
    return new Promise((resolve) => this.#enqueue({ images, resolve }));
  }

  async #query(images: number[]): Promise<VersionedDocuments> {
    if (images.length === 0)
      return { ...(await this.#servers.read(statements.revision, [])), documents: new Map() };
    const { version, rows } = await this.#servers.read(statements.documents, [images]);
    return {
      version,
      documents: new Map(rows.map(([, image, document]) => [image as number, document as string])),
    };
  }
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
