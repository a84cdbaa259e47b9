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
import type { Tuning } from '../../lib/tuning.ts';
import { type Call, get, type View } from '../view.ts';

// The layout of the memory that caches image documents. One thread writes (filler.ts) and any number read here,
// without locks:
//
//     header | addresses of texts | texts and documents, appended → … free … ← addresses of documents, by image number
//
// Texts that many documents share are numbered from 1. A text or document is never changed. It is published by storing how
// many words are used, and then its address. Whatever else the writer does, it does while the epoch is odd: readers find
// nothing then, and discard what they have read if the epoch changed meanwhile.

/** Words of four bytes in the header. */
export const EPOCH = 0;
/** Changes when all addresses become invalid. */
export const GENERATION = 1;
/** The number of the last change that the cache has followed: its lower and its higher 32 bits. */
export const REVISION = 2;
/** The highest image number that has room for an address. */
export const MAX_IMAGE = 3;
export const COUNT = 4;
export const USED_WORDS = 5;
export const REVISION_HIGH = 6;
/** The addresses of shared texts begin here. */
export const TEXT_ADDRESSES = 8;

/** The words before the bytes of a document. Positions have 16 bits, two in a word. */
const LENGTH = 0;
const LISTS_AND_END = 1;
const FILE_NAME_AND_KEY = 2;
const LINK_END_AND_EXPIRES = 3;
/** The numbers of shared texts; 0 if the document is stored whole. */
const CATEGORIES = 4;
const CHARACTERS = 5;
const ARTIST = 6;
export const DOCUMENT_WORDS = 7;
/** A shared text has only its length. */
export const TEXT_WORDS = 1;

/** In bytes. Longer documents do not occur in real catalogues, and are not cached. Their positions would not fit. */
export const MAX_DOCUMENT_LENGTH = 64 * 1024 - 1;

/** Memory that cannot cache anything, for commands that read few documents. */
export function noDocumentMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(TEXT_ADDRESSES * 4);
}

/** Of the memory, for the addresses of shared texts. */
const TEXT_ADDRESS_PART = 1 / 64;

/** Where texts and documents begin. Address 0 means "not cached". */
export function firstAddress(words: Uint32Array): number {
  return TEXT_ADDRESSES + Math.floor(words.length * TEXT_ADDRESS_PART);
}

/** What the cache's revision is as a number. */
const revisionIn = (words: Uint32Array): number =>
  (words[REVISION_HIGH] as number) * 2 ** 32 + (words[REVISION] as number);

export const isOpen = (epoch: number): boolean => (epoch & 1) === 0;

/** The word with the address of an image's document. */
export const addressIndex = (words: Uint32Array, image: number): number => words.length - 1 - image;

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

// Image documents by number, from the cache or from the database, and image numbers by id.

/** Images shown once are often requested again by their id. */
const MAX_CACHED_IDS = 20_000;

export class Documents {
  readonly #cache: DocumentCache;
  readonly #isCaching: boolean;
  /** Image numbers by id, of one version. */
  readonly #numbers = new Map<string, number>();
  #version: number | undefined;

  constructor(memory: ArrayBufferLike, { isCaching }: Tuning) {
    this.#cache = new DocumentCache(memory);
    this.#isCaching = isCaching;
  }

  *numberOf(view: View, id: string): Call<number | undefined> {
    const { version } = view.snapshot;
    if (version !== this.#version || !this.#isCaching) this.#numbers.clear();
    this.#version = version;
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = yield* get(view.imageNumber(id));
    // Another call may have read a newer version meanwhile.
    const isCurrent = version === this.#version && this.#numbers.size < MAX_CACHED_IDS;
    if (number !== undefined && isCurrent) this.#numbers.set(id, number);
    return number;
  }

  *read(view: View, numbers: number[]): Call<ImageDocument[]> {
    const { documentRevision } = view.snapshot;
    const cached = this.#cache.get(numbers, documentRevision);
    const missing = numbers.filter((_, index) => !cached[index]);
    if (missing.length === 0) return cached as ImageDocument[];
    const read = (yield* get(view.documents(missing))).values();
    return numbers.map(
      (number, index) =>
        cached[index] ??
        new ImageDocument(read.next().value as string, undefined, undefined, number, documentRevision),
    );
  }

  metrics(): Metric[] {
    return this.#cache.metrics();
  }
}
