/** The whole of a catalogue in PostgreSQL, read in one transaction: as it was when the reading began. */
import type pg from 'pg';
import type { CatalogueSnapshot, FixedShelves, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import {
  ENTRY_COLUMNS,
  FIXED_SHELVES,
  fixedShelvesIn,
  IMAGE_COLUMNS,
  misnumbered,
} from '../shared/queries.ts';
import { connect, databaseError, disconnect } from './connection.ts';

/** So many rows are fetched at a time. */
const FETCHED_AT_ONCE = 1000;

export async function openSnapshot(url: string): Promise<CatalogueSnapshot> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level repeatable read read only;
       set local statement_timeout to 0; set local idle_in_transaction_session_timeout to 0`,
    );
    return snapshotOn(client, fixedShelvesIn((await client.query(FIXED_SHELVES)).rows));
  } catch (error) {
    await disconnect(client);
    throw databaseError(error, url);
  }
}

function snapshotOn(client: pg.Client, fixedShelves: FixedShelves): CatalogueSnapshot {
  const rowsOf = cursors(client);
  return {
    fixedShelves,
    entries: (kind) =>
      rowsOf<SavedEntry>(`select ${ENTRY_COLUMNS} from shelf where kind = '${kind}' order by position`),
    images: () => rowsOf<SavedImage>(`select ${IMAGE_COLUMNS} from image order by number`),
    async shelvesOf(images) {
      const { rows } = await client.query(
        'select image, array_agg(shelf) as shelves from placement where image = any($1::int[]) group by image',
        [images],
      );
      return new Map(rows.map(({ image, shelves }) => [image, shelves]));
    },
    async *misnumbered() {
      for await (const { problem } of rowsOf<{ problem: string }>(misnumbered)) yield problem;
    },
    async [Symbol.asyncDispose]() {
      await disconnect(client);
    },
  };
}

/** A function that gives the rows of a query as they are asked for, however many there are. */
function cursors(client: pg.Client) {
  let opened = 0;
  return async function* <Row>(query: string): AsyncGenerator<Row, void> {
    const cursor = `rows_${++opened}`;
    await client.query(`declare ${cursor} cursor for ${query}`);
    for (;;) {
      const { rows } = await client.query(`fetch ${FETCHED_AT_ONCE} from ${cursor}`);
      yield* rows as Row[];
      if (rows.length < FETCHED_AT_ONCE) break;
    }
    await client.query(`close ${cursor}`);
  };
}
