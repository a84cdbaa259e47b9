/**
 * The statements of the catalogue. The first column of each is the revision, and each returns at least one row, so that
 * the revision is always there; the other columns are null where nothing was found.
 */
import type { Document } from '../../../catalogue/schemas.ts';
import { batchPerTick } from '../../../lib/concurrency.ts';
import { listReads, lookUps } from '../../reads.ts';
import { type ListName, SNAPSHOT_QUERY } from '../../view.ts';
import type { Servers, Statement } from './servers.ts';

/** What a query finds, as an array in one column: pg takes a tenth of the time for it that it takes for rows. */
const arrayOf = (query: string) => `to_json(array(${query}))`;
const list = (name: string, query: string) => ({
  name,
  text: `select revision.number, ${arrayOf(query)} from revision`,
});
const texts = listReads((columns) => `json_build_array(${columns})`);
export const lists = Object.fromEntries(
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
