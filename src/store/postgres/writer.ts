/** Changing the catalogue in PostgreSQL: one transaction under a lock of ours. Readers go on with the catalogue as it was. */
import type pg from 'pg';
import { repeatEntry } from '../../catalogue/document.ts';
import { fold } from '../../catalogue/fold.ts';
import type { Kind } from '../../catalogue/types.ts';
import type {
  CatalogueWriter,
  Entry,
  FixedShelves,
  ImageRow,
  SavedEntry,
  SavedImage,
} from '../../catalogue/writer.ts';
import {
  ENTRY_COLUMNS,
  FIXED_SHELVES,
  fixedShelvesIn,
  IMAGE_COLUMNS,
  orderEntries,
} from '../shared/queries.ts';
import { REWRITTEN_AT_ONCE } from '../shared/shelves.ts';
import { columns, inPieces } from './batches.ts';
import { connect, databaseError, disconnect, lock, WRITE_LOCK } from './connection.ts';
import { CHANNEL } from './notifications.ts';

/** How long a command waits for another one that is writing. */
const TIMEOUT_MS = 5000;
const LOCK_TIMEOUT = '55P03';

export async function openWriter(url: string): Promise<CatalogueWriter> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level read committed; set local lock_timeout to ${TIMEOUT_MS}; set local statement_timeout to 0;
       set local idle_in_transaction_session_timeout to 0`,
    );
    // Of tables that grow within a transaction the planner knows nothing, and would read all of them for each batch.
    await client.query('set local enable_seqscan to off');
    await lock(client, WRITE_LOCK);
    const fixed = fixedShelvesIn((await client.query(FIXED_SHELVES)).rows);
    const { rows } = await client.query('select coalesce(max(number), 0) as last from image');
    return new PostgresWriter(client, url, fixed, rows[0].last);
  } catch (error) {
    await disconnect(client);
    if ((error as { code?: string }).code === LOCK_TIMEOUT)
      throw new Error('another command is changing the catalogue; try again when it is done');
    throw databaseError(error, url);
  }
}

interface Place {
  shelf: number;
  position: number;
  image: number;
}

class PostgresWriter implements CatalogueWriter {
  readonly fixedShelves: FixedShelves;
  readonly #client: pg.Client;
  readonly #url: string;
  #lastImage: number;
  /** Sizes of the shelves touched so far; written back by `commit`. */
  readonly #sizes = new Map<number, number>();
  /** Shelves that lost an image, or gained one that is older than their last. */
  readonly #outOfOrder = new Set<number>();
  /** Categories and characters whose JSON, which their images repeat, has changed. */
  readonly #rewritten = new Map<number, Entry>();
  #entriesChanged = false;

  constructor(client: pg.Client, url: string, fixedShelves: FixedShelves, lastImage: number) {
    this.#client = client;
    this.#url = url;
    this.fixedShelves = fixedShelves;
    this.#lastImage = lastImage;
  }

  async entriesById(kind: Kind, ids: string[]): Promise<SavedEntry[]> {
    return this.#find(`select ${ENTRY_COLUMNS} from shelf where kind = $2 and id = any($1)`, ids, kind);
  }

  async entriesByName(kind: Kind, names: string[]): Promise<SavedEntry[]> {
    return kind === 'category'
      ? this.#find(`select ${ENTRY_COLUMNS} from shelf where category = any($1)`, names.map(fold))
      : this.#find(`select ${ENTRY_COLUMNS} from shelf where kind = $2 and name = any($1)`, names, kind);
  }

  async imagesById(ids: string[]): Promise<SavedImage[]> {
    return this.#find(`select ${IMAGE_COLUMNS} from image where id = any($1)`, ids);
  }

  async imagesByETag(eTags: string[]): Promise<SavedImage[]> {
    return this.#find(`select ${IMAGE_COLUMNS} from image where etag = any($1)`, eTags);
  }

  async saveEntries(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#entriesChanged = true;
    const category = ({ kind, name }: Entry) => (kind === 'category' ? fold(name) : null);
    const added = entries.filter(({ shelf }) => shelf === undefined);
    await this.#query(
      `insert into shelf (kind, id, name, category, created_at, document)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
      [
        ...columns(added, 'kind', 'id', 'name'),
        added.map(category),
        ...columns(added, 'createdAt', 'document'),
      ],
    );
    const updated = entries.filter((entry): entry is SavedEntry => entry.shelf !== undefined);
    await this.#query(
      `update shelf set name = changed.name, category = changed.category, created_at = changed.created_at,
         document = changed.document
       from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[])
         as changed (number, name, category, created_at, document)
       where changed.number = shelf.number`,
      [
        ...columns(updated, 'shelf', 'name'),
        updated.map(category),
        ...columns(updated, 'createdAt', 'document'),
      ],
    );
    for (const entry of updated) if (entry.kind !== 'artist') this.#rewritten.set(entry.shelf, entry);
  }

  async saveImages(images: { row: ImageRow; shelves: number[] }[]): Promise<void> {
    await this.#learnSizes(images.flatMap(({ shelves }) => shelves));
    const isSaved = (image: { row: ImageRow }): image is { row: SavedImage; shelves: number[] } =>
      image.row.number !== undefined;
    const weigh = ({ row }: { row: ImageRow }) => row.document.length;
    for (const piece of inPieces(
      images.filter((image) => !isSaved(image)),
      weigh,
    ))
      await this.#add(piece);
    for (const piece of inPieces(images.filter(isSaved), weigh)) await this.#update(piece);
  }

  async removeImages(ids: string[]): Promise<ImageRow[]> {
    const rows = await this.imagesById(ids);
    const numbers = rows.map(({ number }) => number);
    const { rows: left } = await this.#query(
      'delete from placement where image = any($1::int[]) returning shelf',
      [numbers],
    );
    for (const { shelf } of left) this.#outOfOrder.add(shelf);
    await this.#query('delete from image where number = any($1::int[])', [numbers]);
    return rows;
  }

  async unusedKeys(keys: string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    // By one look at every image: an index of keys would slow each import down for the sake of these rare questions.
    const used = await this.#find<{ key: string }>(
      'select distinct key from image where key = any($1)',
      keys,
    );
    const found = new Set(used.map(({ key }) => key));
    return keys.filter((key) => !found.has(key));
  }

  async renumberAll(): Promise<void> {
    await this.#query('delete from placement where image not in (select number from image)');
    const { rows } = await this.#query('select number from shelf');
    for (const { number } of rows) this.#outOfOrder.add(number);
    this.#entriesChanged = true;
  }

  async commit(): Promise<void> {
    for (const shelf of this.#outOfOrder) await this.#renumber(shelf);
    for (const [shelf, entry] of this.#rewritten) await this.#rewriteDocuments(shelf, entry);
    await this.#query(
      `update shelf set size = changed.size from unnest($1::int[], $2::int[]) as changed (number, size)
       where changed.number = shelf.number`,
      [[...this.#sizes.keys()], [...this.#sizes.values()]],
    );
    if (this.#entriesChanged) await this.#query(orderEntries);
    await this.#query(
      `with changed as (
         update revision set number = greatest(number + 1, floor(extract(epoch from clock_timestamp()) * 1000))
         returning number
       ) select pg_notify('${CHANNEL}', number::text) from changed`,
    );
    await this.#client.query('commit').catch((error) => {
      if (error.code !== undefined) throw error;
      throw new Error(
        'the connection was lost during the commit: it may have taken place; do it again to be sure',
      );
    });
    // So that the planner knows the new sizes, and positions are found in their index alone. The change is made, whatever
    // becomes of this.
    await this.#client.query('vacuum (analyze) revision, image, placement, shelf').catch(() => {});
    await disconnect(this.#client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await disconnect(this.#client);
  }

  /** A statement, whose failure says where it failed. */
  async #query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(text, values);
    } catch (error) {
      throw databaseError(error, this.#url);
    }
  }

  async #find<Row>(query: string, keys: string[], ...more: string[]): Promise<Row[]> {
    if (keys.length === 0) return [];
    return (await this.#query(query, [keys, ...more])).rows as Row[];
  }

  async #add(images: { row: ImageRow; shelves: number[] }[]): Promise<void> {
    const first = this.#lastImage + 1;
    this.#lastImage += images.length;
    const rows = images.map(({ row }, index) => ({ ...row, number: first + index }));
    await this.#query(
      `insert into image (number, id, etag, key, mimetype, document)
       select * from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
      columns(rows, 'number', 'id', 'eTag', 'key', 'mimetype', 'document'),
    );
    const places = images.flatMap(({ shelves }, index) =>
      shelves.map((shelf) => this.#placeLast(shelf, first + index)),
    );
    await this.#place(places);
  }

  async #update(images: { row: SavedImage; shelves: number[] }[]): Promise<void> {
    const rows = images.map(({ row }) => row);
    await this.#query(
      `update image set etag = changed.etag, key = changed.key, mimetype = changed.mimetype, document = changed.document
       from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[])
         as changed (number, etag, key, mimetype, document)
       where changed.number = image.number`,
      columns(rows, 'number', 'eTag', 'key', 'mimetype', 'document'),
    );
    const { rows: standing } = await this.#query(
      'select image, array_agg(shelf) as shelves from placement where image = any($1::int[]) group by image',
      columns(rows, 'number'),
    );
    const before = new Map<number, number[]>(standing.map(({ image, shelves }) => [image, shelves]));
    const left: { shelf: number; image: number }[] = [];
    const entered: Place[] = [];
    for (const { row, shelves } of images) {
      const [was, is] = [new Set(before.get(row.number)), new Set(shelves)];
      for (const shelf of was.difference(is)) left.push({ shelf, image: row.number });
      for (const shelf of is.difference(was)) entered.push(this.#placeLast(shelf, row.number));
    }
    for (const { shelf } of [...left, ...entered]) this.#outOfOrder.add(shelf);
    await this.#query(
      `delete from placement using unnest($1::int[], $2::int[]) as gone (shelf, image)
       where placement.shelf = gone.shelf and placement.image = gone.image`,
      columns(left, 'shelf', 'image'),
    );
    await this.#place(entered);
  }

  async #place(places: Place[]): Promise<void> {
    await this.#query(
      'insert into placement (shelf, position, image) select * from unnest($1::int[], $2::int[], $3::int[])',
      columns(places, 'shelf', 'position', 'image'),
    );
  }

  #placeLast(shelf: number, image: number): Place {
    const position = this.#sizes.get(shelf) as number;
    this.#sizes.set(shelf, position + 1);
    return { shelf, position, image };
  }

  async #learnSizes(shelves: number[]): Promise<void> {
    const unknown = [...new Set(shelves)].filter((shelf) => !this.#sizes.has(shelf));
    if (unknown.length === 0) return;
    const { rows } = await this.#query('select number, size from shelf where number = any($1::int[])', [
      unknown,
    ]);
    for (const { number, size } of rows) this.#sizes.set(number, size);
  }

  async #renumber(shelf: number): Promise<void> {
    // Sorting takes all rows before the first is put back, so none meets the one that it replaces.
    const { rowCount } = await this.#query(
      `with taken as (delete from placement where shelf = $1 returning image)
       insert into placement (shelf, position, image)
       select $1, row_number() over (order by image) - 1, image from taken`,
      [shelf],
    );
    this.#sizes.set(shelf, rowCount ?? 0);
  }

  async #rewriteDocuments(shelf: number, entry: Entry): Promise<void> {
    await this.#learnSizes([shelf]);
    const size = this.#sizes.get(shelf) as number;
    for (let position = 0; position < size; position += REWRITTEN_AT_ONCE) {
      const { rows } = await this.#query(
        `select number, document from placement join image on number = image
         where shelf = $1 and position >= $2 and position < $3`,
        [shelf, position, position + REWRITTEN_AT_ONCE],
      );
      const rewritten = rows.map(({ number, document }) => ({
        number,
        document: repeatEntry(document, entry),
      }));
      for (const piece of inPieces(rewritten, ({ document }) => document.length))
        await this.#query(
          `update image set document = changed.document
           from unnest($1::int[], $2::text[]) as changed (number, document) where changed.number = image.number`,
          columns(piece, 'number', 'document'),
        );
    }
  }
}
