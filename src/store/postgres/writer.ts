/** Writes the catalogue in PostgreSQL: one transaction under an advisory lock. Readers see the old catalogue until the commit. */
import type pg from 'pg';
import { updateEntry } from '../../catalogue/document.ts';
import type { ImportRunWriter } from '../../catalogue/import-runs.ts';
import type {
  CatalogueWriter,
  Entry,
  FixedShelves,
  ImageRow,
  PlacedImage,
  SavedEntry,
  SavedImage,
} from '../../catalogue/writer.ts';
import {
  DANGLING,
  FIXED_SHELVES,
  IMAGE_COLUMNS,
  NUMBER_ENTRIES,
  REWRITE_BATCH_SIZE,
  readFixedShelves,
} from '../shared/queries.ts';
import { type LockOptions, LockTimeout } from '../shared/write-lock.ts';
import { columns, splitBatches } from './batches.ts';
import { connect, databaseError, disconnect, waitForWriteLock } from './connection.ts';
import { copyRows, formatRows } from './copy.ts';
import { createDecisions } from './decisions.ts';
import { addEntries, removeEntries, saveAliases, updateEntries } from './entries.ts';
import { addDetails, removeDetailsFrom, saveEdited, saveHashes } from './image-details.ts';
import { CLIP_RUNS, importRunWriter } from './import-runs.ts';
import { findUnusedKeys } from './keys.ts';
import { createLookup } from './lookup.ts';
import { CHANNEL } from './notifications.ts';
import { type Copy, type Placed, Placements, type Query } from './placements.ts';
import { sourceFileWriter } from './source-files.ts';
import { tokenRestorer } from './tokens.ts';

export async function openWriter(url: string, options?: LockOptions): Promise<CatalogueWriter> {
  const client = await connect(url);
  try {
    await client.query(
      `begin isolation level read committed; set local statement_timeout to 0;
       set local idle_in_transaction_session_timeout to 0`,
    );
    // The planner has no statistics of tables that grow within a transaction, and would scan them for each batch.
    await client.query('set local enable_seqscan to off');
    await waitForWriteLock(client, options);
    const fixedShelves = readFixedShelves((await client.query(FIXED_SHELVES)).rows);
    const { rows } = await client.query('select coalesce(max(number), 0) as last from image');
    await client.query(CLIP_RUNS, [rows[0].last]);
    return new PostgresWriter(client, url, fixedShelves, rows[0].last);
  } catch (error) {
    await disconnect(client);
    throw error instanceof LockTimeout ? error : databaseError(error, url);
  }
}

