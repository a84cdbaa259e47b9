/**
 * How the catalogue asks, and a driver answers. A call of the catalogue is a generator: it reads from a view, which is one
 * version of the catalogue, and yields what it has to wait for. So the rules are written once: the embedded database
 * answers at once, inside one read transaction, and PostgreSQL with promises.
 */

import type { NewestPage } from '../catalogue/sets/choose-images.ts';
import type { Bounds, ImageDimensions } from '../catalogue/sets/dimension-index.ts';
import type { Document, Kind } from '../catalogue/types.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { FileFacts } from './contract/catalogue.ts';
import type { Shelf, ShelfSnapshot } from './shelves.ts';

/** What a read returns: the result, or a promise of it. */
export type Answer<T> = T | Promise<T>;

/** Steps of a call that end with its result. It yields the promises that it waits for. */
export type Call<T> = Generator<Promise<unknown>, T, unknown>;

/** An artist, character or category. */
export interface StoredEntry {
  /** The number of its shelf. */
  shelf: number;
  /** The public JSON. */
  document: string;
  /** The number of images. */
  images: number;
  /** The number of the image that is its cover. */
  coverNumber: number | null;
}

/** Positions to look at for images that meet conditions. All shelves are given by their numbers. */
export interface Draw {
  /** Where to look, in this order. */
  places: { shelf: number; position: number }[];
  /** An image must be on at least one shelf of each of these lists, */
  required: number[][];
  /** and on none of these. */
  excluded: number[];
  /** Its size must be within these. */
  bounds: Bounds | undefined;
  /** An image that is on several of these counts only where it is found on the first of them. */
  overlapping: number[];
  /** How many images are wanted. */
  limit: number;
}

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
  /** What the document cache calls the state of the documents in this version. */
  readonly documentRevision: number;
  imageNumber(id: string): Answer<number | undefined>;
  file(image: string): Answer<FileFacts | undefined>;
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
  imagesAt(shelf: number, positions: number[]): Answer<number[]>;
  /** The first images of a draw that meet its conditions. */
  draw(draw: Draw): Answer<number[]>;
  /** The newest images of a shelf: all, or those below a number. */
  newest(shelf: Shelf, below: number | undefined, limit: number): Answer<NewestPage>;
  /** The names of a kind in the order of its list, from one position up to another. */
  names(kind: Kind, from: number, to: number): Answer<string[]>;
  /** The perceptual hashes of the images above a number, in ascending order. */
  hashes(above: number, limit: number): Answer<[image: number, hash: string][]>;
  /** The widths and heights of the images above a number, in ascending order. */
  dimensions(above: number, limit: number): Answer<ImageDimensions[]>;
  /** The same, of those of the images that exist. */
  dimensionsOf(images: number[]): Answer<ImageDimensions[]>;
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
