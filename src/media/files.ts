/** Where the bytes of images are stored, by key: a folder or a bucket. */
import type { Readable } from 'node:stream';
import type { Mimetype } from '../catalogue/types.ts';

/** A stored file, opened. Read one stream to its end, or close it. */
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
  remove(key: string): Promise<void>;
  /** Every stored key. */
  keys(): AsyncIterable<string>;
  beginUpload(): Promise<Upload>;
  /** An upload that stores nothing and only reports what would happen. */
  dryRunUpload(): Upload;
  /** The keys of uploads that never finished: their process was killed, or left them to the next import. */
  abandonedKeys(): Promise<string[]>;
  /** Discards the journals of those uploads, once each key is dealt with. */
  clearAbandoned(): Promise<void>;
}

/** New files of one import. A journal lists their keys until it finishes, in case this process is killed. */
export interface Upload {
  /** Returns the entity tag that the bytes will be served with; `hash` is their SHA-256, in hex. */
  put(key: string, bytes: Uint8Array, facts: { hash: string; mimetype: Mimetype }): Promise<string>;
  /** Makes everything that was put durable: it survives a power cut. */
  flush(): Promise<void>;
  /** The keys that were not stored before. */
  newKeys(): string[];
  /** Ends the upload; every key is dealt with. */
  finish(): Promise<void>;
  /** Ends the upload and leaves its keys to the next import. */
  abandon(): Promise<void>;
}
