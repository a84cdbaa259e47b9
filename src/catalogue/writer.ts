/** Writing the catalogue, and reading all of it: what commands need of a store, and what it stores besides entries. */
import type * as Type from '../lib/json-schema.ts';
import type { SiteField } from '../lib/site-texts.ts';
import type { ChangeLogReader, ChangeLogWriter, ImageRow, SavedImage } from './change-log.ts';
import { foldName, normaliseName } from './names.ts';
import type * as schemas from './schemas.ts';
import type { FileType, Kind, Orientation, Rating } from './schemas.ts';
import type { Placement } from './sets/image-set.ts';

export type { ImageRow, SavedImage };

/**
 * A stored artist, category, character or album. `shelf` is absent until it is saved. `aliases` are its other names, such as
 * the one before it was renamed. Saving an entry without `aliases` or `images` leaves them as they are.
 */
export interface Entry {
  shelf?: number;
  kind: Kind;
  id: string;
  name: string;
  createdAt: string;
  /** Its public JSON, without the count of images. */
  document: string;
  aliases?: string[];
  /** The ids of the images of an album, in its order, each once. Those in the trash are there too. */
  images?: string[];
}

/** Of an album. */
export const MAX_ALBUM_IMAGES = 10_000;

export type SavedEntry = Entry & { shelf: number; aliases: string[] };

export interface PlacedImage extends Placement {
  row: ImageRow;
  /**
   * Whether its former file does not go to the trash: a catalogue file replaces it, or it is the same picture, perhaps with its
   * location.
   */
  dropsFile?: boolean;
}

/** Finds entries and images by what identifies them. */
export interface Lookup {
  entriesById(kinds: Kind | Kind[], ids: string[]): Promise<SavedEntry[]>;
  /** Every entry with one of the names; categories ignoring case. */
  entriesByName(kind: Kind, names: string[]): Promise<SavedEntry[]>;
  /** The entries with one of the aliases; those of categories ignoring case. An alias belongs to one entry of a kind. */
  entriesByAlias(kind: Kind, aliases: string[]): Promise<SavedEntry[]>;
  /** The albums that list any of the images. */
  albumsOf(images: string[]): Promise<SavedEntry[]>;
  /** The names of all entries of a kind. */
  entryNames(kind: Kind): Promise<string[]>;
  imagesById(ids: string[]): Promise<SavedImage[]>;
  imagesByETag(eTags: string[]): Promise<SavedImage[]>;
  /** The albums that have any of these images, and how many of them. */
  countByAlbum(ids: string[]): Promise<{ id: string; name: string; images: number }[]>;
  /** Those of the ids that images have, and those that images in the trash have. */
  findImageIds(ids: string[]): Promise<{ images: Set<string>; trashed: Set<string> }>;
  /** The images on a shelf, in batches. They may be moved or removed meanwhile, batch by batch. */
  imagesOn(shelf: number): AsyncIterable<SavedImage[]>;
  /** Those of the keys that no image uses. */
  unusedKeys(keys: string[]): Promise<string[]>;
}

/** The shelves that every catalogue has, by number. */
export interface FixedShelves {
  catalogue: number;
  rating: Record<Rating, number>;
  orientation: Record<Orientation, number>;
  type: Record<FileType, number>;
  animated: number;
}

/**
 * One transaction under one lock, from opening to `commit`; disposing of it without a commit rolls back. Its methods take
 * many records per call to save round trips to a database server.
 */
export interface CatalogueWriter extends Lookup, AsyncDisposable {
  fixedShelves: FixedShelves;
  decisions: Decisions;
  sourceFiles: SourceFileWriter;
  changeLog: ChangeLogWriter;
  saveEntries(entries: Entry[]): Promise<void>;
  /** Saves only the aliases of an entry, and takes them from others that have them. */
  saveAliases(entry: SavedEntry): Promise<void>;
  /** Removes entries with their aliases. No image may belong to them, except to an album. */
  removeEntries(entries: SavedEntry[]): Promise<void>;
  /**
   * Adds or updates images, and places each on exactly these shelves and those of the albums that have it. `former` are the rows of
   * those that exist, for callers that have read them in this transaction.
   */
  saveImages(images: PlacedImage[], former?: SavedImage[]): Promise<void>;
  /** Saves the hashes of images, which must exist; null removes one. */
  savePerceptualHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void>;
  /** Moves images to the trash. Returns the rows that were removed. */
  trashImages(ids: string[]): Promise<SavedImage[]>;
  /**
   * Takes images down: removes them for good, from the trash and the change log too. Returns the rows that were removed,
   * and those of their former files.
   */
  takeDownImages(ids: string[]): Promise<{ removed: ImageRow[]; former: ImageRow[] }>;
  /** Adds images that were removed, with the numbers that they had. */
  restoreImages(images: (PlacedImage & { row: SavedImage })[]): Promise<void>;
  /** Adds tokens together with the commit. Those that exist already stay as they are. */
  restoreTokens(records: TokenRecord[]): Promise<void>;
  /** Makes it the catalogue with this identity. */
  identify(identity: string): Promise<void>;
  /** Makes `commit` renumber all shelves and lists. */
  renumberAll(): Promise<void>;
  commit(): Promise<void>;
}

