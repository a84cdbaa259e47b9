/**
 * The JSON of several images as bytes, written from the bytes of their documents. Equal to what `ImageDocument.withLink` returns,
 * without an object or a text for each image.
 */
import type { ByteWriter } from '../../lib/byte-writer.ts';
import type { LinkedFile } from './image-document.ts';

/** A file to link to, whose name becomes text only if it must. */
export interface CachedFile extends Pick<LinkedFile, 'number' | 'revision'> {
  readFileName(): string;
  writeFileName(out: ByteWriter): void;
}

/** Writes links that all expire together. */
export interface LinkWriter {
  /** ISO 8601 */
  readonly expires: Buffer;
  /** Writes the URL. */
  write(file: CachedFile, out: ByteWriter): void;
  /** Called if what was read about the latest files may have been wrong: nothing about them must be kept. */
  forget(): void;
}

/** Where a document is whose lists are stored elsewhere. All positions are in the same bytes; see `Placeholders`. */
export class CachedDocument implements CachedFile {
  readonly bytes: Buffer;
  number = 0;
  revision = 0;
  start = 0;
  fileName = 0;
  key = 0;
  linkEnd = 0;
  lists = 0;
  expires = 0;
  end = 0;
  readonly categories = { start: 0, end: 0 };
  readonly characters = { start: 0, end: 0 };

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  readFileName(): string {
    return this.bytes.toString('latin1', this.fileName + 1, this.key);
  }

  writeFileName(out: ByteWriter): void {
    out.copy(this.bytes, this.fileName + 1, this.key);
  }
}

const COMMA = ','.charCodeAt(0);

export class ImageJson {
  readonly links: LinkWriter;
  readonly out: ByteWriter;
  readonly #start: string;

  /** `start` comes before the first image. */
  constructor(links: LinkWriter, out: ByteWriter, start = '') {
    this.links = links;
    this.out = out;
    this.#start = start;
  }

  add(document: CachedDocument): void {
    const { out, links } = this;
    const { bytes, lists, expires, categories, characters } = document;
    if (out.length > 0) out.byte(COMMA);
    else out.text(this.#start);
    out.copy(bytes, document.start, document.fileName);
    links.write(document, out);
    out.copy(bytes, document.linkEnd + 1, lists);
    out.copy(bytes, categories.start, categories.end);
    out.copy(bytes, characters.start, characters.end);
    out.copy(bytes, lists, expires);
    out.append(links.expires);
    out.copy(bytes, expires + 1, document.end);
  }

  /** Returns everything, with `end` after the last image. */
  finish(end: string): ByteWriter {
    if (this.out.length === 0) this.out.text(this.#start);
    this.out.text(end);
    return this.out;
  }

  /** For images that changed while they were added. */
  discard(): void {
    if (this.out.length > 0) this.links.forget();
    this.out.release();
  }
}
