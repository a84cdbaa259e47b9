/**
 * Image documents, as many as fit into a bounded memory, for one version of the catalogue. Nothing is evicted when it is
 * full: random requests ask for all images alike, so every document is worth the same, and replacing one costs more than it
 * saves.
 *
 * Texts are stored as bytes in one buffer, where they cost the garbage collector nothing and take a third less memory than
 * as strings. Lists of categories and characters and artists, which many images share, are stored once.
 */
import { locateLists, PLACEHOLDER } from '../../catalogue/document.ts';
import { ImageDocument, locatePlaceholders } from '../../catalogue/image-document.ts';
import type { Document } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';

const MAX_BYTES = 60 * 1024 * 1024;
/** Of these, for the shared texts. */
const MAX_SHARED_BYTES = 16 * 1024 * 1024;
/** Longer documents do not occur in real catalogues, and are not cached. */
const MAX_DOCUMENT_LENGTH = 64 * 1024;

/** The header before the bytes of a text, in words of four bytes. */
const LENGTH = 0;
const IS_ASCII = 1;
const EXTRA_BYTES = 2;
const CATEGORIES = 3;
const CHARACTERS = 4;
const ARTIST = 5;
const LISTS_OFFSET = 6;
const PLACEHOLDERS = 7;
const HEADER_WORDS = 12;
/** Address 0 means "not cached". */
const FIRST_ADDRESS = 1;

export class DocumentCache {
  /** The address of an image's header, in words, by the image's number. */
  #addresses = new Uint32Array(0);
  #count = 0;
  readonly #shared: string[] = [];
  readonly #sharedIndexes = new Map<string, number>();
  readonly #bytes: Buffer;
  readonly #words: Uint32Array;
  #usedWords = FIRST_ADDRESS;
  #sharedBytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(maxBytes = MAX_BYTES) {
    // The system provides the memory only when it is written to.
    this.#bytes = Buffer.allocUnsafeSlow(maxBytes);
    this.#words = new Uint32Array(this.#bytes.buffer);
  }

  /** Empties the cache for a version with image numbers up to `lastImage`. */
  clear(lastImage: number): void {
    this.#addresses = new Uint32Array(lastImage + 1);
    this.#count = 0;
    this.#shared.length = 0;
    this.#sharedIndexes.clear();
    this.#usedWords = FIRST_ADDRESS;
    this.#sharedBytes = 0;
  }

  get(image: number): ImageDocument | undefined {
    const address = wordAt(this.#addresses, image);
    if (address === 0) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const words = this.#words;
    const start = (address + HEADER_WORDS) * 4;
    const encoding = words[address + IS_ASCII] === 1 ? 'latin1' : 'utf8';
    const text = this.#bytes.toString(encoding, start, start + wordAt(words, address + LENGTH));
    const shared = {
      lists: this.#sharedAt(address + CATEGORIES) + this.#sharedAt(address + CHARACTERS),
      position: wordAt(words, address + LISTS_OFFSET),
      artist: this.#sharedAt(address + ARTIST),
    };
    const placeholders = {
      fileName: wordAt(words, address + PLACEHOLDERS),
      key: wordAt(words, address + PLACEHOLDERS + 1),
      linkEnd: wordAt(words, address + PLACEHOLDERS + 2),
      expires: wordAt(words, address + PLACEHOLDERS + 3),
      end: wordAt(words, address + PLACEHOLDERS + 4),
    };
    return new ImageDocument(text, shared, placeholders, words[address + EXTRA_BYTES]);
  }

  add(image: number, document: Document, extraBytes: number): void {
    const maxBytes = HEADER_WORDS * 4 + 3 * document.length;
    const isFull = this.#usedWords * 4 + this.#sharedBytes + maxBytes > this.#bytes.length;
    if (isFull || document.length > MAX_DOCUMENT_LENGTH) return;
    const { start, middle, end } = locateLists(document);
    const placeholders = locatePlaceholders(document);
    const categories = this.#share(document.slice(start, middle));
    const characters = this.#share(document.slice(middle, end));
    const [artistDetails = '', previews] = document.slice(placeholders.end + 1).split(PLACEHOLDER);
    const artist = this.#share(artistDetails);
    if (categories === undefined || characters === undefined || artist === undefined) return;
    const json = document.slice(0, start) + document.slice(end, placeholders.end);
    const own = previews === undefined ? json : json + PLACEHOLDER + previews;
    const address = this.#usedWords;
    const length = this.#bytes.write(own, (address + HEADER_WORDS) * 4);
    const isAscii = length === own.length ? 1 : 0;
    const shared = [categories, characters, artist, start];
    const { fileName, key, linkEnd, expires } = placeholders;
    const positions = [fileName, key, linkEnd, expires - (end - start), json.length];
    this.#words.set([length, isAscii, extraBytes, ...shared, ...positions], address);
    this.#usedWords += HEADER_WORDS + Math.ceil(length / 4);
    this.#addresses[image] = address;
    this.#count++;
  }

  metrics(): Metric[] {
    const metric = (name: string, type: 'counter' | 'gauge', help: string, value: number): Metric => ({
      name: `zukan_document_cache_${name}`,
      ...{ type, help, samples: [{ value }] },
    });
    const bytes = (this.#usedWords - FIRST_ADDRESS) * 4 + this.#sharedBytes;
    return [
      metric('hits_total', 'counter', 'Documents read from the cache.', this.#hits),
      metric('misses_total', 'counter', 'Documents read from the database.', this.#misses),
      metric('images', 'gauge', 'Documents in the cache.', this.#count),
      metric('bytes', 'gauge', 'Memory used by the cache.', bytes),
      metric('limit_bytes', 'gauge', 'Memory that the cache may use.', this.#bytes.length),
    ];
  }

  #sharedAt(word: number): string {
    return this.#shared[wordAt(this.#words, word)] as string;
  }

  /** The same index for equal texts. Undefined if the shared texts use up their memory. */
  #share(text: string): number | undefined {
    const index = this.#sharedIndexes.get(text);
    if (index !== undefined) return index;
    if (this.#sharedBytes > MAX_SHARED_BYTES) return undefined;
    // A slice would keep the whole document in memory; a joined string does not.
    const own = [text, ''].join('');
    this.#sharedBytes += own.length * (Buffer.byteLength(own) === own.length ? 1 : 2);
    this.#sharedIndexes.set(own, this.#shared.length);
    return this.#shared.push(own) - 1;
  }
}

function wordAt(words: Uint32Array, index: number): number {
  return words[index] as number;
}
