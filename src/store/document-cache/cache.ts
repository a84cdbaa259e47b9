/** Image documents in memory that the threads of a process share, and how a thread that serves requests reads them. */
import { ImageDocument, type Placeholders } from '../../catalogue/documents/image-document.ts';
import type { ByteString } from '../../lib/byte-string.ts';
import { type Metric, metric } from '../../lib/metrics.ts';
import type { Tuning } from '../../lib/tuning.ts';
import { type Call, get, type View } from '../view.ts';

// The shared memory of the document cache, and how it is laid out. One thread writes (filler.ts) and any number read,
// without locks:
//
//     header | addresses of texts | texts and documents, appended → … free … ← addresses of documents, by image number
//
// Texts that many documents share are numbered from 1. A text or document is never changed. It is published by storing how
// many words are used, and then its address. Whatever else the writer does, it does while the epoch is odd: readers find
// nothing then, and discard what they have read if the epoch changed meanwhile.

/** The words of four bytes in the header. `texts` is the address of the shared text 0, which does not exist. */
const header = {
  epoch: 0,
  generation: 1,
  revision: 2,
  maxImage: 3,
  count: 4,
  used: 5,
  revisionHigh: 6,
  texts: 8,
};

/** The words before the bytes of a document. Positions have 16 bits, two in a word. */
const word = {
  length: 0,
  listsAndEnd: 1,
  fileNameAndKey: 2,
  linkEndAndExpires: 3,
  categories: 4,
  characters: 5,
  artist: 6,
};
export const DOCUMENT_WORDS = 7;
/** A shared text has only its length. */
export const TEXT_WORDS = 1;

/** In bytes. Longer documents do not occur in real catalogues, and are not cached. Their positions would not fit. */
export const MAX_DOCUMENT_LENGTH = 64 * 1024 - 1;

/** How much of the memory the addresses of shared texts take. */
const TEXT_ADDRESS_PART = 1 / 64;

/** What a document shares with others: where the lists belong, and the numbers of texts. */
export interface Shared {
  position: number;
  categories: number;
  characters: number;
  artist: number;
}

/** Memory that cannot cache anything, for commands that read few documents. */
export function noDocumentMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(header.texts * 4);
}

export class CacheMemory {
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  /** Where texts and documents begin. Address 0 means "not cached". */
  readonly firstAddress: number;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
    this.firstAddress = header.texts + Math.floor(this.#words.length * TEXT_ADDRESS_PART);
  }

  /** In words, as addresses are. */
  get size(): number {
    return this.#words.length;
  }