/** Images that are on all of the shelves, at least one. */
export interface ImageIdFilter {
  shelves: number[];
  /** Only those that belong to no entry of these kinds. */
  without?: Kind[];
  /** Only those with fields that an operator decided. */
  isEdited?: boolean;
  /** Only those whose rating nobody decided. */
  isUnrated?: boolean;
  /** Only those whose files changed since somebody rated them by hand. */
  isFileChanged?: boolean;
  /** Only those that this change added or changed. */
  change?: number | undefined;
}

/** A whole catalogue as of one version, a record at a time. */
export interface CatalogueSnapshot extends Lookup, AsyncDisposable {
  /** Undefined if an older version made the catalogue. */
  identity(): Promise<string | undefined>;
  fixedShelves: FixedShelves;
  /** Whether there is nothing that a restore could mix with: no record, no decision and no history. */
  isEmpty(): Promise<boolean>;
  entries(kind: Kind): AsyncIterable<SavedEntry>;
  images(): AsyncIterable<SavedImage>;
  /** Of all images. Reads no documents. */
  imageNumbers(): Promise<number[]>;
  /** The numbers of images with fields that an operator decided, newest first. Reads no documents. */
  editedImages(): AsyncIterable<number>;
  /** The ids of images, oldest first, all at once. Reads no documents. */
  imageIds(filter: ImageIdFilter): Promise<string[]>;
  /** How many these are. Takes as long as finding them. */
  countImages(filter: ImageIdFilter): Promise<number>;
  /** How many images each entry of a kind has, by id. */
  imageCounts(kind: Kind): Promise<Map<string, number>>;
  changeLog: ChangeLogReader;
  blockedNames(): AsyncIterable<BlockedName>;
  siteTexts(): AsyncIterable<SiteText>;
  removedFiles(): AsyncIterable<RemovedFile>;
  /** Of all folders, also those whose images were removed. */
  sourceFiles(): AsyncIterable<SourceFile>;
  /** Folders that an operator chose anything for. */
  chosenFolders(): AsyncIterable<ChosenFolder>;
  imagesByNumber(numbers: number[]): Promise<SavedImage[]>;
  /** By image number, in ascending order. Reads no documents. */
  perceptualHashes(): AsyncIterable<{ image: number; hash: string }>;
  /** The index of the texts of images, in any order. */
  textBlocks(): AsyncIterable<TextBlock>;
  /** What is stored for filters, by image number. */
  placementsOf(images: number[]): Promise<Map<number, Placement>>;
  /** Problems with the numbering of shelves and lists, as sentences. */
  misnumbered(): AsyncIterable<string>;
}

/** Which images of a block have a term in their texts (search/words.ts). */
export interface TextBlock {
  term: string;
  block: number;
  images: string;
}

/** A writer was not opened in time. */
export class LockTimeout extends Error {
  constructor() {
    super('another command is changing the catalogue; try again when it has finished');
  }
}

/** Whether so many of the pictures may be removed by mistake, so that somebody has to confirm it. */
export const isLargePart = (removed: number, total: number, tolerated = 20): boolean =>
  removed > tolerated && removed > total / 10;

// What is stored besides entries: images, the files they came from, decisions of operators, tokens and the last backup.

// Which file of which folder each image came from. An import skips files that did not change since, and `--prune` removes
// images whose files are gone.

export const SOURCE_STATES = ['first', 'copy', 'thumbnail', 'replaced'] as const;

export interface SourceFile {
  /** The real path of the folder that was imported, in NFC, as all names of files that are stored. */
  folder: string;
  /** Relative to the folder, in NFC. */
  path: string;
  /** The id of the image. */
  image: string;
  /**
   * `first`: the image has the fields of this file. `copy`: the same bytes as a file that comes first. `thumbnail`: only a
   * smaller version of the image. `replaced`: the file has other bytes by now, which are another image.
   */
  state: (typeof SOURCE_STATES)[number];
  /** What the file and its sidecars looked like, and how they were read. `''` if the file has to be read again. */
  fingerprint: string;
}

/** `eTag` identifies the bytes of the image, and `perceptualHash` is what they look like, if that is known. */
export type KnownFile = SourceFile & { eTag: string; perceptualHash: string | null };

/** A file whose picture an operator removed. */
export type RemovedSource = Pick<SourceFile, 'path' | 'state' | 'fingerprint'> & RemovedFile;

