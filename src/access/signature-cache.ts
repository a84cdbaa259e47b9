/**
 * Signatures of default links, by image number. All default links of a minute expire together, and under load most images
 * are linked several times in that minute: reading a signature takes 0.2 µs, computing it 1 µs. As bytes without objects
 * they cost the garbage collector nothing.
 */
import type { LinkedFile } from '../catalogue/documents/image-document.ts';

const SIGNATURE_BYTES = 32;
/** A signature, and before it the tag of the links that it belongs to. */
const WORDS = 1 + SIGNATURE_BYTES / 4;

/** What `toString` calls after it has checked its arguments. */
type SliceableBuffer = Buffer & { base64urlSlice(start: number, end: number): string };

export class SignatureCache {
  readonly #words: Uint32Array;
  readonly #bytes: SliceableBuffer;
  /** Changes with the expiry time and the revision, so nothing has to be cleared then. */
  #tag = 0;
  #expires = 0;
  #revision: number | undefined;

  /** The system provides the memory only when it is written to. */
  constructor(maxBytes: number) {
    this.#words = new Uint32Array(Math.floor(maxBytes / 4));
    this.#bytes = Buffer.from(this.#words.buffer) as SliceableBuffer;
  }

  /** Returns the signature in base64url. `sign` computes it if it is not cached. */
  get(file: LinkedFile, expires: number, sign: (fileName: string) => string): string {
    const { number = Number.POSITIVE_INFINITY, revision } = file;
    const index = number * WORDS;
    const start = (index + 1) * 4;
    const end = start + SIGNATURE_BYTES;
    if (end > this.#bytes.length) return sign(file.fileName);
    if (expires !== this.#expires || revision !== this.#revision) {
      this.#tag++;
      [this.#expires, this.#revision] = [expires, revision];
    }
    if (this.#words[index] === this.#tag) return this.#bytes.base64urlSlice(start, end);
    const signature = sign(file.fileName);
    this.#bytes.write(signature, start, 'base64url');
    this.#words[index] = this.#tag;
    return signature;
  }
}