  get epoch(): number {
    return Atomics.load(this.#words, header.epoch);
  }

  /** Readers find nothing until it is opened. */
  close(): void {
    if (isOpen(this.epoch)) Atomics.add(this.#words, header.epoch, 1);
  }

  open(): void {
    if (!isOpen(this.epoch)) Atomics.add(this.#words, header.epoch, 1);
  }

  /** Changes when all addresses become invalid. */
  get generation(): number {
    return this.#at(header.generation);
  }

  /** The number of the last change that the cache has followed. */
  get revision(): number {
    return this.#at(header.revisionHigh) * 2 ** 32 + this.#at(header.revision);
  }

  set revision(revision: number) {
    this.#words[header.revision] = revision;
    this.#words[header.revisionHigh] = Math.floor(revision / 2 ** 32);
  }

  /** The highest image number that has room for an address. */
  get maxImage(): number {
    return this.#at(header.maxImage);
  }

  /** How many documents there are. */
  get count(): number {
    return this.#at(header.count);
  }

  set count(count: number) {
    this.#words[header.count] = count;
  }

  /** What is below this was written completely before. An atomic load per address would take a tenth of the time. */
  get used(): number {
    return Atomics.load(this.#words, header.used);
  }

  set used(words: number) {
    Atomics.store(this.#words, header.used, words);
  }

  /** Removes all documents and texts, and makes room for the addresses of images up to a number. */
  clear(maxImage: number): void {
    this.#words.fill(0, this.endFor(maxImage));
    (this.#words[header.generation] as number)++;
    this.#words[header.maxImage] = maxImage;
    this.count = 0;
    this.used = this.firstAddress;
  }

  /** Where documents must end if images up to a number have addresses. */
  endFor(maxImage: number): number {
    return this.#words.length - 1 - maxImage;
  }

  /** Where the document of an image is; 0 if it has none. */
  address(image: number): number {
    return image <= this.maxImage ? this.#at(this.endFor(image)) : 0;
  }

  setAddress(image: number, address: number): void {
    this.#words[this.endFor(image)] = address;
  }

  hasTextAddress(number: number): boolean {
    return header.texts + number < this.firstAddress;
  }

  setTextAddress(number: number, address: number): void {
    this.#words[header.texts + number] = address;
  }

  sharedText(number: number): ByteString {
    return this.#decode(this.#at(header.texts + number), TEXT_WORDS);
  }

  /** The length of the text of a document. */
  lengthAt(address: number): number {
    return this.#at(address + word.length);
  }

  documentText(address: number): ByteString {
    return this.#decode(address, DOCUMENT_WORDS);
  }

  /** `shared` is undefined if the document is stored whole. */
  documentParts(address: number): { placeholders: Placeholders; shared: Shared | undefined } {
    const listsAndEnd = this.#at(address + word.listsAndEnd);
    const fileNameAndKey = this.#at(address + word.fileNameAndKey);
    const linkEndAndExpires = this.#at(address + word.linkEndAndExpires);
    const categories = this.#at(address + word.categories);
    const characters = this.#at(address + word.characters);
    const artist = this.#at(address + word.artist);
    return {
      placeholders: {
        fileName: fileNameAndKey >>> 16,
        key: fileNameAndKey & 0xffff,
        linkEnd: linkEndAndExpires >>> 16,
        expires: linkEndAndExpires & 0xffff,
        end: listsAndEnd & 0xffff,
      },
      shared: categories === 0 ? undefined : { position: listsAndEnd >>> 16, categories, characters, artist },
    };
  }

  /** Returns the next address. */
  writeText(address: number, text: ByteString): number {
    return this.#write(address, text, TEXT_WORDS);
  }

  /** Returns the next address. */
  writeDocument(
    address: number,
    text: ByteString,
    { fileName, key, linkEnd, expires, end }: Placeholders,
    shared: Shared = { position: 0, categories: 0, characters: 0, artist: 0 },
  ): number {
    const words = this.#words;
    words[address + word.listsAndEnd] = pair(shared.position, end);
    words[address + word.fileNameAndKey] = pair(fileName, key);
    words[address + word.linkEndAndExpires] = pair(linkEnd, expires);
    words[address + word.categories] = shared.categories;
    words[address + word.characters] = shared.characters;
    words[address + word.artist] = shared.artist;
    return this.#write(address, text, DOCUMENT_WORDS);
  }

  #write(address: number, text: ByteString, headerWords: number): number {
    this.#words[address + word.length] = text.length;
    this.#bytes.write(text, (address + headerWords) * 4, 'latin1');
    return address + headerWords + Math.ceil(text.length / 4);
  }

  #decode(address: number, headerWords: number): ByteString {
    const start = (address + headerWords) * 4;
    // It is longer only while the writer changes it. The caller notices that afterwards, and discards what was read.
    const end = start + Math.min(this.lengthAt(address), MAX_DOCUMENT_LENGTH);
    return end <= this.#bytes.length ? this.#bytes.toString('latin1', start, end) : '';
  }

  #at(index: number): number {
    return this.#words[index] as number;
  }
}

const isOpen = (epoch: number): boolean => (epoch & 1) === 0;

const pair = (high: number, low: number): number => high * 2 ** 16 + low;

// Image documents in shared memory, as a thread that serves requests reads them. Nothing is evicted when the cache is full:
// random requests ask for all images alike, so every document is worth the same, and replacing one costs more than it
// saves.
//
// Texts are stored as bytes, where they cost the garbage collector nothing and take a third less memory than as strings.
// Lists of categories and characters and artists, which many images share, are stored once.

export class DocumentCache {
  readonly #memory: CacheMemory;
  readonly #barrier = new Int32Array(1);
  /** Shared texts by number. */
  #texts: (ByteString | undefined)[] = [];
  #generation = 0;
  #hits = 0;
  #misses = 0;

  constructor(memory: ArrayBufferLike) {
    this.#memory = new CacheMemory(memory);
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
    const { used, firstAddress, size, count } = this.#memory;
    const cache = 'zukan_document_cache';
    const bytes = Math.max(0, used - firstAddress) * 4;
    return [
      metric(`${cache}_hits_total`, 'counter', 'Documents read from the cache.', this.#hits),
      metric(`${cache}_misses_total`, 'counter', 'Documents read from the database.', this.#misses),
      metric(`${cache}_images`, 'gauge', 'Documents in the cache.', count, 'max'),
      metric(`${cache}_bytes`, 'gauge', 'Memory used by the cache.', bytes, 'max'),
      metric(`${cache}_limit_bytes`, 'gauge', 'Memory that the cache may use.', 4 * size, 'max'),
    ];
  }

  /** Returns what was read; undefined if the writer changed it meanwhile. */
  #ifValid<T>(read: () => T): T | undefined {
    const { epoch } = this.#memory;
    if (!isOpen(epoch)) return undefined;
    const result = read();
    // A barrier: ARM processors could otherwise finish reading after they have loaded the epoch again.
    Atomics.store(this.#barrier, 0, 0);
    if (this.#memory.epoch === epoch) return result;
    // Shared texts that were read while the writer changed them must not be used again.
    this.#texts = [];
    return undefined;
  }

  #find(images: number[], revision: number): (ImageDocument | undefined)[] {
    if (!this.#isAt(revision)) return [];
    const { used } = this.#memory;
    return images.map((image) => {
      const address = this.#memory.address(image);
      return address === 0 || address >= used ? undefined : this.#read(address, image, revision);
    });
  }

  #isAt(revision: number): boolean {
    const { generation } = this.#memory;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#texts = [];
    }
    return this.#memory.revision === revision;
  }

  #read(address: number, image: number, revision: number): ImageDocument {
    const { placeholders, shared } = this.#memory.documentParts(address);
    const parts = shared && {
      lists: this.#text(shared.categories) + this.#text(shared.characters),
      position: shared.position,
      artist: this.#text(shared.artist),
    };
    return new ImageDocument(this.#memory.documentText(address), parts, placeholders, image, revision);
  }

  #text(number: number): ByteString {
    this.#texts[number] ??= this.#memory.sharedText(number);
    return this.#texts[number];
  }
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
