/**
 * Image documents in shared memory, as a thread that serves requests reads them. Nothing is evicted when the cache is full:
 * random requests ask for all images alike, so every document is worth the same, and replacing one costs more than it
 * saves.
 *
 * Texts are stored as bytes, where they cost the garbage collector nothing and take a third less memory than as strings.
 * Lists of categories and characters and artists, which many images share, are stored once.
 */
import { type ByteString, ImageDocument } from '../../catalogue/documents/image-document.ts';
import type { Metric } from '../../lib/metrics.ts';
import {
  ARTIST,
  addressIndex,
  CATEGORIES,
  CHARACTERS,
  COUNT,
  DOCUMENT_WORDS,
  EPOCH,
  FILE_NAME_AND_KEY,
  firstAddress,
  GENERATION,
  isOpen,
  LENGTH,
  LINK_END_AND_EXPIRES,
  LISTS_AND_END,
  MAX_DOCUMENT_LENGTH,
  MAX_IMAGE,
  revisionIn,
  TEXT_ADDRESSES,
  TEXT_WORDS,
  USED_WORDS,
} from '../document-memory.ts';

export class DocumentCache {
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  readonly #barrier = new Int32Array(1);
  /** Shared texts by number. */
  #texts: (ByteString | undefined)[] = [];
  #generation = 0;
  #hits = 0;
  #misses = 0;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Returns the documents of images as they were after the change with the number `revision`, where they are cached. */
  get(images: number[], revision: number): (ImageDocument | undefined)[] {
    const found = this.#ifValid(() => this.#find(images, revision)) ?? [];
    const hits = found.reduce((count, document) => (document ? count + 1 : count), 0);
    this.#hits += hits;
    this.#misses += images.length - hits;
    return found;
  }

  metrics(): Metric[] {
    const metric = (
      name: string,
      help: string,
      value: number,
      kind: Pick<Metric, 'type' | 'across'>,
    ): Metric => ({
      name: `zukan_document_cache_${name}`,
      help,
      samples: [{ value }],
      ...kind,
    });
    const words = this.#words;
    const counter = { type: 'counter' } as const;
    const shared = { type: 'gauge', across: 'max' } as const;
    const bytes = Math.max(0, wordAt(words, USED_WORDS) - firstAddress(words)) * 4;
    return [
      metric('hits_total', 'Documents read from the cache.', this.#hits, counter),
      metric('misses_total', 'Documents read from the database.', this.#misses, counter),
      metric('images', 'Documents in the cache.', wordAt(words, COUNT), shared),
      metric('bytes', 'Memory used by the cache.', bytes, shared),
      metric('limit_bytes', 'Memory that the cache may use.', this.#bytes.length, shared),
    ];
  }

  /** Returns what was read; undefined if the writer changed it meanwhile. */
  #ifValid<T>(read: () => T): T | undefined {
    const epoch = Atomics.load(this.#words, EPOCH);
    if (!isOpen(epoch)) return undefined;
    const result = read();
    // A barrier: ARM processors could otherwise finish reading after they have loaded the epoch again.
    Atomics.store(this.#barrier, 0, 0);
    if (Atomics.load(this.#words, EPOCH) === epoch) return result;
    // Shared texts that were read while the writer changed them must not be used again.
    this.#texts = [];
    return undefined;
  }

  #find(images: number[], revision: number): (ImageDocument | undefined)[] {
    if (!this.#isAt(revision)) return [];
    const end = this.#end();
    return images.map((image) => {
      const address = this.#address(image, end);
      return address === 0 ? undefined : this.#read(address, image, revision);
    });
  }

  #isAt(revision: number): boolean {
    const words = this.#words;
    if (wordAt(words, GENERATION) !== this.#generation) {
      this.#generation = wordAt(words, GENERATION);
      this.#texts = [];
    }
    return revisionIn(words) === revision;
  }

  /** What is below this was written completely before. An atomic load per address would take a tenth of the time. */
  #end(): number {
    return Atomics.load(this.#words, USED_WORDS);
  }

  /** Of the document of an image; 0 if it is not cached. */
  #address(image: number, end: number): number {
    const words = this.#words;
    const address = image <= wordAt(words, MAX_IMAGE) ? wordAt(words, addressIndex(words, image)) : 0;
    return address < end ? address : 0;
  }

  #read(address: number, image: number, revision: number): ImageDocument {
    const words = this.#words;
    const listsAndEnd = wordAt(words, address + LISTS_AND_END);
    const fileNameAndKey = wordAt(words, address + FILE_NAME_AND_KEY);
    const linkEndAndExpires = wordAt(words, address + LINK_END_AND_EXPIRES);
    const placeholders = {
      fileName: fileNameAndKey >>> 16,
      key: fileNameAndKey & 0xffff,
      linkEnd: linkEndAndExpires >>> 16,
      expires: linkEndAndExpires & 0xffff,
      end: listsAndEnd & 0xffff,
    };
    const categories = wordAt(words, address + CATEGORIES);
    const shared =
      categories === 0
        ? undefined
        : {
            lists: this.#text(categories) + this.#text(wordAt(words, address + CHARACTERS)),
            position: listsAndEnd >>> 16,
            artist: this.#text(wordAt(words, address + ARTIST)),
          };
    const text = this.#decode(address, DOCUMENT_WORDS);
    return new ImageDocument(text, shared, placeholders, image, revision);
  }

  #text(number: number): ByteString {
    return this.#texts[number] ?? this.#loadText(number);
  }

  #loadText(number: number): ByteString {
    const text = this.#decode(wordAt(this.#words, TEXT_ADDRESSES + number), TEXT_WORDS);
    this.#texts[number] = text;
    return text;
  }

  #decode(address: number, headerWords: number): ByteString {
    const start = (address + headerWords) * 4;
    // It is longer only while the writer changes it. The caller notices that afterwards, and discards what was read.
    const end = start + Math.min(wordAt(this.#words, address + LENGTH), MAX_DOCUMENT_LENGTH);
    return end <= this.#bytes.length ? this.#bytes.toString('latin1', start, end) : '';
  }
}

function wordAt(words: Uint32Array, index: number): number {
  return words[index] as number;
}
