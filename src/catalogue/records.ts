/** What is stored besides entries: images, the files they came from, decisions of operators, tokens and the last backup. */
import type * as Type from '../lib/json-schema.ts';
import type { SiteField } from '../lib/site-texts.ts';
import { foldName, normaliseName } from './names.ts';
import type * as schemas from './schemas.ts';
import type { Document, Kind, Mimetype, Rating } from './schemas.ts';

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
  /** What it looks like (media/picture.ts): `''` if it has too little detail, null if it was not computed. */
  perceptualHash: string | null;
  /** The fields that an operator decided (edit-image.ts). */
  edited: string;
}

export type SavedImage = ImageRow & { number: number };

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
  /** Undefined if the folder was never imported. */
  choiceFor(folder: string): Promise<FolderChoice | undefined>;
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
