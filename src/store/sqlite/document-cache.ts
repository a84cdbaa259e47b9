/**
 * Documents of images, as many as fit into a bounded memory, for as long as the catalogue stays the same. When it is full
 * nothing is pushed out: chance asks for all images alike, so that any of them is as good to keep as any other, and moving
 * them in and out takes longer than it saves.
 *
 * Texts are kept as bytes, one after the other, where they cost the garbage collector nothing and take a third less than as
 * objects; and what images repeat, their categories and characters, is kept once.
 */
import { locateLists } from '../../catalogue/document.ts';
import { ImageDocument, locatePlaceholders } from '../../catalogue/image-document.ts';
import type { Document } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';

const MAX_BYTES = 60 * 1024 * 1024;
/** Of it, for what images have in common. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** What stands before the bytes of a text, in words of four bytes. */
const LENGTH = 0;
const IS_NARROW = 1;
const EXTRA_BYTES = 2;
const CATEGORIES = 3;
const CHARACTERS = 4;
const LISTS_PLACE = 5;
const HOLES = 6;
const HEAD_WORDS = 10;
/** The place 0 is none. */
const FIRST_PLACE = 1;
/** No document is longer than this in a catalogue that people made; one that is, is not kept. */
const MAX_DOCUMENT_LENGTH = 64 * 1024;

export class DocumentCache {
  /** Where an image's text is, in words, by the image's number; 0 where it is not kept. */
  #places = new Uint32Array(0);
  #count = 0;
  readonly #lists: string[] = [];
  readonly #listNumbers = new Map<string, number>();
  readonly #bytes: Buffer;
  readonly #words: Uint32Array;
  #used = FIRST_PLACE;
  #listBytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(mostBytes = MAX_BYTES) {
    // Memory that was never written to is not taken from the machine.
    this.#bytes = Buffer.allocUnsafeSlow(mostBytes);
    this.#words = new Uint32Array(this.#bytes.buffer);
  }

  /** The catalogue is another one, with numbers up to this. */
  forget(lastImage: number): void {
    this.#places = new Uint32Array(lastImage + 1);
    this.#count = 0;
    this.#lists.length = 0;
    this.#listNumbers.clear();
    this.#used = FIRST_PLACE;
    this.#listBytes = 0;
  }

  get(image: number): ImageDocument | undefined {
    const place = wordAt(this.#places, image);
    if (place === 0) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    const words = this.#words;
    const start = (place + HEAD_WORDS) * 4;
    const encoding = words[place + IS_NARROW] === 1 ? 'latin1' : 'utf8';
    const text = this.#bytes.toString(encoding, start, start + wordAt(words, place + LENGTH));
    const lists = {
      text: this.#listAt(place + CATEGORIES) + this.#listAt(place + CHARACTERS),
      position: wordAt(words, place + LISTS_PLACE),
    };
    const placeholders = {
      fileName: wordAt(words, place + HOLES),
      key: wordAt(words, place + HOLES + 1),
      linkEnd: wordAt(words, place + HOLES + 2),
      expires: wordAt(words, place + HOLES + 3),
    };
    return new ImageDocument(text, lists, placeholders, words[place + EXTRA_BYTES]);
  }

  add(image: number, document: Document, extraBytes: number): void {
    const most = HEAD_WORDS * 4 + 3 * document.length;
    if (document.length > MAX_DOCUMENT_LENGTH || this.#used * 4 + this.#listBytes + most > this.#bytes.length)
      return;
    const { start, middle, end } = locateLists(document);
    const categories = this.#numberOf(document.slice(start, middle));
    const characters = this.#numberOf(document.slice(middle, end));
    if (categories === undefined || characters === undefined) return;
    const own = document.slice(0, start) + document.slice(end);
    const { fileName, key, linkEnd, expires } = locatePlaceholders(own);
    const place = this.#used;
    const length = this.#bytes.write(own, (place + HEAD_WORDS) * 4);
    const isNarrow = length === own.length ? 1 : 0;
    const lists = [categories, characters, start];
    this.#words.set([length, isNarrow, extraBytes, ...lists, fileName, key, linkEnd, expires], place);
    this.#used += HEAD_WORDS + Math.ceil(length / 4);
    this.#places[image] = place;
    this.#count++;
  }

  #listAt(word: number): string {
    return this.#lists[wordAt(this.#words, word)] as string;
  }

  /** The same number for all lists that are equal; undefined when no more can be kept. */
  #numberOf(list: string): number | undefined {
    const known = this.#listNumbers.get(list);
    if (known !== undefined) return known;
    if (this.#listBytes > MAX_LIST_BYTES) return undefined;
    // Joined text is a text of its own, while a slice would hold on to all of the document.
    const own = [list, ''].join('');
    this.#listBytes += own.length * (Buffer.byteLength(own) === own.length ? 1 : 2);
    this.#listNumbers.set(own, this.#lists.length);
    return this.#lists.push(own) - 1;
  }

  metrics(): Metric[] {
    const metric = (name: string, type: 'counter' | 'gauge', help: string, value: number): Metric => ({
      name: `zukan_document_cache_${name}`,
      ...{ type, help, samples: [{ value }] },
    });
    return [
      metric('hits_total', 'counter', 'Images of answers that were in memory.', this.#hits),
      metric('misses_total', 'counter', 'Images of answers that were read from the database.', this.#misses),
      metric('images', 'gauge', 'Images that are kept in memory.', this.#count),
      metric('bytes', 'gauge', 'Memory that they take.', (this.#used - FIRST_PLACE) * 4 + this.#listBytes),
      metric('limit_bytes', 'gauge', 'Memory that they may take.', this.#bytes.length),
    ];
  }
}

function wordAt(words: Uint32Array, place: number): number {
  return words[place] as number;
}
