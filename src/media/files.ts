/** The storage of image files, by key: a local folder or an S3 bucket. */
import type { Readable } from 'node:stream';
import type { Mimetype } from '../catalogue/types.ts';

/** An open file. Read one stream to its end, or close the file. */
export interface OpenFile {
  size: number;
  /** The bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Readable;
  /** The entity tag, if the storage assigns its own. */
  eTag?: string;
  close(): Promise<void>;
}

export interface Files {
  open(key: string): Promise<OpenFile | undefined>;
  /** Fails if no file can be read. Call it only if there should be files. */
  verify(): Promise<void>;
  remove(key: string): Promise<void>;
  /** Every stored key. */
  keys(): AsyncIterable<string>;
  beginUpload(): Promise<Upload>;
  /** An upload that stores nothing and only reports what would happen. */
  dryRunUpload(): Upload;
  /** The keys of uploads that did not finish: their process was killed, or they were abandoned. */
  abandonedKeys(): Promise<string[]>;
  /** Discards the journals of those uploads. Call it when each key is handled. */
  clearAbandoned(): Promise<void>;
}

/** The new files of one import. A journal lists their keys until the upload finishes, in case the process is killed. */
export interface Upload {
  /** Returns the entity tag that the bytes are served with. `hash` is their SHA-256 in hex. */
  put(key: string, bytes: Uint8Array, facts: { hash: string; mimetype: Mimetype }): Promise<string>;
  /** Makes all files durable: they survive a power failure. */
  flush(): Promise<void>;
  /** The keys that were not stored before. */
  newKeys(): string[];
  /** Ends the upload. Call it when each key is handled. */
  finish(): Promise<void>;
  /** Ends the upload and leaves its keys to the next import. */
  abandon(): Promise<void>;
}
