/** What an operator decided about things that are no longer in the catalogue. */
import { foldName, normaliseName } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/types.ts';

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
}

/** Names with the same key are the same name: those of categories ignore case. */
export const nameKey = (kind: Kind, name: string): string =>
  kind === 'category' ? foldName(name) : normaliseName(name);
