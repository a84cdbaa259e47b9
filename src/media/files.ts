/** The storage of image files, by key: a local folder or an S3 bucket. */
import type { Readable } from 'node:stream';
import type { Mimetype } from '../catalogue/schemas.ts';

/** An open file. Read one stream to its end, or close the file. */
export interface OpenFile {
  size: number;
  /** The bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Readable;
  /** The entity tag, if the storage assigns its own. */
  eTag?: string;
  /**
   * Whether it was stored within the last day, by the clock of storage that machines share without their journals: an import
   * on another one may be about to use it.
   */
  isRecent?: boolean;
  close(): Promise<void>;
}

/** A hidden key, whose file says which catalogue the others belong to. */
export const OWNER_KEY = '.catalogue';

export interface Files {
  open(key: string): Promise<OpenFile | undefined>;
  /** Fails if no file can be read. Call it only if there should be files. */
  verify(): Promise<void>;
  /** The files stay removed after a power failure. */
  remove(keys: string[]): Promise<void>;
  /** Every stored key. */
  keys(): AsyncIterable<string>;
  /** Stores a file that an image uses and that was lost. Only for storage whose files this service sends. */
  restore?(key: string, bytes: Uint8Array): Promise<void>;
  /** Gives the file a second name, a hard link. Only for local storage, and files that are never changed in place. */
  link?(key: string, path: string): Promise<void>;
  /** The identity of the catalogue that they belong to. Undefined if none has marked them. */
  owner(): Promise<string | undefined>;
  setOwner(identity: string): Promise<void>;
  startJournal(): Promise<Journal>;
  beginUpload(): Promise<Upload>;
  /** An upload that stores nothing and only reports what would happen. */
  dryRunUpload(): Upload;
  /** The keys in the journals of all commands that run, were killed or gave up. */
  journaledKeys(): Promise<string[]>;
  findLeftovers(): Promise<Leftovers>;
  /**
   * Passes on the keys in each journal of a command that was killed or gave up, and then discards the journal. The work removes
   * the files that no image uses. What fails is left to the next command.
   */
  handleAbandoned(work: (keys: string[]) => Promise<void>, onFailure: (error: Error) => void): Promise<void>;
  staging: StagingTable;
}

/** What commands leave in the storage until they end. */
export interface Leftovers {
  isRunning: boolean;
  /** Whether commands that were killed or gave up left anything that can be handled. */
  hasAbandoned: boolean;
  /** What cannot be, and what to do about it, as sentences. */
  problems: string[];
}

/** A key cannot point outside the storage or to a hidden file in it. */
export function isSafeKey(key: string): boolean {
  if (/[\\\p{Cc}]/u.test(key)) return false;
  return key.split('/').every((segment) => segment !== '' && !segment.startsWith('.'));
}

/** A picture of a file, which the next attempt need not read again. */
export interface StagedPicture {
  /** The path of the file. */
  path: string;
  /** What it looked like, and how it was read. Empty if it may change without that: then it is read again. */
  fingerprint: string;
  /** The keys of the stored files, the original first. */
  keys: string[];
  /** Any of these identifies the picture. */
  hashes: string[];
  /** What else the import found out. */
  facts: string;
}

/** Records that are ready to be saved, at a place in their import. One of a picture is alone, with what was found out about it. */
export interface StagedRecords {
  source: number;
  position: number;
  /** Those with a lower one are saved first; of the same one, in the order of the sources and positions. */
  place: string;
  records: string;
  picture?: StagedPicture | undefined;
}

export type StagedPlace = Pick<StagedRecords, 'source' | 'position'>;

/**
 * What imports have read and not committed. The stored files of those that ended are not leftovers, for a week. Methods fail
 * only if another command has locked the table for long, or the disk fails.
 */
export interface StagingTable {
  /** The pictures of these files, the latest ones last. */
  find(paths: string[]): StagedPicture[];
  /** Call it when the files are durable. An import is named by its journal. */
  add(owner: string, rows: StagedRecords[]): void;
  /** Those of an import, in the order of the places. Fails if one is gone. */
  rows(owner: string, places: Iterable<StagedPlace>): Iterable<Omit<StagedRecords, 'place'>>;
  /** The imports that have not ended, as far as the table knows. */
  running(): string[];
  /** These imports have ended, and what they staged of pictures is kept. */
  keep(owners: string[]): void;
  /** Removes what an import staged, and what is kept of files below the folders. */
  drop(owner: string, folders?: readonly string[]): void;
  /** The keys of pictures with one of the hashes. */
  keysOf(hashes: string[]): string[];
  /** The keys of files below a folder. */
  keysBelow(folder: string): string[];
  /** Their files are removed. */
  forget(keys: string[]): void;
  /** Those of the keys that are listed. */
  listed(keys: string[]): Set<string>;
  /** The keys that are kept for too long. */
  expiredKeys(): string[];
  forgetExpired(): void;
}

/** Makes thumbnails whose files are missing. */
export interface ThumbnailMaker {
  /** Undefined if the original is missing or damaged. Throws Unavailable under load, and ends when the client disconnects. */
  make(key: string, size: number, signal: AbortSignal): Promise<OpenFile | undefined>;
}

/** Lists keys whose files may become unused, until each is handled. It survives a kill and a power failure. */
export interface Journal {
  id: string;
  /** Await this before storing the bytes, or before the commit after which they may be unused. */
  add(key: string): Promise<void>;
  /** Those of the keys that no other running command lists, too. */
  withoutShared(keys: Iterable<string>): Promise<string[]>;
  /** Removes the journal. Call it when each key is handled. */
  finish(): Promise<void>;
  /** Leaves the journal to the next command that changes the catalogue. */
  abandon(): Promise<void>;
}

/** The new and replaced files of one import. Its journal lists their keys until it ends. */
export interface Upload extends Pick<Journal, 'id' | 'finish' | 'abandon'> {
  /** Returns the entity tag that the bytes are served with. `hash` is their SHA-256 in hex. */
  put(key: string, bytes: Uint8Array, facts: { hash: string; mimetype: Mimetype }): Promise<string>;
  /**
   * Takes over files that an earlier upload stored and that no image may use yet. Returns those that are known to be gone;
   * `findLost` finds the others.
   */
  takeOver(keys: string[]): Promise<string[]>;
  /** Call this before the commit with the keys that updated images used so far. */
  release(keys: string[]): Promise<void>;
  /** Makes the files that were stored so far durable: they survive a power failure. */
  flush(): Promise<void>;
  /**
   * Those of the keys whose files are gone: another command may have removed one that was already stored when this upload
   * needed it. Call it under the catalogue's write lock, which every removal of files holds.
   */
  findLost(keys: string[]): Promise<string[]>;
  /** The keys that were not stored before, or that were taken over. */
  newKeys(): string[];
  /** Without those that another upload, which still runs, has stored or taken over: it counts on them. */
  releasedKeys(): Promise<string[]>;
}
