/** Image documents by id and by number: from the cache, or from the database. */
import { ImageDocument } from '../../catalogue/image-document.ts';
import type { Document } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';
import { defaultTuning, type Tuning } from '../../tuning.ts';
import { DocumentCache } from '../shared/document-cache.ts';
import type { ReadTransaction } from './reader.ts';
import { rowOf } from './statements.ts';
import { DocumentVerifier } from './verification.ts';

/** Images shown once are often requested again by their id. */
const MAX_CACHED_IDS = 20_000;
/** Takes less than a millisecond. */
const VERIFIED_PER_CALL = 50;

export class Images {
  readonly #documents: DocumentCache;
  readonly #tuning: Tuning;
  /** Image numbers by id. */
  readonly #numbers = new Map<string, number>();
  readonly #verifier = new DocumentVerifier();
  #lastVerified = 0;
  #version: number | undefined;

  /** `documents` is the memory of a cache that another part fills (document-filler.ts). */
  constructor(documents: ArrayBufferLike, tuning = defaultTuning) {
    this.#documents = new DocumentCache(documents);
    this.#tuning = tuning;
  }

  byId(transaction: ReadTransaction, id: string): ImageDocument | undefined {
    const number = this.numberOf(transaction, id);
    return number === undefined ? undefined : this.#read(transaction, [number])[0];
  }

  numberOf(transaction: ReadTransaction, id: string): number | undefined {
    this.#clearOtherVersions(transaction);
    return this.#numbers.get(id) ?? this.#findNumber(transaction, id);
  }

  byNumbers(transaction: ReadTransaction, numbers: number[]): ImageDocument[] {
    this.#clearOtherVersions(transaction);
    return this.#read(transaction, numbers);
  }

  /** Verifies the next few documents, and starts over after the last one. */
  verifyNext(transaction: ReadTransaction): void {
    this.#clearOtherVersions(transaction);
    const rows = transaction.statements.documentsAfter.all(this.#lastVerified, VERIFIED_PER_CALL);
    for (const [number, document] of rows as unknown as [number, unknown][]) {
      this.#verifier.verifyAgain(number, document);
      this.#lastVerified = number;
    }
    if (rows.length < VERIFIED_PER_CALL) this.#lastVerified = 0;
  }

  metrics(): Metric[] {
    return this.#documents.metrics();
  }

  #clearOtherVersions({ snapshot }: ReadTransaction): void {
    if (snapshot.version === this.#version && this.#tuning.isCaching) return;
    this.#version = snapshot.version;
    this.#verifier.clear(snapshot.lastImage);
    this.#lastVerified = 0;
    this.#numbers.clear();
  }

  #read({ statements, documentRevision }: ReadTransaction, numbers: number[]): ImageDocument[] {
    const cached = this.#documents.get(numbers, documentRevision);
    return numbers.map((number, index) => {
      const document = cached[index];
      if (document) return document;
      const [stored] = rowOf<[Document]>(statements.document.get(number)) ?? [];
      const verified = this.#verifier.verify(number, stored);
      return new ImageDocument(verified, undefined, undefined, number, documentRevision);
    });
  }

  #findNumber({ statements }: ReadTransaction, id: string): number | undefined {
    const [number] = rowOf<[number]>(statements.imageNumber.get(id)) ?? [];
    if (number !== undefined && this.#numbers.size < MAX_CACHED_IDS) this.#numbers.set(id, number);
    return number;
  }
}
