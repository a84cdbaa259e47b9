/** The whole catalogue in PostgreSQL, read in one transaction. */
import type pg from 'pg';
import type { CatalogueSnapshot, FixedShelves, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import {
  BLOCKED_COLUMNS,
  EDITED_IMAGES,
  FIXED_SHELVES,
  IMAGE_COLUMNS,
  IMAGE_COUNTS,
  IMPORT_RUNS,
  IS_EDITED,
  imageIdsQuery,
  isOfImportRun,
  REMOVED_COLUMNS,
  readFixedShelves,
} from '../shared/queries.ts';
import { connect, databaseError, disconnect } from './connection.ts';
import { findUnusedKeys } from './keys.ts';
import { createLookup, ENTRY_COLUMNS } from './lookup.ts';
import { isOn, isOnNo, MISNUMBERED } from './queries.ts';

const FETCH_SIZE = 1000;

export async function openSnapshot(url: string): Promise<CatalogueSnapshot> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level repeatable read read only;
       set local statement_timeout to 0; set local idle_in_transaction_session_timeout to 0`,
    );
    return snapshotOn(client, readFixedShelves((await client.query(FIXED_SHELVES)).rows));
  } catch (error) {
    await disconnect(client);
    throw databaseError(error, url);
  }
}

function snapshotOn(client: pg.Client, fixedShelves: FixedShelves): CatalogueSnapshot {
  const streamRows = createRowStreams(client);
  return {
    ...createLookup((text, values) => client.query(text, values)),
    fixedShelves,
    entries: (kind) =>
      streamRows<SavedEntry>(`select ${ENTRY_COLUMNS} from shelf where kind = '${kind}' order by position`),
    images: () => streamRows<SavedImage>(`select ${IMAGE_COLUMNS} from image order by number`),
    async *editedImages() {
      for await (const { image } of streamRows<{ image: number }>(EDITED_IMAGES)) yield image;
    },
    async imageIds({ shelves, without, isEdited, importRun }) {
      const values = [
        ...shelves,
        ...(without.length > 0 ? [without] : []),
        ...(importRun === undefined ? [] : [importRun]),
      ];
      const query = imageIdsQuery('$1', [
        ...shelves.slice(1).map((_, index) => isOn(`$${index + 2}`)),
        ...(without.length > 0 ? [isOnNo(`= any($${shelves.length + 1}::text[])`)] : []),
        ...(isEdited ? [IS_EDITED] : []),
        ...(importRun === undefined ? [] : [isOfImportRun(`$${values.length}::int`)]),
      ]);
      return (await client.query(query, values)).rows.map(({ id }) => id);
    },
    async imageCounts(kind) {
      const { rows } = await client.query(`${IMAGE_COUNTS} $1`, [kind]);
      return new Map(rows.map(({ id, size }) => [id, size]));
    },
    importRuns: async () => (await client.query(IMPORT_RUNS)).rows,
    blockedNames: () => streamRows(`select ${BLOCKED_COLUMNS} from blocked_name order by kind, key`),
    removedFiles: () => streamRows(`select ${REMOVED_COLUMNS} from removed_file order by hash`),
    async imagesByNumber(numbers) {
      const text = `select ${IMAGE_COLUMNS} from image where number = any($1::int[]) order by number`;
      return (await client.query(text, [numbers])).rows;
    },
    perceptualHashes: () => streamRows('select image, hash from perceptual_hash order by image'),
    unusedKeys: (keys) => findUnusedKeys((text, values) => client.query(text, values), keys),
    async shelvesOf(images) {
      const { rows } = await client.query(
        'select image, shelves from image_shelves where image = any($1::int[])',
        [images],
      );
      return new Map(rows.map(({ image, shelves }) => [image, shelves]));
    },
    async *misnumbered() {
      for await (const { problem } of streamRows<{ problem: string }>(MISNUMBERED)) yield problem;
    },
    async [Symbol.asyncDispose]() {
      await disconnect(client);
    },
  };
}

/** Streams the rows of queries through database cursors, in bounded memory. */
function createRowStreams(client: pg.Client) {
  let opened = 0;
  return async function* <Row>(query: string): AsyncGenerator<Row, void> {
    const cursor = `rows_${++opened}`;
    await client.query(`declare ${cursor} cursor for ${query}`);
    for (;;) {
      const { rows } = await client.query(`fetch ${FETCH_SIZE} from ${cursor}`);
      yield* rows as Row[];
      if (rows.length < FETCH_SIZE) break;
    }
    await client.query(`close ${cursor}`);
  };
}
