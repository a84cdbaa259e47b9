/** Writes the embedded catalogue: one transaction under the write lock. Readers see the old catalogue until the commit. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { updateEntry } from '../../catalogue/document.ts';
import { fold } from '../../catalogue/fold.ts';
import type { SourceFileWriter } from '../../catalogue/source-files.ts';
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
import { exclusively, logSize, openDatabase, truncateLog } from './database.ts';
import { findUnusedKeys } from './keys.ts';
import { renumberShelf } from './renumber.ts';
import { catalogueSchema } from './schema.ts';
import { sourceFileWriter } from './source-files.ts';

/** Page cache while writing. Larger transactions spill to the file. */
const WRITE_CACHE_KIB = 65_536;
/** A write-ahead log that is larger after a commit is truncated. SQLite keeps it at about this size by itself. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

export function openWriter(path: string): CatalogueWriter {
  const database = openDatabase(path, catalogueSchema);
  try {
    database.exec(`pragma cache_size = -${WRITE_CACHE_KIB}`);
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
    exclusively(() => database.exec('begin immediate'));
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteWriter(database, path);
}

class SqliteWriter implements CatalogueWriter {
  readonly fixedShelves: FixedShelves;
  readonly sourceFiles: SourceFileWriter;
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #initialLogSize: number;
  readonly #entryById: StatementSync;
  readonly #entryByName: StatementSync;
  readonly #categoryByName: StatementSync;
  readonly #imageById: StatementSync;
  readonly #imageByETag: StatementSync;
  readonly #addEntry: StatementSync;
  readonly #updateEntry: StatementSync;
  readonly #addImage: StatementSync;
  readonly #updateImage: StatementSync;
  readonly #shelvesOf: StatementSync;
  readonly #place: StatementSync;
  readonly #unplace: StatementSync;
  readonly #sizeOf: StatementSync;
  readonly #saveHash: StatementSync;
  readonly #removeHash: StatementSync;
  /** Sizes of the shelves touched so far, saved by `commit`. */
  readonly #sizes = new Map<number, number>();
  /** Shelves that lost an image, or gained one that is older than their last. */
  readonly #outOfOrder = new Set<number>();
  /** Entries that changed. Their images' documents contain their JSON. */
  readonly #changedEntries = new Map<number, Entry>();
  /** Both stores number images without gaps, so that a seed gives the same order on both. */
  #lastImage: number;
  #haveEntriesChanged = false;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#initialLogSize = logSize(path);
    const prepare = (sql: string) => database.prepare(sql);
    this.#entryById = prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? and id = ?`);
    this.#entryByName = prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? and name = ?`);
    this.#categoryByName = prepare(`select ${ENTRY_COLUMNS} from shelf where category = ?`);
    this.#imageById = prepare(`select ${IMAGE_COLUMNS} from image where id = ?`);
    this.#imageByETag = prepare(`select ${IMAGE_COLUMNS} from image where etag = ? order by number`);
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
    this.#shelvesOf = prepare('select shelf from placement where image = ?');
    this.#place = prepare('insert into placement (shelf, position, image) values (?, ?, ?)');
    this.#unplace = prepare('delete from placement where image = ? and shelf = ?');
    this.#sizeOf = prepare('select size from shelf where number = ?');
    this.#saveHash = prepare('insert or replace into perceptual_hash (image, hash) values (?, ?)');
    this.#removeHash = prepare('delete from perceptual_hash where image = ?');
    this.#lastImage = (prepare('select max(number) as last from image').get()?.last as number | null) ?? 0;
    this.fixedShelves = readFixedShelves(prepare(FIXED_SHELVES).all() as never);
    this.sourceFiles = sourceFileWriter(database);
  }

  async entriesById(kind: Kind, ids: string[]): Promise<SavedEntry[]> {
    return ids.flatMap((id) => this.#entryById.all(kind, id) as unknown as SavedEntry[]);
  }

  async entriesByName(kind: Kind, names: string[]): Promise<SavedEntry[]> {
    const find =
      kind === 'category'
        ? (name: string) => this.#categoryByName.all(fold(name))
        : (name: string) => this.#entryByName.all(kind, name);
    return names.flatMap((name) => find(name) as unknown as SavedEntry[]);
  }

  async imagesById(ids: string[]): Promise<SavedImage[]> {
    return ids.flatMap((id) => this.#imageById.all(id) as unknown as SavedImage[]);
  }

  async imagesByETag(eTags: string[]): Promise<SavedImage[]> {
    return eTags.flatMap((eTag) => this.#imageByETag.all(eTag) as unknown as SavedImage[]);
  }

  async saveEntries(entries: Entry[]): Promise<void> {
    for (const entry of entries) {
      const { shelf, kind, id, name, createdAt, document } = entry;
      const category = kind === 'category' ? fold(name) : null;
      if (shelf === undefined) {
        this.#addEntry.run(kind, id, name, category, createdAt, document);
      } else {
        this.#updateEntry.run(name, category, createdAt, document, shelf);
        this.#changedEntries.set(shelf, entry);
      }
      this.#haveEntriesChanged = true;
    }
  }

  async saveImages(images: { row: ImageRow; shelves: number[] }[]): Promise<void> {
    for (const { row, shelves } of images) {
      const number = row.number ?? ++this.#lastImage;
      if (row.number === undefined) this.#add(row, number, shelves);
      else this.#update(row, number, shelves);
      await this.savePerceptualHashes([{ ...row, number }]);
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
      for (const shelf of this.#shelvesOfImage(number)) {
        this.#unplace.run(number, shelf);
        this.#outOfOrder.add(shelf);
      }
      remove.run(number);
      this.#removeHash.run(number);
    }
    return rows;
  }

  async unusedKeys(keys: string[]): Promise<string[]> {
    return findUnusedKeys(this.#database, keys);
  }

  async renumberAll(): Promise<void> {
    for (const table of ['placement', 'perceptual_hash'])
      this.#database.exec(`delete from ${table} where image not in (select number from image)`);
    for (const row of this.#database.prepare('select number from shelf').all())
      this.#outOfOrder.add(row.number as number);
    this.#haveEntriesChanged = true;
  }

  async commit(): Promise<void> {
    for (const shelf of this.#outOfOrder) this.#sizes.set(shelf, renumberShelf(this.#database, shelf));
    for (const [shelf, entry] of this.#changedEntries) this.#rewriteDocuments(shelf, entry);
    const setSize = this.#database.prepare('update shelf set size = ? where number = ?');
    for (const [shelf, size] of this.#sizes) setSize.run(size, shelf);
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

  #add({ id, eTag, key, mimetype, document }: ImageRow, number: number, shelves: number[]): void {
    this.#addImage.run(number, id, eTag, key, mimetype, document);
    for (const shelf of shelves) this.#append(shelf, number);
  }

  #update({ eTag, key, mimetype, document }: ImageRow, number: number, shelves: number[]): void {
    this.#updateImage.run(eTag, key, mimetype, document, number);
    const before = new Set(this.#shelvesOfImage(number));
    const after = new Set(shelves);
    for (const shelf of before.difference(after)) this.#unplace.run(number, shelf);
    for (const shelf of after.difference(before)) this.#append(shelf, number);
    for (const shelf of before.symmetricDifference(after)) this.#outOfOrder.add(shelf);
  }

  #shelvesOfImage(number: number): number[] {
    return this.#shelvesOf.all(number).map((row) => row.shelf as number);
  }

  #append(shelf: number, image: number): void {
    const size = this.#size(shelf);
    this.#place.run(shelf, size, image);
    this.#sizes.set(shelf, size + 1);
  }

  #size(shelf: number): number {
    return this.#sizes.get(shelf) ?? (this.#sizeOf.get(shelf)?.size as number);
  }

  #rewriteDocuments(shelf: number, entry: Entry): void {
    const read = this.#database.prepare(
      `select number, document from placement join image on number = image
       where shelf = ? and position >= ? and position < ?`,
    );
    const save = this.#database.prepare('update image set document = ? where number = ?');
    const size = this.#size(shelf);
    for (let position = 0; position < size; position += REWRITE_BATCH_SIZE) {
      const rows = read.all(shelf, position, position + REWRITE_BATCH_SIZE);
      for (const { number, document } of rows as unknown as SavedImage[])
        save.run(updateEntry(document, entry), number);
    }
  }
}
