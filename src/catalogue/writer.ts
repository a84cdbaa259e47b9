/** Writing the catalogue, and reading all of it: what commands need of a store. */
import type { SourceFileWriter } from './source-files.ts';
import type { Document, Kind, Mimetype, Orientation, Rating } from './types.ts';

/** A stored artist, category or character. `shelf` is absent until it is saved. */
export interface Entry {
  shelf?: number;
  kind: Kind;
  id: string;
  name: string;
  createdAt: string;
  /** Its public JSON, without the count of images. */
  document: string;
}

export type SavedEntry = Entry & { shelf: number };

/**
 * A stored image. `eTag` identifies its bytes: their hash, or the entity tag that a record gave. (The document has the
 * entity tag that the file is served with, which some storage assigns itself.) `number` is its position in the order of
 * adding, absent until it is saved.
 */
export interface ImageRow {
  number?: number;
  id: string;
  key: string;
  eTag: string;
  mimetype: Mimetype;
  document: Document;
  /** What it looks like (media/perceptual-hash.ts): `''` if it has too little detail, null if it was not computed. */
  perceptualHash: string | null;
}

export type SavedImage = ImageRow & { number: number };

/** The shelves that every catalogue has, by number. */
export interface FixedShelves {
  catalogue: number;
  rating: Record<Rating, number>;
  orientation: Record<Orientation, number>;
}

/**
 * One transaction under one lock, from opening to `commit`; disposing of it without a commit rolls back. Its methods take
 * many records per call to save round trips to a database server.
 */
export interface CatalogueWriter extends AsyncDisposable {
  fixedShelves: FixedShelves;
  sourceFiles: SourceFileWriter;
  entriesById(kind: Kind, ids: string[]): Promise<SavedEntry[]>;
  /** Every entry with one of the names; categories ignoring case. */
  entriesByName(kind: Kind, names: string[]): Promise<SavedEntry[]>;
  imagesById(ids: string[]): Promise<SavedImage[]>;
  imagesByETag(eTags: string[]): Promise<SavedImage[]>;
  saveEntries(entries: Entry[]): Promise<void>;
  /** Adds or updates images, and places each on exactly these shelves. */
  saveImages(images: { row: ImageRow; shelves: number[] }[]): Promise<void>;
  /** Saves the hashes of images, which must exist; null removes one. */
  savePerceptualHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void>;
  /** Returns the rows that were removed. */
  removeImages(ids: string[]): Promise<ImageRow[]>;
  /** Those of the keys that no image uses. */
  unusedKeys(keys: string[]): Promise<string[]>;
  /** Makes `commit` renumber all shelves and lists. */
  renumberAll(): Promise<void>;
  commit(): Promise<void>;
}

/** A whole catalogue as of one version, a record at a time. */
export interface CatalogueSnapshot extends AsyncDisposable {
  fixedShelves: FixedShelves;
  entries(kind: Kind): AsyncIterable<SavedEntry>;
  images(): AsyncIterable<SavedImage>;
  imagesById(ids: string[]): Promise<SavedImage[]>;
  imagesByNumber(numbers: number[]): Promise<SavedImage[]>;
  /** By image number, in ascending order. Reads no documents. */
  perceptualHashes(): AsyncIterable<{ image: number; hash: string }>;
  /** Those of the keys that no image uses. */
  unusedKeys(keys: string[]): Promise<string[]>;
  /** The shelves that each of the images is on. */
  shelvesOf(images: number[]): Promise<Map<number, number[]>>;
  /** Problems with the numbering of shelves and lists, as sentences. */
  misnumbered(): AsyncIterable<string>;
}
