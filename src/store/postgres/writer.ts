/** Writes the catalogue in PostgreSQL: one transaction under an advisory lock. Readers see the old catalogue until the commit. */
import type pg from 'pg';
import { updateEntry } from '../../catalogue/document.ts';
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
  IMAGE_COLUMNS,
  NUMBER_ENTRIES,
  REWRITE_BATCH_SIZE,
  readFixedShelves,
} from '../shared/queries.ts';
import { columns, splitBatches } from './batches.ts';
import { connect, databaseError, disconnect, lock, WRITE_LOCK } from './connection.ts';
import { findUnusedKeys } from './keys.ts';
import { CHANNEL } from './notifications.ts';
import { type HashedImage, saveHashes } from './perceptual-hashes.ts';
import { type Placed, Placements } from './placements.ts';
import { sourceFileWriter } from './source-files.ts';

/** How long a command waits for another one to finish writing. */
const LOCK_TIMEOUT_MS = 5000;
const LOCK_NOT_AVAILABLE = '55P03';

export async function openWriter(url: string): Promise<CatalogueWriter> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level read committed; set local lock_timeout to ${LOCK_TIMEOUT_MS}; set local statement_timeout to 0;
       set local idle_in_transaction_session_timeout to 0`,
    );
    // The planner has no statistics of tables that grow within a transaction, and would scan them for each batch.
    await client.query('set local enable_seqscan to off');
    await lock(client, WRITE_LOCK);
    const fixedShelves = readFixedShelves((await client.query(FIXED_SHELVES)).rows);
    const { rows } = await client.query('select coalesce(max(number), 0) as last from image');
    return new PostgresWriter(client, url, fixedShelves, rows[0].last);
  } catch (error) {
    await disconnect(client);
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE)
      throw new Error('another command is changing the catalogue; try again when it has finished');
    throw databaseError(error, url);
  }
}

class PostgresWriter implements CatalogueWriter {
  readonly fixedShelves: FixedShelves;
  readonly #client: pg.Client;
  readonly #url: string;
  readonly #placements = new Placements((text, values) => this.#query(text, values));
  readonly savePerceptualHashes = (images: HashedImage[]) =>
    saveHashes((text, values) => this.#query(text, values), images);
  readonly sourceFiles = sourceFileWriter((text, values) => this.#query(text, values));
  #lastImage: number;
  /** Entries that changed. Their images' documents contain their JSON. */
  readonly #changedEntries = new Map<number, Entry>();
  #haveEntriesChanged = false;

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
    this.#haveEntriesChanged = true;
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
    for (const entry of updated) this.#changedEntries.set(entry.shelf, entry);
  }

  async saveImages(images: { row: ImageRow; shelves: number[] }[]): Promise<void> {
    const [added, updated] = [[] as NumberedImage[], [] as NumberedImage[]];
    for (const { row, shelves } of images)
      if (row.number === undefined) added.push({ row: { ...row, number: ++this.#lastImage }, shelves });
      else updated.push({ row: { ...row, number: row.number }, shelves });
    const length = ({ row }: NumberedImage) => row.document.length;
    for (const batch of splitBatches(added, length)) await this.#add(batch);
    for (const batch of splitBatches(updated, length)) await this.#update(batch);
  }

  async removeImages(ids: string[]): Promise<ImageRow[]> {
    const rows = await this.imagesById(ids);
    const numbers = rows.map(({ number }) => number);
    await this.#placements.remove(numbers);
    await this.#query('delete from image where number = any($1::int[])', [numbers]);
    await this.savePerceptualHashes(rows.map(({ number }) => ({ number, perceptualHash: null })));
    return rows;
  }

  async unusedKeys(keys: string[]): Promise<string[]> {
    return findUnusedKeys((text, values) => this.#query(text, values), keys);
  }

  async renumberAll(): Promise<void> {
    await this.#query('delete from perceptual_hash where image not in (select number from image)');
    await this.#placements.renumberAll();
    this.#haveEntriesChanged = true;
  }

  async commit(): Promise<void> {
    await this.#placements.renumber();
    for (const [shelf, entry] of this.#changedEntries) await this.#rewriteDocuments(shelf, entry);
    await this.#placements.saveSizes();
    if (this.#haveEntriesChanged) await this.#query(NUMBER_ENTRIES);
    await this.#query(
      `with changed as (
         update revision set number = greatest(number + 1, floor(extract(epoch from clock_timestamp()) * 1000))
         returning number
       ) select pg_notify('${CHANNEL}', number::text) from changed`,
    );
    await this.#client.query('commit').catch((error) => {
      if (error.code !== undefined) throw error;
      throw new Error(
        'the connection was lost during the commit, so the change may or may not be saved; repeat the command to be sure',
      );
    });
    // Updates the planner's statistics and the visibility map, which index-only scans need. The commit is done either way.
    await this.#client
      .query('vacuum (analyze) revision, image, placement, shelf, perceptual_hash, source_file')
      .catch(() => {});
    await disconnect(this.#client);
  }

  /** Without a commit, the server rolls back. */
  async [Symbol.asyncDispose](): Promise<void> {
    await disconnect(this.#client);
  }

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

  async #add(images: NumberedImage[]): Promise<void> {
    await this.#query(
      `insert into image (number, id, etag, key, mimetype, document)
       select * from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
      columns(
        images.map(({ row }) => row),
        ...(['number', 'id', 'eTag', 'key', 'mimetype', 'document'] as const),
      ),
    );
    await this.#placements.append(images.map(placed));
    await this.savePerceptualHashes(images.map(({ row }) => row));
  }

  async #update(images: NumberedImage[]): Promise<void> {
    await this.#query(
      `update image set etag = changed.etag, key = changed.key, mimetype = changed.mimetype, document = changed.document
       from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[])
         as changed (number, etag, key, mimetype, document)
       where changed.number = image.number`,
      columns(
        images.map(({ row }) => row),
        ...(['number', 'eTag', 'key', 'mimetype', 'document'] as const),
      ),
    );
    await this.#placements.move(images.map(placed));
    await this.savePerceptualHashes(images.map(({ row }) => row));
  }

  async #rewriteDocuments(shelf: number, entry: Entry): Promise<void> {
    const size = await this.#placements.size(shelf);
    for (let position = 0; position < size; position += REWRITE_BATCH_SIZE) {
      const { rows } = await this.#query(
        `select number, document from placement join image on number = image
         where shelf = $1 and position >= $2 and position < $3`,
        [shelf, position, position + REWRITE_BATCH_SIZE],
      );
      const rewritten = rows.map((row) => ({ ...row, document: updateEntry(row.document, entry) }));
      for (const batch of splitBatches(rewritten, ({ document }) => document.length))
        await this.#query(
          `update image set document = changed.document
           from unnest($1::int[], $2::text[]) as changed (number, document) where changed.number = image.number`,
          columns(batch, 'number', 'document'),
        );
    }
  }
}

interface NumberedImage {
  row: SavedImage;
  shelves: number[];
}

function placed({ row, shelves }: NumberedImage): Placed {
  return { image: row.number, shelves };
}
