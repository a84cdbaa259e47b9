/**
 * Fills the document cache in the background, newest images first, and follows the changes of imports. It has its own
 * connection and works in short slices, so it may run on a thread that serves requests.
 */
import { setTimeout } from 'node:timers/promises';
import type { Document } from '../../catalogue/types.ts';
import { DocumentCacheWriter } from '../shared/document-cache-writer.ts';
import { openForReading } from './read-only.ts';
import { type ReadTransaction, SqliteReader } from './reader.ts';
import { catalogueSchema } from './schema.ts';
import { rowOf } from './statements.ts';
import { isWhole } from './verification.ts';

/** Takes about half a millisecond. */
const DOCUMENTS_PER_SLICE = 40;
const CHANGES_PER_SLICE = 1000;
/** Images that are cached already. */
const SKIPPED_PER_SLICE = 100_000;
/** Between slices. Timers run at most once per turn of the event loop, however many requests it handles. */
const PAUSE_MS = 1;
/** How often to look for changes. */
const POLL_MS = 200;

export class DocumentFiller implements Disposable {
  readonly #reader: SqliteReader;
  readonly #cache: DocumentCacheWriter;
  readonly #documentsPerSlice: number;
  readonly #closing = new AbortController();
  #version: number | undefined;
  /** The highest image number that has not been looked at since the catalogue changed. */
  #next = 0;

  constructor(path: string, memory: ArrayBufferLike, documentsPerSlice = DOCUMENTS_PER_SLICE) {
    this.#reader = new SqliteReader(openForReading(path, catalogueSchema));
    this.#cache = new DocumentCacheWriter(memory);
    this.#documentsPerSlice = documentsPerSlice;
  }

  /** Fills the cache until the filler is disposed of. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Requests report a damaged file. It may be repaired while we run.
      const isDone = await this.runSlice().catch(() => true);
      await setTimeout(isDone ? POLL_MS : PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns whether the cache is as full as it gets until the catalogue changes. */
  runSlice(): Promise<boolean> {
    return this.#reader.read((transaction) => this.#runIn(transaction));
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#reader[Symbol.dispose]();
  }

  #runIn(transaction: ReadTransaction): boolean {
    const { snapshot, documentRevision } = transaction;
    const { revision = Number.POSITIVE_INFINITY } = this.#cache;
    // A number that is lower than before shows that this is another database.
    if (revision > documentRevision || !this.#cache.hasAddressesUpTo(snapshot.lastImage)) {
      this.#startOver(transaction);
    } else if (revision < documentRevision) {
      this.#followChanges(transaction, revision);
      return false;
    } else if (snapshot.version !== this.#version) {
      this.#version = snapshot.version;
      this.#next = snapshot.lastImage;
    }
    this.#addDocuments(transaction);
    return this.#next === 0;
  }

  #startOver({ snapshot, documentRevision }: ReadTransaction): void {
    this.#cache.reset(snapshot.lastImage, documentRevision);
    this.#version = snapshot.version;
    this.#next = snapshot.lastImage;
  }

  #followChanges({ statements, documentRevision }: ReadTransaction, revision: number): void {
    const rows = statements.changedDocuments.all(revision, CHANGES_PER_SLICE) as unknown as [
      number,
      number,
    ][];
    const [last] = rows.at(-1) ?? [documentRevision];
    const images = rows.map(([, image]) => image);
    this.#cache.remove(images, last, last === documentRevision);
    this.#version = undefined;
  }

  #addDocuments(transaction: ReadTransaction): void {
    const { statements } = transaction;
    let [read, skipped] = [0, 0];
    for (; this.#next > 0 && read < this.#documentsPerSlice && skipped < SKIPPED_PER_SLICE; this.#next--) {
      if (this.#cache.has(this.#next)) {
        skipped++;
        continue;
      }
      read++;
      const [document] = rowOf<[Document]>(statements.document.get(this.#next)) ?? [];
      if (document === undefined || !isWhole(document) || this.#cache.add(this.#next, document)) continue;
      // It is full.
      if (this.#cache.isWasteful) this.#startOver(transaction);
      else this.#next = 0;
      return;
    }
  }
}