class PostgresWriter implements CatalogueWriter {
  readonly fixedShelves: FixedShelves;
  readonly #client: pg.Client;
  readonly #url: string;
  readonly #query: Query = (text, values = []) => this.#explained(this.#client.query(text, values));
  readonly #copy: Copy = (target, rows) => this.#explained(copyRows(this.#client, target, rows));
  readonly #placements: Placements;
  readonly #lookup = createLookup(this.#query);
  readonly decisions = createDecisions(this.#query);
  readonly sourceFiles = sourceFileWriter(this.#query);
  readonly restoreTokens = tokenRestorer(this.#query);
  readonly importRuns: ImportRunWriter;
  readonly entriesById = this.#lookup.entriesById;
  readonly entriesByName = this.#lookup.entriesByName;
  readonly entriesByAlias = this.#lookup.entriesByAlias;
  readonly entryNames = this.#lookup.entryNames;
  readonly imagesById = this.#lookup.imagesById;
  #lastImage: number;
  /** Entries that changed. Their images' documents contain their JSON. */
  readonly #changedEntries = new Map<number, Entry>();
  #haveEntriesChanged = false;

  constructor(client: pg.Client, url: string, fixedShelves: FixedShelves, lastImage: number) {
    this.#client = client;
    this.#url = url;
    this.fixedShelves = fixedShelves;
    this.#placements = new Placements(this.#query, this.#copy, fixedShelves.rating.sfw);
    this.#lastImage = lastImage;
    this.importRuns = importRunWriter(this.#query, lastImage);
  }

  async #explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw databaseError(error, this.#url);
    }
  }

  async *imagesOn(shelf: number): AsyncGenerator<SavedImage[], void> {
    await this.#placements.write();
    yield* this.#lookup.imagesOn(shelf);
  }

  async imagesByETag(eTags: string[]): Promise<SavedImage[]> {
    if (eTags.length === 0) return [];
    return (await this.#query(`select ${IMAGE_COLUMNS} from image where etag = any($1)`, [eTags])).rows;
  }

  async saveEntries(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#haveEntriesChanged = true;
    const isUpdated = (entry: Entry): entry is Entry & { shelf: number } => entry.shelf !== undefined;
    await addEntries(
      this.#query,
      entries.filter((entry) => !isUpdated(entry)),
    );
    const updated = entries.filter(isUpdated);
    await updateEntries(this.#query, updated);
    for (const entry of updated) this.#changedEntries.set(entry.shelf, entry);
  }

  async saveAliases(entry: SavedEntry): Promise<void> {
    await saveAliases(this.#query, [entry]);
  }

  async removeEntries(entries: SavedEntry[]): Promise<void> {
    this.#haveEntriesChanged = true;
    await this.#placements.write();
    await removeEntries(this.#query, entries);
    for (const { shelf } of entries) this.#changedEntries.delete(shelf);
  }

  async saveImages(images: PlacedImage[]): Promise<void> {
    const [added, updated] = [[] as NumberedImage[], [] as NumberedImage[]];
    for (const { row, shelves } of images)
      if (row.number === undefined) added.push({ row: { ...row, number: ++this.#lastImage }, shelves });
      else updated.push({ row: { ...row, number: row.number }, shelves });
    if (added[0]) await removeDetailsFrom(this.#query, added[0].row.number);
    const length = ({ row }: NumberedImage) => row.document.length;
    for (const batch of splitBatches(added, length)) await this.#add(batch);
    for (const batch of splitBatches(updated, length)) await this.#update(batch);
  }

  async removeImages(ids: string[]): Promise<ImageRow[]> {
    const rows = await this.imagesById(ids);
    const numbers = rows.map(({ number }) => number);
    await this.#placements.remove(numbers);
    await this.#query('delete from image where number = any($1::int[])', [numbers]);
    await this.#saveDetails(rows.map((row) => ({ ...row, perceptualHash: null, edited: '' })));
    return rows;
  }

  async savePerceptualHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void> {
    await saveHashes(this.#query, images);
  }

  async unusedKeys(keys: string[]): Promise<string[]> {
    return findUnusedKeys(this.#query, keys);
  }

  async renumberAll(): Promise<void> {
    for (const rows of DANGLING) await this.#query(`delete from ${rows}`);
    await this.#placements.renumberAll();
    this.#haveEntriesChanged = true;
  }

  async commit(): Promise<void> {
    await this.#placements.write();
    for (const [shelf, entry] of this.#changedEntries) await this.#rewriteDocuments(shelf, entry);
    await this.#placements.saveShelves();
    if (this.#haveEntriesChanged) await this.#query(NUMBER_ENTRIES);
    await this.#query(
      `with changed as (
         update revision set number = next_revision(number) returning number
       ) select pg_notify('${CHANNEL}', number::text) from changed`,
    );
    await this.#client.query('commit').catch((error) => {
      if (error.code !== undefined) throw error;
      throw new Error(
        'the connection was lost during the commit, so the change may or may not be saved; repeat the command to be sure',
      );
    });
    // Updates the planner's statistics and the visibility map, which index-only scans need. The commit is done either way.
    // Truncating a table would lock readers out, and wait for five seconds if one has an open transaction.
    await this.#client
      .query(
        'vacuum (analyze, truncate off) revision, image, image_shelves, placement, shelf, perceptual_hash, edited, alias, source_file',
      )
      .catch(() => {});
    await disconnect(this.#client);
  }

  /** Without a commit, the server rolls back. */
  async [Symbol.asyncDispose](): Promise<void> {
    await disconnect(this.#client);
  }

  async #saveDetails(images: SavedImage[]): Promise<void> {
    await saveHashes(this.#query, images);
    await saveEdited(this.#query, images);
  }

  async #add(images: NumberedImage[]): Promise<void> {
    const rows = images.map(({ row }) => row);
    const columns = rows.map((row) => [row.number, row.id, row.eTag, row.key, row.mimetype, row.document]);
    await this.#copy('image (number, id, etag, key, mimetype, document)', formatRows(columns));
    await this.#placements.append(images.map(placed));
    await addDetails(this.#copy, rows);
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
    await this.#saveDetails(images.map(({ row }) => row));
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