/** Which names of folders are categories, besides a number of them. */
export const FOLDER_RULES = ['all', 'meaningful', 'last', 'none'] as const;

/** How an operator chose to import a folder. The next import of the folder keeps every choice that it does not change. */
export interface FolderChoice {
  folderCategories?: (typeof FOLDER_RULES)[number] | number;
  exclude?: string[];
  defaultRating?: Rating;
  albumsFrom?: 'folders' | 'none';
}

export interface ChosenFolder {
  /** As that of a source file. */
  folder: string;
  choice: FolderChoice;
}

/** Outside a transaction: a folder may take hours to read. Files whose image was removed are left out. */
export interface SourceFileReader extends AsyncDisposable {
  find(folder: string, paths: string[]): Promise<KnownFile[]>;
  /** Those whose pictures an operator removed, and that no other image has. */
  findRemoved(folder: string, paths: string[]): Promise<RemovedSource[]>;
  /** All of a folder. */
  all(folder: string): AsyncIterable<KnownFile>;
  /** The imported folders in this one, and those that it is in. */
  overlapping(folder: string): Promise<string[]>;
  /** In whatever folder. */
  ofImages(ids: string[]): Promise<KnownFile[]>;
  /** Those of the hashes that are the bytes of an image. */
  knownBytes(hashes: string[]): Promise<Set<string>>;
  /** Of the folder or, without one, of the nearest folder around it that has one. Undefined if the folder was never imported. */
  choiceFor(folder: string): Promise<ChosenFolder | undefined>;
}

/** Part of a writer's transaction. */
export interface SourceFileWriter {
  /** Another image that came from the same path is `replaced` from then on. */
  save(files: SourceFile[]): Promise<void>;
  /** Adds the files of a backup as they were. */
  restore(files: SourceFile[]): Promise<void>;
  remove(files: Pick<SourceFile, 'folder' | 'path' | 'image'>[]): Promise<void>;
  /** All files of a folder, also those whose images were removed. */
  ofFolder(folder: string): AsyncIterable<Pick<SourceFile, 'path' | 'image' | 'state'>>;
  /** In whatever folder. */
  ofImages(ids: string[]): Promise<Pick<SourceFile, 'folder' | 'path' | 'image' | 'state'>[]>;
  /** Those of the images that came from any file, in whatever folder, which was not replaced. */
  provided(images: string[]): Promise<Set<string>>;
  /** These images no longer come from any file, so no import removes them because a file is gone. */
  detach(images: string[]): Promise<void>;
  /** The next import reads the files of these images again. */
  forget(images: string[]): Promise<void>;
  choose(folder: string, choice: FolderChoice): Promise<void>;
}

// What an operator decided about things that are no longer in the catalogue.

/** A picture that was removed: imports do not add it again. */
export interface RemovedFile {
  /** Identifies its bytes. A picture with a location has two hashes, with and without it. */
  hash: string;
  /** The id of the image that was removed. */
  image: string;
  removedAt: string;
  reason: string;
}

/** The name of a removed entry: imports of folders leave it out. */
export interface BlockedName {
  kind: Kind;
  name: string;
  blockedAt: string;
  /** Imports of folders skip the pictures of this artist or character: they were taken down. */
  skips?: true;
}

/** A text of the site, as a variable would say it. */
export interface SiteText {
  field: SiteField;
  text: string;
}

/** Changes of one transaction. */
export interface Decisions {
  blockedNames(kind: Kind, names: string[]): Promise<BlockedName[]>;
  blockNames(names: BlockedName[]): Promise<void>;
  unblockNames(kind: Kind, names: string[]): Promise<void>;
  removedFiles(hashes: string[]): Promise<RemovedFile[]>;
  /** Those of removed images. */
  removedFilesOf(images: string[]): Promise<RemovedFile[]>;
  /** Replaces what is remembered of the same hashes. */
  rememberFiles(files: RemovedFile[]): Promise<void>;
  forgetFiles(hashes: string[]): Promise<void>;
  siteText(field: SiteField): Promise<string>;
  /** Empty: the site has its default. */
  saveSiteText(field: SiteField, text: string): Promise<void>;
}

/** Names with the same key are the same name: those of categories ignore case. */
export const nameKey = (kind: Kind, name: string): string =>
  kind === 'category' ? foldName(name) : normaliseName(name);

// What is stored of a token. A backup restores tokens together with the catalogue.

export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;

export interface Token extends TokenInformation {
  id: string;
}

export interface TokenRecord extends Token {
  /** Of its secret. */
  hash: string;
  revokedAt: string | null;
}

/** The last backup that succeeded. */
export interface LastBackup {
  /** When it began. */
  at: string;
  bytes: number;
}
