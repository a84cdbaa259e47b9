/** Writes the embedded catalogue: one transaction under the write lock. Readers see the old catalogue until the commit. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Decisions } from '../../catalogue/decisions.ts';
import { updateEntry } from '../../catalogue/document.ts';
import { fold } from '../../catalogue/fold.ts';
import type { ImportRunWriter } from '../../catalogue/import-runs.ts';
import type { SourceFileWriter } from '../../catalogue/source-files.ts';
import type { TokenRecord } from '../../catalogue/token-record.ts';
import type {
  CatalogueWriter,
  Entry,
  FixedShelves,
  ImageRow,
  Lookup,
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
import type { LockOptions } from '../shared/write-lock.ts';
import { saveAliases } from './aliases.ts';
import { beginWriting, logSize, openDatabase, truncateLog } from './database.ts';
import { createDecisions } from './decisions.ts';
import { importRunWriter } from './import-runs.ts';
import { findUnusedKeys } from './keys.ts';
import { createLookup } from './lookup.ts';
import { Placements } from './placements.ts';
import { saveRestoredTokens } from './restored-tokens.ts';
import { catalogueSchema } from './schema.ts';
import { sourceFileWriter } from './source-files.ts';

/** Page cache while writing. Larger transactions spill to the file. */
const WRITE_CACHE_KIB = 65_536;
/** A write-ahead log that is larger after a commit is truncated. SQLite keeps it at about this size by itself. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

export async function openWriter(path: string, options?: LockOptions): Promise<CatalogueWriter> {
  const database = openDatabase(path, catalogueSchema);
  try {
    database.exec(`pragma cache_size = -${WRITE_CACHE_KIB}`);
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    await beginWriting(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteWriter(database, path);
}

class SqliteWriter implements CatalogueWriter {
  readonly fixedShelves: FixedShelves;
  readonly decisions: Decisions;
  readonly sourceFiles: SourceFileWriter;
  readonly importRuns: ImportRunWriter;
  readonly entriesById: Lookup['entriesById'];
  readonly entriesByName: Lookup['entriesByName'];
  readonly entriesByAlias: Lookup['entriesByAlias'];
  readonly entryNames: Lookup['entryNames'];
  readonly imagesById: Lookup['imagesById'];
  readonly imagesOn: Lookup['imagesOn'];
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #initialLogSize: number;
  readonly #placements: Placements;
  readonly #imagesByETag: StatementSync;
  readonly #addEntry: StatementSync;
  readonly #updateEntry: StatementSync;
  readonly #addImage: StatementSync;
  readonly #updateImage: StatementSync;
  readonly #saveHash: StatementSync;
  readonly #removeHash: StatementSync;
  readonly #saveEdited: StatementSync;
  readonly #removeEdited: StatementSync;
  /** Entries that changed. Their images' documents contain their JSON. */
  readonly #changedEntries = new Map<number, Entry>();
  /** Both stores number images without gaps, so that a seed gives the same order on both. */
  #lastImage: number;
  #haveEntriesChanged = false;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#initialLogSize = logSize(path);
    this.fixedShelves = readFixedShelves(database.prepare(FIXED_SHELVES).all() as never);
    this.#placements = new Placements(database, this.fixedShelves.rating.sfw);
    this.decisions = createDecisions(database);
    const lookup = createLookup(database);
    this.entriesById = lookup.entriesById;
    this.entriesByName = lookup.entriesByName;
    this.entriesByAlias = lookup.entriesByAlias;
    this.entryNames = lookup.entryNames;
    this.imagesById = lookup.imagesById;
    this.imagesOn = (shelf) => {
      this.#placements.write();
      return lookup.imagesOn(shelf);
    };
    const prepare = (sql: string) => database.prepare(sql);
    // One statement for all: most imports look for thousands of tags and find none.
    this.#imagesByETag = prepare(
      `select ${IMAGE_COLUMNS} from image where etag in (select value from json_each(?)) order by number`,
    );
    this.#addEntry = prepare(
      'insert into shelf (kind, id, name, category, created_at, document) values (?, ?, ?, ?, ?, ?)',
    );
    this.#updateEntry = prepare(
      'update shelf set name = ?, category = ?, created_at = ?, document = ? where number = ?',
    );
    this.#addImage = prepare(
      'insert into image (number, id, etag, key, mimetype, document) values (?, ?, ?, ?, ?, ?)',
    );
    this.#updateImage = prepare(
      'update image set etag = ?, key = ?, mimetype = ?, document = ? where number = ?',
    );
    this.#saveHash = prepare('insert or replace into perceptual_hash (image, hash) values (?, ?)');
    this.#removeHash = prepare('delete from perceptual_hash where image = ?');
    this.#saveEdited = prepare('insert or replace into edited (image, fields) values (?, ?)');
    this.#removeEdited = prepare('delete from edited where image = ?');
    this.#lastImage = (prepare('select max(number) as last from image').get()?.last as number | null) ?? 0;
    this.sourceFiles = sourceFileWriter(database);
    this.importRuns = importRunWriter(database, this.#lastImage);
  }

  async imagesByETag(eTags: string[]): Promise<SavedImage[]> {
    if (eTags.length === 0) return [];
    return this.#imagesByETag.all(JSON.stringify(eTags)) as unknown as SavedImage[];
  }

  async saveEntries(entries: Entry[]): Promise<void> {
    for (const entry of entries) {
      const { kind, id, name, createdAt, document } = entry;
      const category = kind === 'category' ? fold(name) : null;
      if (entry.shelf === undefined) {
        const { lastInsertRowid } = this.#addEntry.run(kind, id, name, category, createdAt, document);
        saveAliases(this.#database, entry, Number(lastInsertRowid));
      } else {
        this.#updateEntry.run(name, category, createdAt, document, entry.shelf);
        saveAliases(this.#database, entry, entry.shelf);
        this.#changedEntries.set(entry.shelf, entry);
      }
      this.#haveEntriesChanged = true;
    }
  }

  async saveAliases(entry: SavedEntry): Promise<void> {
    saveAliases(this.#database, entry, entry.shelf);
  }

  async removeEntries(entries: SavedEntry[]): Promise<void> {
    this.#placements.write();
    for (const { shelf } of entries) {
      this.#database.prepare('delete from alias where shelf = ?').run(shelf);
      this.#database.prepare('delete from shelf where number = ?').run(shelf);
      this.#changedEntries.delete(shelf);
      this.#haveEntriesChanged = true;
    }
  }

  async saveImages(images: PlacedImage[]): Promise<void> {
    for (const { row, shelves } of images) {
      const number = row.number ?? ++this.#lastImage;
      const { id, eTag, key, mimetype, document, perceptualHash, edited } = row;
      if (row.number === undefined) {
        this.#addImage.run(number, id, eTag, key, mimetype, document);
        this.#placements.append(number, shelves);
      } else {
        this.#updateImage.run(eTag, key, mimetype, document, number);
        this.#placements.move(number, shelves);
        this.#removeHash.run(number);
        this.#removeEdited.run(number);
      }
      if (perceptualHash !== null) this.#saveHash.run(number, perceptualHash);
      if (edited !== '') this.#saveEdited.run(number, edited);
    }
  }

  async savePerceptualHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void> {
    for (const { number, perceptualHash } of images) {
      if (perceptualHash === null) this.#removeHash.run(number);
      else this.#saveHash.run(number, perceptualHash);
    }
  }

  async removeImages(ids: string[]): Promise<ImageRow[]> {
    const rows = await this.imagesById(ids);
    const remove = this.#database.prepare('delete from image where number = ?');
    for (const { number } of rows) {
      this.#placements.remove(number);
      remove.run(number);
      this.#removeHash.run(number);
      this.#removeEdited.run(number);
    }
    return rows;
  }

  async unusedKeys(keys: string[]): Promise<string[]> {
    return findUnusedKeys(this.#database, keys);
  }

  async restoreTokens(records: TokenRecord[]): Promise<void> {
    saveRestoredTokens(this.#database, records);
  }

  async renumberAll(): Promise<void> {
    for (const rows of DANGLING) this.#database.exec(`delete from ${rows}`);
    this.#placements.renumberAll();
    this.#haveEntriesChanged = true;
  }

  async commit(): Promise<void> {
    this.#placements.write();
    for (const [shelf, entry] of this.#changedEntries) this.#rewriteDocuments(shelf, entry);
    this.#placements.saveShelves();
    if (this.#haveEntriesChanged) this.#database.exec(NUMBER_ENTRIES);
    this.#database.exec('commit');
    truncateLog(this.#database, this.#path, MAX_LOG_BYTES);
    this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#database.isOpen) return;
    // A full disk ends the transaction by itself.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    truncateLog(this.#database, this.#path, this.#initialLogSize);
    this.#database.close();
  }

  #rewriteDocuments(shelf: number, entry: Entry): void {
    const read = this.#database.prepare(
      `select number, document from placement join image on number = image
       where shelf = ? and position >= ? and position < ?`,
    );
    const save = this.#database.prepare('update image set document = ? where number = ?');
    const size = this.#placements.size(shelf);
    for (let position = 0; position < size; position += REWRITE_BATCH_SIZE) {
      const rows = read.all(shelf, position, position + REWRITE_BATCH_SIZE);
      for (const { number, document } of rows as unknown as SavedImage[])
        save.run(updateEntry(document, entry), number);
    }
  }
}
