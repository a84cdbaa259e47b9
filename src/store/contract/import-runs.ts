/**
 * The last imports: where each came from, what it changed, and how things were before, so that it can be reverted.
 *
 * The images that a run added are a range of image numbers, so that recording them costs nothing. Of everything else that it
 * changed, a row says what was before.
 */

/** Where an import was started. */
export type ImportOrigin = 'command' | 'studio';

export interface ImportRun {
  id: number;
  at: string;
  /** The paths that were imported. Empty if the pictures were added in the studio. */
  source: string;
  origin: ImportOrigin;
  /** Images that were added, changed, and removed because their files were gone. */
  added: number;
  changed: number;
  removed: number;
  /** Entries that were added or changed. */
  entries: number;
  /** The numbers of the images that it added. There are none if the last one is lower than the first one. */
  firstImage: number;
  lastImage: number;
  /** How many rows say what was before. */
  changes: number;
  /** `forgotten`: it, or a later one, changed too much to be remembered. */
  state: 'revertible' | 'reverted' | 'forgotten';
}

/** What an import changed, and how it was before. */
export interface ImportChange {
  /** `blocked` is the name of an entry, `removed` the hash of a picture. */
  kind: 'image' | 'artist' | 'category' | 'character' | 'blocked' | 'removed';
  id: string;
  /** JSON; null if there was nothing. */
  before: string | null;
  /** The version that the import made. If it is another one now, somebody changed it since. */
  after: string;
}

/** Part of a writer's transaction. */
export interface ImportRunWriter {
  /** The highest number of an image when the transaction began. */
  lastImage: number;
  /** The newest one first. */
  list(): Promise<ImportRun[]>;
  /** Adds or replaces a run. */
  save(run: ImportRun): Promise<void>;
  /** Forgets the runs below an id. */
  removeBelow(id: number): Promise<void>;
  /** Of what a run changed more than once, the first `before` counts. */
  saveChanges(run: number, changes: ImportChange[]): Promise<void>;
  changes(run: number): Promise<ImportChange[]>;
  removeChanges(run: number): Promise<void>;
  /** The ids of images that later runs changed. */
  imagesChangedAfter(run: number): Promise<Set<string>>;
  /** The ids of the images that a run added, in batches. They may be removed meanwhile. */
  addedImages(run: ImportRun): AsyncIterable<string[]>;
}
