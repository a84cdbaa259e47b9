/**
 * Image documents in shared memory, as a thread that serves requests reads them. Nothing is evicted when the cache is full:
 * random requests ask for all images alike, so every document is worth the same, and replacing one costs more than it
 * saves.
 *
 * Texts are stored as bytes, where they cost the garbage collector nothing and take a third less memory than as strings.
 * Lists of categories and characters and artists, which many images share, are stored once.
 */
import { ImageDocument } from '../../catalogue/image-document.ts';
import type { Metric } from '../../metrics.ts';
import {
  ARTIST,
  addressIndex,
  CATEGORIES,
  CHARACTERS,
  COUNT,
  DOCUMENT_WORDS,
  END,
  EPOCH,
  EXTRA_BYTES_AND_LISTS,
  FILE_NAME_AND_KEY,
  FIRST_ADDRESS,
  GENERATION,
  IS_ASCII,
  isOpen,
  LENGTH,
  LINK_END_AND_EXPIRES,
  MAX_IMAGE,
  REVISION,
  TEXT_WORDS,
  USED_WORDS,
} from './document-memory.ts';

export class DocumentCache {
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  /** Shared texts as strings, by address. */
  readonly #texts = new Map<number, string>();
  #generation = 0;
  #hits = 0;
  #misses = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Returns an image's document as it was after the change with the number `revision`. */
  get(image: number, revision: number): ImageDocument | undefined {
    const epoch = Atomics.load(this.#words, EPOCH);
    const address = isOpen(epoch) ? this.#addressOf(image, revision) : 0;
    const document = address === 0 ? undefined : this.#read(address);
    if (document === undefined || Atomics.load(this.#words, EPOCH) !== epoch) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    return document;
  }

  metrics(): Metric[] {
    const metric = (
      name: string,
      help: string,
      value: number,
      kind: Pick<Metric, 'type' | 'across'>,
    ): Metric => ({
      name: `zukan_document_cache_${name}`,
      ...{ help, samples: [{ value }], ...kind },
    });
    const counter = { type: 'counter' } as const;
    const shared = { type: 'gauge', across: 'max' } as const;
    const bytes = Math.max(0, this.#word(USED_WORDS) - FIRST_ADDRESS) * 4;
    return [
      metric('hits_total', 'Documents read from the cache.', this.#hits, counter),
      metric('misses_total', 'Documents read from the database.', this.#misses, counter),
      metric('images', 'Documents in the cache.', this.#word(COUNT), shared),
      metric('bytes', 'Memory used by the cache.', bytes, shared),
      metric('limit_bytes', 'Memory that the cache may use.', this.#bytes.length, shared),
    ];
  }

  #addressOf(image: number, revision: number): number {
    const generation = this.#word(GENERATION);
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#texts.clear();
    }
    const isKnown = this.#word(REVISION) === revision && image <= this.#word(MAX_IMAGE);
    return isKnown ? Atomics.load(this.#words, addressIndex(this.#words, image)) : 0;
  }

  #read(address: number): ImageDocument {
    const text = this.#decode(address, DOCUMENT_WORDS);
    const extraBytesAndLists = this.#word(address + EXTRA_BYTES_AND_LISTS);
    const fileNameAndKey = this.#word(address + FILE_NAME_AND_KEY);
    const linkEndAndExpires = this.#word(address + LINK_END_AND_EXPIRES);
    const placeholders = {
      fileName: fileNameAndKey >>> 16,
      key: fileNameAndKey & 0xffff,
      linkEnd: linkEndAndExpires >>> 16,
      expires: linkEndAndExpires & 0xffff,
      end: this.#word(address + END),
    };
    const categories = this.#word(address + CATEGORIES);
    const shared =
      categories === 0
        ? undefined
        : {
            lists: this.#text(categories) + this.#text(this.#word(address + CHARACTERS)),
            position: extraBytesAndLists & 0xffff,
            artist: this.#text(this.#word(address + ARTIST)),
          };
    return new ImageDocument(text, shared, placeholders, extraBytesAndLists >>> 16);
  }

  #text(address: number): string {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    const text = this.#decode(address, TEXT_WORDS);
    this.#texts.set(address, text);
    return text;
  }

  #decode(address: number, headerWords: number): string {
    const length = this.#word(address + LENGTH);
    const start = (address + headerWords) * 4;
    const isAscii = length >= IS_ASCII;
    const end = start + (isAscii ? length - IS_ASCII : length);
    return this.#bytes.toString(isAscii ? 'latin1' : 'utf8', start, end);
  }

  #word(index: number): number {
    return this.#words[index] as number;
  }
}
