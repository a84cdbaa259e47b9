/**
 * How the catalogue asks, and a driver answers. A call of the catalogue is a generator: it reads from a view, which is one
 * version of the catalogue, and yields what it has to wait for. So the rules are written once: the embedded database
 * answers at once, inside one read transaction, and PostgreSQL with promises.
 */

import type { FileFacts } from '../catalogue/catalogue.ts';
import type { NewestPage } from '../catalogue/sets/choose-images.ts';
import type { ImageDimensions } from '../catalogue/sets/image-sizes.ts';
import type { Document, Kind } from '../catalogue/types.ts';
import type { Placed } from '../catalogue/writer.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Shelf, ShelfSnapshot } from './shelves.ts';

/** What a read returns: the result, or a promise of it. */
export type Answer<T> = T | Promise<T>;

/** Steps of a call that end with its result. It yields the promises that it waits for. */
export type Call<T> = Generator<Promise<unknown>, T, unknown>;

/** An artist, character or category. */
export interface StoredEntry {
  id: string;
  /** The number of its shelf. */
  shelf: number;
  /** The public JSON. */
  document: string;
  /** The number of images. */
  images: number;
  /** The number of the image that is its cover. */
  coverNumber: number | null;
}

/** `key` is what identifies the alias, in the order of bytes. */
export type AliasRow = [key: string, name: string, position: number];

/** A position on a shelf, which is given by its number. */
export interface Place {
  shelf: number;
  position: number;
}

/** Words that titles must have. */
export interface TitleQuery {
  /** One of these: of each, `scanned` images are looked at, the newest ones, */
  wanted: string[];
  /** all of these, tested in this order, */
  required: string[];
  /** and one of these, unless there are none. */
  oneOf: string[];
  scanned: number;
  /** How many images are wanted. */
  limit: number;
}

/** The end of the range of words that begin with a text: no title contains the last code point. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** The words of titles from one text up to another, each once: looks up one after the other. */
export const firstTitleWords = (from: string, to: string, limit: string): string => {
  const next = (condition: string) =>
    `(select title_word.word from title_word where ${condition} and title_word.word < ${to} order by title_word.word limit 1)`;
  return `with recursive found (word) as (
      select ${next(`title_word.word >= ${from}`)}
      union all
      select ${next('title_word.word > found.word')} from found where found.word is not null
    ) select word from found where word is not null limit ${limit}`;
};

/** Images whose document was changed, or that were removed. */
export interface DocumentChanges {
  /** Whether this catalogue had the documents that the changes follow. If not, it is another one. */
  isSuccessor: boolean;
  images: number[];
  /** Where to continue, if there are more. */
  next: [revision: number, image: number] | undefined;
}

/** One version of the catalogue. Every answer belongs to it; if the catalogue has changed, reads throw CatalogueChanged. */
export interface View {
  readonly snapshot: ShelfSnapshot;
  imageNumber(id: string): Answer<number | undefined>;
  file(image: string): Answer<FileFacts | undefined>;
  /** The entry with this id, or else the one that an entry with this id was merged into. */
  entry(kind: Kind, id: string): Answer<StoredEntry | undefined>;
  /** The shelves of the entries with these ids, undefined where there is none. */
  entryShelves(kind: Kind, ids: string[]): Answer<(Shelf | undefined)[]>;
  /** The entries at positions that exist. */
  entriesAt(kind: Kind, positions: number[]): Answer<StoredEntry[]>;
  /** The documents of images that exist, in the order of their numbers here. */
  documents(images: number[]): Answer<Document[]>;
  /** The documents of those of the images that exist, without any that is damaged. */
  wholeDocuments(images: number[]): Answer<[image: number, document: Document][]>;
  /** The changes to documents since they were of a revision, some at a time. */
  documentChanges(since: number, after: DocumentChanges['next'], limit: number): Answer<DocumentChanges>;
  /** The numbers of the images on a shelf, from one position up to another. */
  imagesOn(shelf: number, from: number, to: number): Answer<number[]>;
  imagesAt(places: Place[]): Answer<number[]>;
  /** The shelves and sizes of those of the images that exist, in any order. */
  placements(images: number[]): Answer<Placed[]>;
  /** The numbers of so many images of an album, in its order, from an offset on. */
  albumImages(shelf: number, offset: number, limit: number): Answer<number[]>;
  /** The newest images of a shelf: all, or those below a number. */
  newest(shelf: Shelf, below: number | undefined, limit: number): Answer<NewestPage>;
  /** The names of a kind in the order of its list, from one position up to another. */
  names(kind: Kind, from: number, to: number): Answer<string[]>;
  /** The aliases of a kind that follow a key, in the order of their keys, with the positions of their entries. */
  aliases(kind: Kind, after: string, limit: number): Answer<AliasRow[]>;
  /** How many images the entries of a kind have, in the order of its list, from one position up to another. */
  sizes(kind: Kind, from: number, to: number): Answer<number[]>;
  /** The first words of titles that begin with a text, in the order of their code points. */
  titleWords(prefix: string, limit: number): Answer<string[]>;
  /** How many titles have each of the words; not counted beyond a maximum. */
  titleCounts(words: string[], max: number): Answer<number[]>;
  /** The newest images whose titles have words. */
  titled(query: TitleQuery): Answer<number[]>;
  /** The perceptual hashes of the images above a number, in ascending order. */
  hashes(above: number, limit: number): Answer<[image: number, hash: string][]>;
  /** The widths and heights of the images above a number, in ascending order. */
  dimensions(above: number, limit: number): Answer<ImageDimensions[]>;
}

/** How many items a database reads at a time when it reads whole shelves, names or hashes. */
export interface SliceSizes {
  images: number;
  names: number;
  hashes: number;
}

export function limitSlices(sizes: SliceSizes, { maxItemsPerSlice }: Tuning): SliceSizes {
  const limit = (items: number) => Math.min(items, maxItemsPerSlice);
  return { images: limit(sizes.images), names: limit(sizes.names), hashes: limit(sizes.hashes) };
}

export interface Driver {
  readonly sliceSizes: SliceSizes;
  /** Runs a call on the current version, and again if the catalogue changes before it ends. */
  run<T>(call: (view: View) => Call<T>): Promise<T>;
  currentVersion(): Answer<number>;
}

/** Waits for an answer, if it is not there yet. */
export function* get<T>(answer: Answer<T>): Call<T> {
  return answer instanceof Promise ? ((yield answer) as T) : answer;
}
